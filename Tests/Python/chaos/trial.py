"""One trial: load, kills, and what came of it."""

import asyncio
import dataclasses
import json
import random
import statistics

from chaos import bakery, records
from chaos.checker import violations_of_answers
from chaos.clients import Load
from chaos.executions import violations_of_executions
from chaos.facts import Facts
from chaos.history import History
from chaos.killer import Killer
from chaos.pair import Database, Pair, PairKiller
from chaos.relay import Relay
from chaos.settling import settle
from worker import Worker


@dataclasses.dataclass
class Outcome:
    """What came of a trial. Times are those from a start to the first answer of a worker that is ready, in ms."""

    row: str
    seed: int
    n: int
    violations: list[str]
    recoveries: list[float]
    kills: int

    def assert_nothing_is_lost(self, score):
        """Fails with what is not as it was promised."""
        score.take(self.n, len(self.violations), self.recoveries, self.seed)
        assert not self.violations, "\n".join([f"FORGE_SEED={self.seed}", *self.violations[:30]])

    def __str__(self):
        times = sorted(round(1000 * time, 1) for time in self.recoveries)
        cuts = statistics.quantiles(times, n=100, method="inclusive") if len(times) > 1 else times * 99
        measures = {"p50": cuts[49], "p99": cuts[98], "max": times[-1]} if times else {}
        row = {"row": self.row, "seed": self.seed, "kills": self.kills, "n": self.n, "violations": len(self.violations)}
        return json.dumps(row | measures)


def kill_under_load(directory, kills, seed, row="kill -9 under load", killer=Killer, store=None, environment=None):
    """Kills a worker under load so often, has everything finished, and checks what was promised."""
    bakery.furnish(directory)
    environment = {"HOME": str(directory / "starts" / "0"), **(environment or {})}
    worker = Worker(directory, bakery.CONFIGURATION, store=store, environment=environment)
    history = History(directory)
    killer = killer(worker, history, seed)
    try:
        asyncio.run(_kill_under_load(worker, history, killer, kills, seed))
        worker.stop()
    finally:
        worker.process.kill()
        worker.process.wait()
        history.close()
    return check(row, directory, history, killer, seed)


def fault_a_pair(directory, server, faults, seed, clocks_move=False, killer=PairKiller):
    """Has one of two processes of a worker fail so often, has everything finished, and checks what was promised."""
    bakery.furnish(directory)
    configuration = bakery.CONFIGURATION.replace("worker: {", "worker: {lease: 5s, ")
    relay = Relay(server, seed)
    clocks = random.Random(f"{seed} clocks") if clocks_move else None
    pair = Pair(directory, configuration, Database(server, f"bakery-{seed}", relay), clocks)
    history = History(directory)
    killer = killer(pair, history, seed)
    try:
        pair.begin()
        asyncio.run(_kill_under_load(pair, history, killer, faults, seed))
        pair.stop()
    finally:
        pair.end()
        relay.end()
        history.close()
    return check("a worker that outlived its lease", directory, history, killer, seed, clocks_go_back=clocks_move)


async def _kill_under_load(worker, history, killer, kills, seed):
    load = Load(worker.endpoint, history, seed)
    loading = asyncio.create_task(load.run())
    killing = asyncio.create_task(killer.run(kills))
    try:
        await asyncio.wait({loading, killing}, return_when=asyncio.FIRST_COMPLETED)
        load.is_over.set()
        await asyncio.gather(loading, killing)
        await settle(worker, history)
    finally:
        killing.cancel()
        loading.cancel()


def check(row, directory, history, killer, seed, clocks_go_back=False):
    """Compares what was said with what was done and with what is kept."""
    facts = Facts(history.lines())
    effects = list(bakery.effects(directory))
    left = records.ended(records.copy(killer.worker.store, directory / "left.sqlite"))
    found = [*violations_of_answers(facts, directory, left, clocks_go_back)]
    found += violations_of_executions(facts, effects, [*killer.snapshots, left])
    return Outcome(row, seed, facts.acknowledged, found, killer.recoveries, history.kills)
