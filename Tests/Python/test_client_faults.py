"""The Python client where things go wrong, against a worker that says what the test has it say."""

import asyncio
import contextlib
import time

import pytest
import zmq
import zmq.asyncio
import zmq.auth
from zmq.auth.asyncio import AsyncioAuthenticator

from forgebus_calls import Window
from forgebus_client import Client
from forgebus_messages import BusError, write_json
from loops import asynchronous

TAKEN = {"durability": "memory", "retention_ms": 60_000}


class ScriptedWorker:
    """A ROUTER whose answers are the test's; while it waits for a request, it answers each PING by itself."""

    def __init__(self, endpoint, curve=None):
        self.endpoint, self.curve, self.pings = endpoint, curve, asyncio.Queue()

    def __enter__(self):
        self.socket = zmq.asyncio.Context.instance().socket(zmq.ROUTER)
        self.socket.linger = 0
        if self.curve:
            self.socket.curve_server, (_, self.socket.curve_secretkey) = True, self.curve
        self.socket.bind(self.endpoint)
        return self

    def __exit__(self, *_):
        self.socket.close()

    async def receive(self):
        """The next request that is no PING: who sent it, and its frames."""
        while True:
            peer, *frames = await self.socket.recv_multipart()
            if frames[0] != b"FORGE/1 PING":
                return peer, frames
            self.pings.put_nowait(frames)
            await self.answer(peer, frames, "PONG", {"worker": "scripted", "protocol": 1, "state": "ready"})

    async def answer(self, peer, frames, word, attributes, subject="", body=b""):
        frames = [f"FORGE/1 {word}".encode(), frames[1], subject.encode(), write_json(attributes), body]
        await self.socket.send_multipart([peer, *frames])

    async def refuse(self, peer, frames, code, **more):
        attributes = {"code": code, "message": f"It is {code}.", "next": "Look.", "retryable": True, **more}
        await self.answer(peer, frames, "ERROR", attributes)

    async def finish(self, peer, frames, **more):
        await self.answer(peer, frames, "RESULT", {"state": "completed", **more}, "run-1", b'{"actions":[]}')


@pytest.fixture
def endpoint(directory):
    return f"ipc://{directory}/worker.ipc"


@contextlib.asynccontextmanager
async def beginning(awaitable):
    """A task that does not outlive its block."""
    task = asyncio.ensure_future(awaitable)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.row(8)
