"""A worker that dies at each step that lasts, under load: what it acknowledged by then is kept.

Needs a `forgebus` that was built with the trait Failpoints; `deploy/test --full` builds one.
"""

import asyncio
import functools
import os
import random
import signal

import pytest
import zmq

import test_events
from chaos import trial
from chaos.killer import Killer
from forgebus_client import Client
from loops import asynchronous, waiting_run
from peer import Peer
from worker import PATIENCE, Worker

GATED = """
pipelines:
  deploy:
    seeds: {name: {type: string}}
    outputs: [approve]
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
"""
SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
# At which hit of a point at most the worker dies: some are rare.
POINTS = {"before-commit": 100, "after-commit": 100, "before-reply": 300, "after-reply": 300, "in-checkpoint": 2}

pytestmark = [
    pytest.mark.row(2),
    pytest.mark.skipif(
        "FORGE_HAS_FAILPOINTS" not in os.environ,
        reason="this forgebus has no failpoints: `deploy/test --full` builds one that has",
    ),
]


class Trap(Killer):
    """Starts the worker so that it dies by itself, at one point."""

    def __init__(self, point, *arguments):
        super().__init__(*arguments)
        self.point = point

    async def run(self, kills):
        for _ in range(kills):
            await self.kill()
            self.worker.environment["FORGE_FAILPOINT"] = f"{self.point}:{self.chance.randint(1, POINTS[self.point])}"
            await self.start(waiting=False)
            assert await asyncio.to_thread(self.worker.process.wait, PATIENCE) == -signal.SIGKILL, self.worker.said()
            self.history.kills += 1
            await self.look()
            del self.worker.environment["FORGE_FAILPOINT"]
            await self.start()


@pytest.mark.parametrize("point", POINTS)
def test_a_worker_that_dies_there_has_lost_nothing(directory, score, point):
    outcome = trial.kill_under_load(
        directory, kills=2, seed=SEED, row=f"killed {point}", killer=functools.partial(Trap, point)
    )
    outcome.assert_nothing_is_lost(score)


@pytest.mark.parametrize("point", [point for point in POINTS if point != "in-checkpoint"])
def test_a_worker_that_dies_there_still_tells_of_each_parked_run(directory, score, point):
    chance = random.Random(SEED)
    worker = Worker(directory, test_events.CONFIGURATION)
    runs = []
    for death in range(3):
        worker.kill()
        worker.environment = {"FORGE_FAILPOINT": f"{point}:{chance.randint(1, 20)}"}
        worker.launch()
        peer = Peer(worker.endpoint)
        peer.socket.rcvtimeo = 100
        while worker.process.poll() is None:
            try:
                answer = peer.ask("RUN", "fails", {"reply": "accepted", "durability": "fsynced"})[-1]
            except zmq.Again:
                continue
            runs.append(answer[2])
        assert worker.process.returncode == -signal.SIGKILL, worker.said()
    worker.environment = {}
    worker.start()
    test_events.check(worker, runs, score, SEED)
    worker.stop()


@asynchronous
async def test_a_worker_that_dies_while_it_makes_its_store_makes_it_at_the_next_start(directory):
    worker = Worker(directory)
    worker.stop()
    for file in directory.glob("worker.sqlite*"):
        file.unlink()
    worker.environment = {"FORGE_FAILPOINT": "in-migration"}
    worker.launch()
    assert worker.process.wait(PATIENCE) == -signal.SIGKILL and not worker.store.exists()
    worker.environment = {}
    worker.start()
    async with Client(worker.endpoint) as client:
        assert (await client.run("greet", {"name": "Ada"}))["state"] == "completed"
    worker.stop()


@asynchronous
async def test_a_worker_that_dies_while_it_brings_its_store_to_the_next_version_has_the_old_one_or_the_new_one(directory):
    worker = Worker(directory, GATED)
    log = worker.store.with_name(worker.store.name + "-wal")

    def dies_at(point):
        worker.environment = {"FORGE_NEXT_VERSION": "1", "FORGE_FAILPOINT": point}
        worker.launch()
        assert worker.process.wait(PATIENCE) == -signal.SIGKILL, worker.said()

    async with Client(worker.endpoint) as client, waiting_run(client, "a", id="r-1"):
        worker.kill()
    for _ in range(2):
        dies_at("in-migration")
        assert log.stat().st_size > 8 << 20, "nothing of the next version was written before it died"
    # What knows only the old version has all of its own, and goes on with it.
    worker.environment = {}
    worker.start()
    async with Client(worker.endpoint) as client:
        assert (await client.complete("deploy.a", "yes", id="c-1"))["verdict"] == "delivered"
        worker.kill()
        dies_at("in-migration")
        dies_at("after-migration")
        # It is the next version now: what knows only the old one leaves it alone.
        worker.environment = {}
        worker.launch()
        assert worker.process.wait(PATIENCE) == 65 and "this program knows versions up to" in worker.said()
        worker.environment = {"FORGE_NEXT_VERSION": "1"}
        worker.start()
        result = await client.run("deploy", {"name": "a"}, id="r-1")
        assert (result["state"], result["outputs"]) == ("completed", {"approve": "yes"})
        assert (await client.complete("deploy.a", "yes", id="c-1"))["replayed"]
    worker.stop()
