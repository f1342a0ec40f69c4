"""A client of ForgeBus workers for programs that have no Swift: copy this file, and forgebus_messages.py beside it.

    async with Client("ipc:///run/user/1000/forgebus/worker.ipc") as client:
        result = await client.run("deploy", {"version": "42"}, on_progress=print)

Python 3.11 and pyzmq. Any number of requests share a connection, each a task of asyncio, not a thread: a ZeroMQ socket
belongs to one thread, so that callers in threads would need a lock and a second socket to wake the owner of the first.
A program without an event loop puts `asyncio.run` around its lines.

Answers are dictionaries in the words of Protocol.md; times are seconds; what is refused or not answered is a BusError.
"""

import asyncio
import contextlib
import math
import random
import time
import uuid

import zmq
import zmq.asyncio
from zmq.utils.monitor import recv_monitor_message

from forgebus_messages import LEDGERED, BusError, error_of, milliseconds, read_answer, write_request


class Client:
    """A connection to one worker, as long as its `async with` lasts; it belongs to the event loop it was opened in.

    patience: how long a request waits for the worker to take it, and how long the worker may be silent after that.
    source: what the client calls itself; without keys it is part of what makes two requests the same.
    curve: the worker's public key, the client's public key and its secret key, 40 characters each.

    A request is sent again, the same bytes under the same id, after a silence, after a lost connection, and after a
    refusal that may be over soon, with growing pauses that have some chance in them: by the id the worker knows it.
    BusError `timeout` says that the *outcome is unknown*, `unreachable` that nothing was sent. Whoever calls again with
    the same `id`, from this process or another, learns what became of it.
    """

    def __init__(self, endpoint, *, patience=30.0, source=None, curve=None):
        self._endpoint, self._patience, self._source, self._curve = endpoint, patience, source, curve
        self._inboxes = {}  # by id, as bytes: what came for those who wait; None is a new connection
        self._heard = 0.0

    async def __aenter__(self):
        self._socket = socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
        # Nothing is queued for a worker that is away: it waits here, where it can be given up.
        socket.linger, socket.immediate = 0, True
        socket.heartbeat_ivl, socket.heartbeat_timeout = 2_000, 6_000
        # By chance, so that the clients of a worker that was away do not come back together.
        socket.reconnect_ivl, socket.reconnect_ivl_max = random.randint(100, 300), random.randint(5_000, 10_000)
        if self._curve:
            socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = map(str.encode, self._curve)
        self._monitor = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        socket.connect(self._endpoint)
        self._tasks = [asyncio.create_task(self._receive()), asyncio.create_task(self._observe())]
        return self

    async def __aexit__(self, *_):
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for id, inbox in self._inboxes.items():
            inbox.put_nowait(_closed(id.decode()))
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close()

    async def notify(self, topic, body=b"", wait=False, deadline=None, *, id=None):
        """Says that something changed: ACCEPTED; with `wait` EVALUATED, what the monitors did until `deadline`."""
        attributes = {"reply": "evaluated" if wait else None, "deadline_ms": milliseconds(deadline)}
        return await self.ask("NOTIFY", topic, attributes, body, id=id)

    async def run(self, pipeline, seeds=None, deadline=None, on_progress=None, id=None):
        """Runs a pipeline: RESULT, however it ended. `on_progress` is told of ACCEPTED and of each PROGRESS.

        `deadline` bounds the run, by the worker's clock. A run goes on when nobody waits for it; the same call with the
        same id, or `attach`, waits for it again.
        """
        attributes = {"deadline_ms": milliseconds(deadline), "progress": True if on_progress else None}
        return await self.ask("RUN", pipeline, attributes, seeds or b"", id=id, on_news=on_progress)

    async def attach(self, run, wait=None, on_progress=None):
        """RESULT of a run that anybody began; or OK, with its state, where that does not come within `wait`."""
        attributes = {"wait_ms": milliseconds(wait), "progress": True if on_progress else None}
        return await self.ask("ATTACH", run, attributes, on_news=on_progress)

    async def cancel(self, run, reason="", *, id=None):
        """Ends a run before its time: OK, with the state it has now."""
        return await self.ask("CANCEL", run, body=reason or b"", id=id)

    async def complete(self, signal, value=b"", *, keep=None, id=None):
        """Completes a signal or approves a gate: VERDICT. A value that is bytes goes as it is, any other as JSON."""
        return await self.ask("COMPLETE", signal, {"keep_ms": milliseconds(keep)}, value, id=id)

    async def reject(self, signal, reason="", *, keep=None, id=None):
        """Rejects a gate: VERDICT. `keep` is how long a decision waits for its signal; 0 does not keep it."""
        return await self.ask("REJECT", signal, {"keep_ms": milliseconds(keep)}, reason or b"", id=id)

    async def list(self, kind):
        """All there are of `runs`, `signals`, `monitors` or `pipelines`, from page to page."""
        items, page = [], {"cursor": None}
        while "cursor" in page:
            page = await self.ask("LIST", kind, {"limit": 500, "cursor": page["cursor"]})
            items += page["items"]
        return items

    async def show(self, item):
        """What one thing is: `run/run-7`, `signal/…`, `monitor/…` or `pipeline/…`; `history/…`: what happened to one."""
        return (await self.ask("SHOW", item))["item"]

    async def ping(self, body=b""):
        """PONG: the worker's program answers, and says its state."""
        return await self.ask("PING", body=body)

    @contextlib.asynccontextmanager
    async def watch(self, pattern, credit=1_000):
        """What happens from then on: `async with client.watch("run.>") as events: async for event in events: …`

        Lossy: `lost` says how many events are missing before this one. A gap of unknown size counts as one: after a lost
        connection, or where the worker had more to tell than the `credit` events that may be unread.
        """
        id = uuid.uuid4().hex
        inbox = self._inboxes[id.encode()] = asyncio.Queue()
        try:
            await self._watch(id, pattern, credit)
            await self.ping()  # The worker reads one connection in its order: with the PONG the watch has begun.
            yield self._events(id, pattern, credit, inbox)
        finally:
            del self._inboxes[id.encode()]
            with contextlib.suppress(zmq.ZMQError):  # Without a connection there is no watch.
                await self._socket.send_multipart(write_request("UNWATCH", id=id), zmq.NOBLOCK)

    async def ask(self, command, subject="", attributes=None, body=b"", *, id=None, on_news=None):
        """The last answer to any command of the protocol but WATCH; `on_news` is told of those before."""
        call = _Call(command, subject, {**(attributes or {}), "source": self._source}, body, id, self._patience)
        if call.frames[1] in self._inboxes:
            raise BusError("bad_id", f"{call.id} waits for its answer already.", "Await the first call.", call.id)
        inbox = self._inboxes[call.frames[1]] = asyncio.Queue()
        try:
            while True:
                answer = await self._next(call, inbox)
                if answer and call.is_last(answer):
                    return answer
                if answer and on_news:
                    on_news(answer)
        except asyncio.CancelledError:
            if self._socket.closed:  # That cancels what still waits to be sent.
                raise _closed(call.id) from None
            raise
        finally:
            del self._inboxes[call.frames[1]]

    # What happens on the connection

    async def _next(self, call, inbox):
        """Does one thing about a call: sends it, takes one answer, or gives it up."""
        now, end = time.monotonic(), call.ends(self._heard)
        if now >= end:
            raise call.failure()
        with contextlib.suppress(asyncio.TimeoutError):
            if call.due <= now < call.safe_until:
                # This waits for a connection, and for room in it.
                frames = write_request("PING") if call.is_with_worker else call.frames
                await asyncio.wait_for(self._socket.send_multipart(frames), min(end, call.safe_until) - now)
                return call.sent(time.monotonic())
            wake = call.due if now < call.due < end else end
            return call.received(await asyncio.wait_for(inbox.get(), wake - now), time.monotonic())

    async def _receive(self):
        while True:
            frames = await self._socket.recv_multipart()
            self._heard = time.monotonic()
            inbox = self._inboxes.get(b"".join(frames[1:2]))
            if inbox:  # Otherwise its patience was over, or it is a PONG that nobody waits for.
                try:
                    inbox.put_nowait(read_answer(frames))
                except BusError as error:
                    inbox.put_nowait(error)

    async def _observe(self):
        is_lost = False
        while True:
            event = (await recv_monitor_message(self._monitor))["event"]
            for inbox in self._inboxes.values() if is_lost and event == zmq.EVENT_HANDSHAKE_SUCCEEDED else ():
                inbox.put_nowait(None)
            is_lost = event == zmq.EVENT_DISCONNECTED

    async def _watch(self, id, pattern, credit):
        frames = write_request("WATCH", pattern, {"credit": credit, "source": self._source}, id=id)
        try:
            await asyncio.wait_for(self._socket.send_multipart(frames), self._patience)
        except asyncio.TimeoutError:
            raise _unreachable(id) from None

    async def _events(self, id, pattern, credit, inbox):
        read = gap = 0
        while True:
            answer = await inbox.get()
            if isinstance(answer, BusError):
                raise answer
            if answer is None or answer["answer"] == "OK":  # A new connection, or the credit was used up.
                await self._watch(id, pattern, credit)
                read, gap = 0, 1
            elif answer["answer"] == "ERROR":
                raise error_of(answer)
            else:
                yield {**answer, "lost": answer["lost"] + gap}
                read, gap = read + 1, 0
                if read * 2 >= credit:
                    await self._watch(id, pattern, read)
                    read = 0