@asynchronous
async def test_after_a_silence_the_same_bytes_are_sent_again(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client, beginning(client.run("feed", {"user": "ada"})) as run:
            _, first = await worker.receive()
            peer, again = await worker.receive()
            assert again == first
            await worker.answer(peer, again, "ACCEPTED", TAKEN, "run-1")
            await worker.finish(peer, again)
            assert (await run)["state"] == "completed"


@pytest.mark.row(8)
@asynchronous
async def test_a_run_that_was_taken_is_asked_for_again_and_nothing_is_told_twice(endpoint):
    told = []
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client, beginning(client.run("feed", on_progress=told.append)) as run:
            peer, frames = await worker.receive()
            started = {"sequence": 1, "state": "started", "action": "a"}
            for attributes in (TAKEN, {**TAKEN, "replayed": True}):
                await worker.answer(peer, frames, "ACCEPTED", attributes, "run-1")
                await worker.answer(peer, frames, "PROGRESS", started, "run-1")
                assert (await worker.receive())[1] == frames
            await worker.finish(peer, frames)
            await run
    assert [answer["answer"] for answer in told] == ["ACCEPTED", "PROGRESS"]


@asynchronous
async def test_a_busy_worker_is_asked_again_when_it_said(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client, beginning(client.complete("deploy.42", "yes")) as decision:
            peer, first = await worker.receive()
            await worker.refuse(peer, first, "busy", limit="early", retry_after_ms=200)
            refused = time.monotonic()
            peer, again = await worker.receive()
            assert again == first and time.monotonic() - refused >= 0.2
            await worker.refuse(peer, again, "busy")
            peer, again = await worker.receive()
            assert again == first
            await worker.answer(peer, again, "VERDICT", {"verdict": "delivered", **TAKEN}, "deploy.42")
            assert (await decision)["verdict"] == "delivered"


@asynchronous
async def test_a_worker_that_stays_busy_is_what_the_error_says(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint, patience=6) as client, beginning(client.run("feed")) as run:
            peer, frames = await worker.receive()
            await worker.refuse(peer, frames, "busy", limit="queued", retry_after_ms=60_000)
            with pytest.raises(BusError) as refused:
                await run
    error = refused.value
    assert (error.code, error.retryable, error.retry_after, error.details) == ("busy", True, 60, {"limit": "queued"})


@asynchronous
async def test_what_sending_again_cannot_help_ends_at_once(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client, beginning(client.run("feed")) as run:
            # `retryable` is what the catalogue says, for a code that is unknown: no.
            await worker.refuse(*await worker.receive(), "x-shut")
            with pytest.raises(BusError) as refused:
                await run
    assert (refused.value.code, refused.value.retryable, refused.value.cause) == ("x-shut", False, "It is x-shut.")


@pytest.mark.row(9)
@asynchronous
async def test_a_lost_connection_has_everything_sent_again_and_pings_show_that_a_worker_lives(endpoint):
    async with Client(endpoint, patience=10) as client, beginning(client.notify("stock", wait=True)) as notified:
        with ScriptedWorker(endpoint) as worker:
            peer, first = await worker.receive()
            await worker.answer(peer, first, "ACCEPTED", {"durability": "memory", "monitors": 1})
            async with beginning(worker.receive()) as more:
                # What was taken would cause another cycle if it was sent again: only its worker's life is asked for.
                began = time.monotonic()
                while time.monotonic() - began < 11:
                    await worker.pings.get()
                assert not more.done()
        with ScriptedWorker(endpoint) as worker:
            peer, again = await worker.receive()
            assert again == first
            await worker.answer(peer, again, "ACCEPTED", {"durability": "memory", "monitors": 1})
            await worker.answer(peer, again, "EVALUATED", {}, body=b"[]")
            assert (await notified)["monitors"] == []


@asynchronous
async def test_whoever_attached_waits_longer_than_its_patience_as_long_as_the_worker_lives(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint, patience=10) as client, beginning(client.attach("run-1")) as attached:
            peer, frames = await worker.receive()
            async with beginning(worker.receive()) as more:
                began = time.monotonic()
                while time.monotonic() - began < 11:
                    await worker.pings.get()
                assert not more.done(), "sent again it would tell nothing"
            await worker.finish(peer, frames)
            assert (await attached)["state"] == "completed"


@asynchronous
async def test_a_watch_begins_when_the_worker_has_read_it_and_ends_with_its_block(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client:
            watch = client.watch("run.>")
            async with beginning(watch.__aenter__()) as entering:
                _, asked = await worker.receive()
                assert asked[0] == b"FORGE/1 WATCH" and not entering.done()
                async with beginning(worker.receive()) as ended:
                    await entering
                    await watch.__aexit__(None, None, None)
                    _, frames = await ended
                    assert frames == [b"FORGE/1 UNWATCH", asked[1], b"", b"", b""]


@pytest.mark.row(8)
@asynchronous
async def test_a_timeout_says_that_the_outcome_is_unknown(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint, patience=6) as client:
            with pytest.raises(BusError) as silence:
                await client.run("feed", id="r-1")
            error = silence.value
            assert (error.code, error.retryable, error.id) == ("timeout", True, "r-1")
            assert "the outcome of r-1 is unknown" in error.cause and "same id" in error.next
            # One that was taken, by a worker that then falls silent.
            async with beginning(client.notify("stock", wait=True)) as notified:
                peer, frames = await worker.receive()
                while frames[0] != b"FORGE/1 NOTIFY":
                    peer, frames = await worker.receive()
                await worker.answer(peer, frames, "ACCEPTED", {"durability": "memory", "monitors": 1})
                with pytest.raises(BusError) as silence:
                    await notified
            assert silence.value.code == "timeout"


@asynchronous
async def test_what_was_never_sent_is_unreachable(endpoint):
    async with Client(endpoint, patience=0.05) as client:
        for request in (client.run("feed"), client.watch("run.>").__aenter__()):
            with pytest.raises(BusError) as nobody:
                await request
            assert (nobody.value.code, nobody.value.retryable) == ("unreachable", True)


@asynchronous
async def test_a_client_that_is_closed_says_so_to_whoever_waits(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client:
            sent = asyncio.create_task(client.run("feed", id="r-1"))
            await worker.receive()
    async with Client(endpoint) as client:
        unsent = asyncio.create_task(client.run("feed", id="r-2"))
        await asyncio.wait({unsent}, timeout=0)
    for task in (sent, unsent):
        with pytest.raises(BusError) as closed:
            await task
        assert closed.value.code == "closed" and "unknown" in closed.value.cause


@asynchronous
async def test_an_answer_that_cannot_be_understood_ends_its_request_alone(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint) as client, beginning(client.run("feed", id="r-1")) as one:
            peer, frames = await worker.receive()
            async with beginning(client.run("feed", id="r-2")) as other:
                await worker.socket.send_multipart([peer, b"hello"])
                await worker.answer(peer, frames, "VERDICT", {"verdict": "perhaps", **TAKEN}, "s")
                with pytest.raises(BusError) as misunderstood:
                    await one
                assert (misunderstood.value.code, misunderstood.value.id) == ("bad_answer", "r-1")
                while frames[1] != b"r-2":
                    peer, frames = await worker.receive()
                await worker.finish(peer, frames)
                assert (await other)["state"] == "completed"


@contextlib.asynccontextmanager
async def notifying(client, count):
    """Notifications of the topics t.0, t.1 and so on, begun in this order."""
    tasks = [asyncio.create_task(client.notify(f"t.{number}", id=f"r-{number}")) for number in range(count)]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def tell_number(worker, peer, frames, number):
    who = {"worker": "scripted", "state": "ready", "versions": [1], "limits": {"outstanding": number} if number else {}}
    await worker.answer(peer, frames, "WELCOME", {**who, **TAKEN})


async def new_request(worker, seen):
    """The next request that is not among those seen, whose ids become more by it."""
    while True:
        peer, frames = await worker.receive()
        if frames[1] not in seen:
            seen.append(frames[1])
            return peer, frames


@asynchronous
async def test_no_more_requests_are_on_their_way_than_the_worker_says(endpoint):
    assumed, total, taken = Window.ASSUMED - Window.RESERVE, 600, {"durability": "memory", "monitors": 1}
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint, patience=1000) as client, notifying(client, total) as tasks:
            seen = []
            waiting = [await new_request(worker, seen) for _ in range(assumed)]
            peer, frames = await new_request(worker, seen)
            assert frames[0] == b"FORGE/1 HELLO", "only who would go beyond what is assumed asks"
            await tell_number(worker, peer, frames, 300)
            while len(seen) < total + 1:
                if len(waiting) == 300 - Window.RESERVE:
                    await worker.answer(*waiting.pop(0), "ACCEPTED", taken)
                waiting.append(await new_request(worker, seen))
            for request in waiting:
                await worker.answer(*request, "ACCEPTED", taken)
            await asyncio.gather(*tasks)
    assert [id.decode() for id in seen if id != frames[1]] == [f"r-{number}" for number in range(total)]


@asynchronous
async def test_a_worker_without_such_a_number_gets_all_at_once(endpoint):
    with ScriptedWorker(endpoint) as worker:
        async with Client(endpoint, patience=1000) as client, notifying(client, 600):
            seen = []
            while len(seen) < 601:
                peer, frames = await new_request(worker, seen)
                if frames[0] == b"FORGE/1 HELLO":
                    await tell_number(worker, peer, frames, None)


@asynchronous
async def test_a_new_connection_has_a_window_of_its_own(endpoint):
    async with Client(endpoint, patience=1000) as client, notifying(client, 600):
        for _ in range(2):
            with ScriptedWorker(endpoint) as worker:
                while (await worker.receive())[1][0] != b"FORGE/1 HELLO":
                    pass


@asynchronous
async def test_an_id_that_waits_already_is_not_sent_twice(endpoint):
    async with Client(endpoint) as client, beginning(client.run("feed", id="r-1")) as first:
        await asyncio.wait({first}, timeout=0)
        with pytest.raises(BusError) as twice:
            await client.run("feed", id="r-1")
    assert twice.value.code == "bad_id"


@asynchronous
async def test_with_keys_only_the_worker_that_has_its_own_is_spoken_to(endpoint):
    server, client_keys = zmq.curve_keypair(), zmq.curve_keypair()
    authenticator = AsyncioAuthenticator(zmq.asyncio.Context.instance())
    authenticator.start()
    authenticator.configure_curve(domain="*", location=zmq.auth.CURVE_ALLOW_ANY)
    public, own = server[0].decode(), [key.decode() for key in client_keys]
    try:
        with ScriptedWorker("tcp://127.0.0.1:*", curve=server) as worker:
            endpoint = worker.socket.last_endpoint.decode()
            async with beginning(worker.receive()):
                async with Client(endpoint, curve=(public, *own)) as client:
                    assert (await client.ping())["worker"] == "scripted"
                async with Client(endpoint, curve=(own[0], *own), patience=0.5) as client:
                    with pytest.raises(BusError) as stranger:
                        await client.ping()
                assert stranger.value.code == "unreachable"
    finally:
        authenticator.stop()
