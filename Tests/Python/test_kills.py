"""What a worker acknowledged survives its end, whenever that comes: kills under load, and what the checker finds."""

import asyncio
import os
import random
import resource
import signal

import pytest

from chaos import bakery, records, settling, trial
from chaos.clients import KEPT
from chaos.killer import Killer

SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))


class Stopper(Killer):
    """Has the worker stop, as a service manager does."""

    async def end(self):
        await self.serves()
        await asyncio.to_thread(self.worker.stop)


class Aborter(Killer):
    """Has the worker end as an assertion of a library does."""

    async def end(self):
        self.worker.process.send_signal(signal.SIGABRT)
        assert await asyncio.to_thread(self.worker.process.wait) == -signal.SIGABRT
        await asyncio.to_thread(self.worker.await_heirs)


class Forger(Killer):
    """A killer that puts an older store in the place of the worker's, as a disk would that lies."""

    async def kill(self):
        store, older = self.worker.store, self.worker.directory / "older.sqlite"
        # What the load gets done between two kills is a matter of the machine: what is lost here is certain to be there.
        if self.history.kills == 3:
            lost = await self.ask("RUN", "plain", {"name": "lost"})
            await self.ask("CANCEL", lost["run"], "nobody is hungry")
            await self.ask("COMPLETE", "taste.nobody", {"by": "the first"}, KEPT)
        if self.history.kills == 4:
            await self.ask("COMPLETE", "taste.nobody", {"by": "the second"}, KEPT)
        await super().kill()
        if self.history.kills == 2:
            records.copy(store, older)
        if self.history.kills == 4:
            store.with_name(store.name + ".lock").unlink()
            records.copy(older, store)


@pytest.mark.row(1)
def test_twenty_kills_lose_nothing_that_was_acknowledged(directory, score):
    outcome = trial.kill_under_load(directory, kills=20, seed=SEED)
    outcome.assert_nothing_is_lost(score)
    assert outcome.n > 200


@pytest.mark.row(20)
def test_ten_stops_under_load_lose_nothing_and_execute_nothing_twice(directory, score):
    outcome = trial.kill_under_load(directory, kills=10, seed=SEED, row="SIGTERM under load", killer=Stopper)
    outcome.assert_nothing_is_lost(score)
    # In the last life, what had parked is redriven.
    effects = [effect for effect in bakery.effects(directory) if effect.start < 10]
    done = [(effect.run, effect.action, effect.attempt) for effect in effects]
    assert len(done) == len(set(done)) > 100


@pytest.mark.row(1)
def test_ten_aborts_lose_nothing_that_was_acknowledged(directory, score):
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    try:
        quiet = {"SWIFT_BACKTRACE": "enable=no"}
        row = "SIGABRT under load"
        outcome = trial.kill_under_load(directory, kills=10, seed=SEED, row=row, killer=Aborter, environment=quiet)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
    outcome.assert_nothing_is_lost(score)
    assert outcome.n > 100


def test_a_store_that_lost_what_was_acknowledged_is_found_out(directory, monkeypatch):
    monkeypatch.setattr(settling, "PATIENCE", 3)
    outcome = trial.kill_under_load(directory, kills=6, seed=SEED, killer=Forger)
    found = "\n".join(outcome.violations)
    assert "RUN-plain-3 began several runs" in found and "unknown_run" in found
    assert "several answers" in found