class _Call:
    """One request until its last answer: when it is sent again, and when it is given up. It knows no socket."""

    def __init__(self, command, subject, attributes, body, id, patience):
        self.frames = write_request(command, subject, attributes, body, id)
        self.id, self.command, self.patience = self.frames[1].decode(), command, patience
        self.ends_with_accepted = "accepted" == (attributes.get("reply") or {"NOTIFY": "accepted"}.get(command))
        self.due = self.heard = time.monotonic()
        self.since = None  # since when it may be with the worker and nothing was heard of it
        self.is_taken = False
        self.retention, self.pause, self.backoff, self.refusal = 60.0, 1.0, 0.1, None
        self.run, self.sequence = None, 0

    @property
    def is_with_worker(self):
        """Whether sending it again would tell nothing, or do more: then a PING shows whether the worker lives."""
        return self.is_taken and self.command not in LEDGERED

    @property
    def safe_until(self):
        """After more silence than this its answer may be forgotten, and the same id would have its effect again."""
        return self.since + self.retention / 2 if self.since and self.command in LEDGERED else math.inf

    def ends(self, worker_heard):
        return self.patience + (max(self.heard, worker_heard) if self.is_with_worker else self.heard)

    def sent(self, now):
        self.since, self.refusal = self.since or now, None
        self.is_taken = self.is_taken or self.command == "ATTACH"  # Its first answer may be days away.
        self.due = now + min(self.pause, max(0.1, min(self.retention / 10, self.patience / 4))) * random.uniform(0.5, 1)
        self.pause = min(self.pause * 2, 30.0)

    def received(self, answer, now):
        """The answer, if it tells something new; raises what ends the call without one."""
        if answer is None:
            if self.is_with_worker:
                self.is_taken, self.heard = False, now
            self.due = self.due if self.refusal else now
        elif isinstance(answer, BusError):
            answer.id = self.id
            raise answer
        elif answer["answer"] == "ERROR":
            self._refused(error_of(answer), now)
        else:
            self.heard = self.since = now
            self.backoff, self.refusal = 0.1, None
            self.retention = answer.get("retention_ms", self.retention * 1000) / 1000
            return answer if self._is_news(answer) else None

    def is_last(self, answer):
        return answer["answer"] != "PROGRESS" and (answer["answer"] != "ACCEPTED" or self.ends_with_accepted)

    def _is_news(self, answer):
        if answer["answer"] == "ACCEPTED":
            is_known = self.is_taken and self.run == answer.get("run") and "replayed" in answer
            self.is_taken, self.run, self.sequence = True, answer.get("run"), self.sequence if is_known else 0
            return not is_known
        told, self.sequence = self.sequence, max(self.sequence, answer.get("sequence", 0))
        return self.sequence > told or answer["answer"] != "PROGRESS"

    def _refused(self, error, now):
        if not error.retryable:
            raise error
        self.heard = now if self.is_taken else self.heard
        self.is_taken, self.refusal, self.since, self.pause = False, error, None, 1.0
        chance = random.random()
        self.due = now + (self.backoff * chance if error.retry_after is None else error.retry_after + 0.1 * chance)
        self.backoff = min(self.backoff * 2, 5.0)

    def failure(self):
        if self.refusal or not self.since:
            return self.refusal or _unreachable(self.id)
        cause = f"No answer came in {self.patience:g} s: the outcome of {self.id} is unknown."
        return BusError("timeout", cause, "Send again under the same id: that is safe.", self.id)


def _unreachable(id):
    return BusError("unreachable", f"There was no connection: {id} was not sent.", "Check endpoint and worker.", id)


def _closed(id):
    cause = f"The client was closed: the outcome of {id} is unknown."
    return BusError("closed", cause, "Send again under the same id with another client.", id)
