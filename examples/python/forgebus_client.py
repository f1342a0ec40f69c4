"""A client of ForgeBus workers in Python: copy this file, forgebus_calls.py and forgebus_messages.py.

    async with Client("ipc:///run/user/1000/forgebus/worker.ipc") as client:
        result = await client.run("deploy", {"version": "42"}, on_progress=print)

Python 3.11 and pyzmq. Any number of requests share a connection, each a task of asyncio, not a thread: a ZeroMQ socket
belongs to one thread, so that callers in threads would need a lock and a second socket to wake the owner of the first.
A program without an event loop puts `asyncio.run` around its lines.

Answers are dictionaries in the words of Protocol.md; times are seconds; what is refused or not answered is a BusError.
"""

import asyncio
import contextlib
import random
import time
import uuid

import zmq
import zmq.asyncio
from zmq.utils.monitor import recv_monitor_message

from forgebus_calls import Call, Window, closed, unreachable
from forgebus_messages import BusError, error_of, milliseconds, read_answer, write_request


class Client:
    """A connection to one worker, open as long as its `async with` lasts; it belongs to the event loop that opened it.

    patience: how long a request waits until the worker accepts it, and how long the worker may be silent after that.
    source: the client's label; without keys, requests are the same only if their labels are the same, too.
    curve: the worker's public key, the client's public key and its secret key, 40 characters each.

    A request is sent again, the same bytes under the same id, after a silence, after a lost connection, and after a
    temporary refusal, with growing random pauses. The worker recognises the request by its id.
    BusError `timeout` says that the *outcome is unknown*, `unreachable` that nothing was sent. Calling again with
    the same `id`, from this process or another, returns the outcome.
    """

    def __init__(self, endpoint, *, patience=30.0, source=None, curve=None):
        self._endpoint, self._patience, self._source, self._curve = endpoint, patience, source, curve
        self._inboxes = {}  # by id, as bytes: what came for those who wait; None is a new connection
        self._is_connected, self._window, self._ping = False, Window(), write_request("PING")
        self._change, self._turn = asyncio.Event(), asyncio.Lock()  # of the two before; of those who wait for room
        self._heard = self._pinged = 0.0

    async def __aenter__(self):
        self._socket = socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
        socket.linger = 0
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
            inbox.put_nowait(closed(id.decode()))
        self._socket.disable_monitor()
        self._monitor.close(linger=0)
        self._socket.close()
        self._is_connected = False
        self._change.set()

    async def notify(self, topic, body=b"", wait=False, deadline=None, *, id=None):
        """Reports a change; returns ACCEPTED; with `wait` EVALUATED, the outcome of the monitors until `deadline`."""
        attributes = {"reply": "evaluated" if wait else None, "deadline_ms": milliseconds(deadline)}
        return await self.ask("NOTIFY", topic, attributes, body, id=id)

    async def run(self, pipeline, seeds=None, deadline=None, on_progress=None, id=None):
        """Runs a pipeline and returns RESULT, whatever its state. `on_progress` gets ACCEPTED and each PROGRESS.

        `deadline` limits the run, by the worker's clock. A run continues when nobody waits for it; the same call with the
        same id, or `attach`, waits for it again.
        """
        attributes = {"deadline_ms": milliseconds(deadline), "progress": True if on_progress else None}
        return await self.ask("RUN", pipeline, attributes, seeds or b"", id=id, on_news=on_progress)

    async def attach(self, run, wait=None, on_progress=None):
        """Returns RESULT of a run that any client started; or OK, with its state, if it does not end within `wait`."""
        attributes = {"wait_ms": milliseconds(wait), "progress": True if on_progress else None}
        return await self.ask("ATTACH", run, attributes, on_news=on_progress)

    async def cancel(self, run, reason="", *, id=None):
        """Cancels a run; returns OK with the run's current state."""
        return await self.ask("CANCEL", run, body=reason or b"", id=id)

    async def complete(self, signal, value=b"", *, keep=None, id=None):
        """Completes a signal or approves a gate; returns VERDICT. Bytes are sent unchanged, other values as JSON.

        `keep` is how long the worker keeps the decision if nobody waits yet; 0 does not keep it. Without `keep`, the
        worker keeps it for a plain signal, but not for a gate: the verdict is then `unknown`, and `why` says what to do.
        """
        return await self.ask("COMPLETE", signal, {"keep_ms": milliseconds(keep)}, value, id=id)

    async def reject(self, signal, reason="", *, keep=None, id=None):
        """Rejects a gate; returns VERDICT. `keep` is as for `complete`."""
        return await self.ask("REJECT", signal, {"keep_ms": milliseconds(keep)}, reason or b"", id=id)

    async def withdraw(self, signal, *, id=None):
        """Takes back one's own early decision; returns OK with the state `withdrawn`, `nothing` or `decided`."""
        return await self.ask("WITHDRAW", signal, id=id)

    async def list(self, kind):
        """Returns all items of a kind: `runs`, `signals`, `early`, `monitors` or `pipelines`; reads page after page."""
        items, page = [], {"cursor": None}
        while "cursor" in page:
            page = await self.ask("LIST", kind, {"limit": 500, "cursor": page["cursor"]})
            items += page["items"]
        return items

    async def show(self, item):
        """Returns one item, such as `run/run-7`, `signal/…`, `monitor/…` or `pipeline/…`, or its history: `history/…`."""
        return (await self.ask("SHOW", item))["item"]

    async def ping(self, body=b""):
        """Returns PONG, which shows that the worker responds, and its state."""
        return await self.ask("PING", body=body)

    @contextlib.asynccontextmanager
    async def watch(self, pattern, credit=1_000):
        """Yields the events from now on: `async with client.watch("run.>") as events: async for event in events: …`

        Events may be lost: `lost` is the number missing before this event. A gap of unknown size counts as one: after a lost
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
            if self._is_connected:  # Without one there is no watch.
                with contextlib.suppress(zmq.ZMQError):
                    await self._socket.send_multipart(write_request("UNWATCH", id=id), zmq.NOBLOCK)

    async def ask(self, command, subject="", attributes=None, body=b"", *, id=None, on_news=None):
        """Sends any command except WATCH and returns the last answer; `on_news` gets the earlier answers."""
        call = Call(command, subject, {**(attributes or {}), "source": self._source}, body, id, self._patience)
        if call.frames[1] in self._inboxes:
            cause = f"A request with the id {call.id} already waits for its answer."
            raise BusError("bad_id", cause, "Await the first call, or use another id.", call.id)
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
                raise closed(call.id) from None
            raise
        finally:
            del self._inboxes[call.frames[1]]
            self._window.ended(call.frames[1])
            self._change.set()

    # The connection's work

    async def _next(self, call, inbox):
        """Does the next step of a call: sends it, receives one answer, or gives up."""
        now, end = time.monotonic(), call.ends(self._heard)
        if now >= end:
            raise call.failure()
        with contextlib.suppress(asyncio.TimeoutError):
            if call.due <= now < call.safe_until:
                if not call.is_with_worker:
                    async with asyncio.timeout(min(end, call.safe_until) - now):
                        await self._send(call.frames, call.is_counted)
                elif now - max(self._heard, self._pinged) > self._patience / 8:
                    self._pinged = now
                    async with asyncio.timeout(end - now):
                        await self._send(self._ping, False)
                return call.sent(time.monotonic())
            wake = call.due if now < call.due < end else end
            # Not `wait_for`, whose task may go on although it was cancelled (Python 3.11).
            async with asyncio.timeout(wake - now):
                answer = await inbox.get()
            return call.received(answer, time.monotonic())

    async def _send(self, frames, is_counted):
        """Waits for a connection, for room in the window if it counts there, and for room in the socket.

        The socket would queue for a worker that is away: here it can be given up. What is sent again and still has its
        place in the window does not wait for others, because its answer may be lost.
        """
        id = frames[1]
        async with self._turn if is_counted and id not in self._window else contextlib.nullcontext():
            while not self._is_connected or (is_counted and not self._window.admits(id)):
                if self._socket.closed:
                    raise closed(id.decode())
                if self._is_connected and not self._window.is_asked:
                    self._window.is_asked = True
                    await self._socket.send_multipart(self._window.hello)
                else:
                    self._change.clear()
                    await self._change.wait()
            if is_counted:
                self._window.sent(id)
            await self._socket.send_multipart(frames)

    async def _receive(self):
        while True:
            frames = await self._socket.recv_multipart()
            self._heard = time.monotonic()
            try:
                answer = read_answer(frames)
            except BusError as error:
                answer = error
            id = b"".join(frames[1:2])
            self._window.heard(id, answer)
            self._change.set()
            if id in self._inboxes:  # Otherwise its patience was over, or nobody waits for it.
                self._inboxes[id].put_nowait(answer)

    async def _observe(self):
        is_lost = False
        while True:
            event = (await recv_monitor_message(self._monitor))["event"]
            self._is_connected = event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            if not self._is_connected:
                self._window = Window()
            for inbox in self._inboxes.values() if is_lost and self._is_connected else ():
                inbox.put_nowait(None)
            is_lost = not self._is_connected
            self._change.set()

    async def _watch(self, id, pattern, credit):
        frames = write_request("WATCH", pattern, {"credit": credit, "source": self._source}, id=id)
        try:
            async with asyncio.timeout(self._patience):
                await self._send(frames, False)
        except asyncio.TimeoutError:
            raise unreachable(id) from None

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
