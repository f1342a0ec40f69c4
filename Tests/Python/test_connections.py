"""Whose connection it is: what one principal asked for never reaches another that comes under the same routing id."""

import asyncio
import contextlib
import json

import pytest
import zmq
import zmq.asyncio

from loops import asynchronous
from worker import Worker, keyed

pytestmark = pytest.mark.row(21)
CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string, required: true}}
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
monitors:
  m:
    topics: ["t.>"]
    minimum_gap: 1m
    actions: [{id: look, run: ["true"]}]
"""
ACCESS = """
principals:
  alice: {{keys: ["{alice}"], run: [deploy], notify: [">"], read: [">"], complete: [">"]}}
  eve: {{keys: ["{eve}"], notify: [unused]}}
"""
# Of this form are the ids that the worker's socket gives to connections itself: it cannot tell that this was chosen.
LIKE_ASSIGNED = b"\x00take"
CHOSEN = b"billing"


class Peer:
    """A DEALER under a routing id of its own choice."""

    opened = []

    def __init__(self, endpoint, identity=None, curve=None):
        self.opened.append(self)
        self.socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
        self.socket.linger = 0
        if identity:
            self.socket.routing_id = identity
        if curve:
            self.socket.curve_serverkey, self.socket.curve_publickey, self.socket.curve_secretkey = curve
        self.socket.connect(endpoint)

    async def send(self, command, id, subject="", attributes=None, body=b""):
        frames = [f"FORGE/1 {command}", id, subject, json.dumps(attributes) if attributes else ""]
        await self.socket.send_multipart([frame.encode() for frame in frames] + [body])

    async def answers(self, until):
        """What comes, as (word, id, attributes), up to the answer to the request `until`."""
        told = []
        while not told or told[-1][1] != until:
            word, id, _, attributes, _ = await self.socket.recv_multipart()
            told.append((word.decode().removeprefix("FORGE/1 "), id.decode(), json.loads(attributes)))
        return told

    async def ask_for_everything(self):
        """A run with progress, one that attaches, a watch and an evaluation; then a PING, which is answered last."""
        await self.send("RUN", "run", "deploy", {"progress": True}, b'{"name": "a"}')
        await self.send("WATCH", "watch", ">", {"credit": 100})
        await self.send("NOTIFY", "notify", "t.x", {"reply": "evaluated"})
        await self.send("PING", "ping")

    def close(self):
        self.socket.close()


@pytest.fixture(autouse=True)
def closed_peers():
    """Closes all peers, also of a test that failed: a context with an open socket keeps the process from ending."""
    yield
    while Peer.opened:
        Peer.opened.pop().close()


@contextlib.contextmanager
def serving(directory, is_keyed):
    """A worker, and what its clients need to connect: nothing, or their keys by name."""
    arguments, curves = keyed(directory, ACCESS, "alice", "eve") if is_keyed else ([], {"alice": None, "eve": None})
    worker = Worker(directory, CONFIGURATION, arguments=arguments)
    try:
        yield worker, curves
    finally:
        worker.process.kill()
        worker.process.wait()


@pytest.mark.parametrize("is_keyed", [False, True], ids=["local", "keyed"])
@asynchronous
async def test_chosen_routing_id_gets_an_error_and_nothing_else(directory, is_keyed):
    with serving(directory, is_keyed) as (worker, curves):
        alice = Peer(worker.endpoint, CHOSEN, curves["alice"])
        await alice.ask_for_everything()
        told = await alice.answers("ping")
        assert [(word, id, attributes["code"]) for word, id, attributes in told] == [
            ("ERROR", id, "chosen_routing_id") for id in ("run", "watch", "notify", "ping")
        ]
        await alice.send("ATTACH", "attach", "run-1")
        assert (await alice.answers("attach"))[-1][2]["retryable"] is False
        alice.close()
        # Nothing was begun, and whoever comes next under that id hears of nothing.
        friend = Peer(worker.endpoint, None, curves["alice"])
        await friend.send("LIST", "list", "runs")
        word, _, _ = (await friend.answers("list"))[0]
        assert word == "PAGE"
        friend.close()


@asynchronous
async def test_another_principal_under_the_same_id_hears_nothing(directory):
    with serving(directory, True) as (worker, curves):
        alice = Peer(worker.endpoint, LIKE_ASSIGNED, curves["alice"])
        await alice.ask_for_everything()
        told = await alice.answers("ping")
        run = next(attributes for word, id, attributes in told if word == "ACCEPTED" and id == "run")
        assert run["durability"] == "fsynced"
        friend = Peer(worker.endpoint, None, curves["alice"])
        name = await run_of(friend)
        await alice.send("ATTACH", "attach", name)
        await alice.send("PING", "attached")
        await alice.answers("attached")
        eve = await take_over(worker, alice, curves["eve"])
        # The run ends, the watch has something to tell, the monitor has run.
        await friend.send("COMPLETE", "yes", "deploy.a", {"keep_ms": 60_000})
        assert (await friend.answers("yes"))[-1][0] == "VERDICT"
        await friend.send("ATTACH", "attach", name)
        assert (await friend.answers("attach"))[-1][0] == "RESULT"
        await eve.send("PING", "last")
        assert [(word, id) for word, id, _ in await eve.answers("last")] == [("PONG", "last")]
        eve.close()
        friend.close()


async def run_of(peer):
    """The id of the one run there is."""
    await peer.send("LIST", "runs", "runs")
    while True:
        frames = await peer.socket.recv_multipart()
        if frames[1] == b"runs":
            return json.loads(frames[4])[0]["run"]


async def take_over(worker, peer, curve):
    """Ends a connection, and comes again under its routing id; libzmq drops who comes before the first one is gone.

    Until it has spoken, nobody can know that it is another: what it hears before the answer to its first request is a known
    weakness of the protocol, and not looked at.
    """
    identity = peer.socket.routing_id
    peer.close()
    while True:
        eve = Peer(worker.endpoint, identity, curve)
        await eve.send("PING", "hello")
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(eve.answers("hello"), 1)
            return eve
        eve.close()
