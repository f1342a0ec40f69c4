"""What a worker acknowledged survives a power loss, on a file system that forgets what was not made sure of."""

import asyncio
import os
import random
import subprocess
import sys
import time

import pytest

from chaos import trial
from chaos.killer import Killer
from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous
from worker import PATIENCE, ROOT, Worker

CUTS = 40 if os.environ.get("FORGE_FULL") == "1" else 8
SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
GREET = """
pipelines:
  greet:
    seeds: {name: {type: string}}
    actions:
      - {id: compose, run: ["true"]}
"""


def missing():
    """Why there can be no such file system here; nothing if there can."""
    if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
        return "a file system needs root and /dev/fuse"
    try:
        import fuse  # noqa: F401
    except (ImportError, OSError) as error:
        return f"a file system needs libfuse.so.2, as the package libfuse2 has it, and fusepy: {error}"
    return None


pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


class Disk:
    """A mounted file system that forgets."""

    def __init__(self, place):
        self.place = place
        place.mkdir()
        self.process = subprocess.Popen([sys.executable, ROOT / "Tests" / "Python" / "forgetful.py", place])
        while not os.path.ismount(place):
            assert self.process.poll() is None, "the file system is not mounted"
            time.sleep(0.01)

    def fail(self, what):
        os.setxattr(self.place, "user.failing", what.encode())

    def unmount(self):
        subprocess.run(["umount", self.place], check=True)
        self.process.wait(PATIENCE)


def cut(place, seed=0):
    """The power fails; from seed 1 on some writes have reached the disk by chance."""
    os.setxattr(place, "user.cut", str(seed).encode())


@pytest.fixture
def disk(directory):
    disk = Disk(directory / "disk")
    try:
        yield disk
    finally:
        disk.unmount()


class PowerCut(Killer):
    """Every second time exactly what was made sure of is left, every other time something more."""

    async def end(self):
        await super().end()
        cut(self.worker.store.parent, self.history.kills if self.history.kills % 2 else 0)


class CleanCut(Killer):
    """Exactly what was made sure of is left; at least one run was acknowledged since the cut before."""

    async def kill(self):
        await self.ask("RUN", "plain", {"name": "lost"})
        await super().kill()

    async def end(self):
        await super().end()
        cut(self.worker.store.parent)


@pytest.mark.row(3)
def test_power_cuts_lose_nothing_that_was_acknowledged(directory, disk, score):
    store = disk.place / "worker.sqlite"
    outcome = trial.kill_under_load(directory, CUTS, SEED, row="power loss", killer=PowerCut, store=store)
    outcome.assert_nothing_is_lost(score)
    assert outcome.n > 10 * CUTS


@pytest.mark.skipif("FORGE_HAS_FAILPOINTS" not in os.environ, reason="only a build with failpoints can be so careless")
def test_a_worker_that_does_not_make_sure_loses_what_it_acknowledged(directory, disk, monkeypatch):
    monkeypatch.setattr("chaos.settling.PATIENCE", 3)
    store, careless = disk.place / "worker.sqlite", {"FORGE_SYNCHRONOUS": "NORMAL"}
    outcome = trial.kill_under_load(directory, 4, SEED, killer=CleanCut, store=store, environment=careless)
    assert "began several runs" in "\n".join(outcome.violations)


@pytest.mark.row(5)
@asynchronous
async def test_a_commit_that_cannot_be_made_sure_of_is_not_acknowledged_and_ends_the_worker(directory, disk):
    worker = Worker(directory, GREET, store=disk.place / "worker.sqlite")
    async with Client(worker.endpoint, patience=8) as client:
        before = await client.run("greet", {"name": "Ada"}, id="r-1")
        disk.fail("fsync")
        with pytest.raises(BusError) as silence:
            told = []
            await client.run("greet", {"name": "Bob"}, id="r-2", on_progress=told.append)
        assert silence.value.code == "timeout" and told == []
        assert await asyncio.to_thread(worker.process.wait, PATIENCE) == 74
        assert "the worker can no longer use its store, and stops" in worker.said()
    disk.fail("")
    cut(disk.place)
    worker.start()
    # Another one: the first, which has been without its worker for a while, takes its time to look for it again.
    async with Client(worker.endpoint) as client:
        assert await client.run("greet", {"name": "Ada"}, id="r-1") == {**before, "replayed": True}
        assert (await client.run("greet", {"name": "Bob"}, id="r-2"))["state"] == "completed"
    worker.stop()
