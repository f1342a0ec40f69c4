"""Twenty clients of a bakery: each asks, and asks again, whatever becomes of the worker."""

import asyncio
import random

from chaos.bakery import PIPELINES
from chaos.connection import Connection

REQUESTERS, APPROVERS, NOTIFIERS = 10, 5, 3
FSYNCED = {"durability": "fsynced"}
KEPT = {**FSYNCED, "keep_ms": 86_400_000}


class Load:
    """All clients as one thing that runs until it is stopped."""

    def __init__(self, endpoint, history, seed):
        self.endpoint, self.history, self.seed = endpoint, history, seed
        self.is_over = asyncio.Event()
        self.approvers = [asyncio.Queue() for _ in range(APPROVERS)]
        self.cancellations = asyncio.Queue()
        self.accepted = []

    async def run(self):
        """Until `is_over`: what is under way then gets a little time, and is left to whoever settles it."""
        tasks = [self._client(f"requester-{number}", self._request) for number in range(REQUESTERS)]
        tasks += [self._client(f"approver-{number}", self._decide, number) for number in range(APPROVERS)]
        tasks += [self._client(f"notifier-{number}", self._notify) for number in range(NOTIFIERS)]
        tasks += [self._client("canceller", self._cancel), self._client("reader", self._read)]
        tasks = [asyncio.create_task(task) for task in tasks]
        over = asyncio.create_task(self.is_over.wait())
        await asyncio.wait({over, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        _, left = await asyncio.wait(tasks, timeout=1)
        for task in left:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome

    async def _client(self, name, behave, *arguments):
        connection = Connection(self.endpoint, self.history, name)
        chance = random.Random(f"{self.seed} {name}")
        number = 0
        try:
            while not self.is_over.is_set():
                number += 1
                await behave(connection, f"{name}-{number}", chance, *arguments)
        finally:
            connection.close()

    async def _request(self, connection, id, chance):
        pipeline = chance.choice(PIPELINES)
        attributes = {**FSYNCED, "progress": chance.random() < 0.5}
        if chance.random() < 0.1:
            attributes["deadline_ms"] = chance.choice([20, 200])
        if pipeline == "gated":
            for approver in chance.sample(self.approvers, 2):
                approver.put_nowait(f"taste.{id}")
        is_cancelled = chance.random() < 0.1

        def on_news(answer):
            nonlocal is_cancelled
            if answer["answer"] == "ACCEPTED":
                self.accepted.append(answer["run"])
                if is_cancelled:
                    self.cancellations.put_nowait(answer["run"])
                    is_cancelled = False
            return answer.get("state") == "parked"

        if chance.random() < 0.05:
            return await connection.send("RUN", pipeline, attributes, {"name": id}, id)
        answer = await connection.ask("RUN", pipeline, attributes, {"name": id}, id=id, on_news=on_news)
        # That it is parked is told once.
        if answer.get("state") != "parked" and chance.random() < 0.2:
            await connection.ask("RUN", pipeline, attributes, {"name": id}, id=id, on_news=on_news)

    async def _decide(self, connection, id, chance, number):
        signal = await self.approvers[number].get()
        # Sometimes before anybody waits, sometimes at once, sometimes across a kill; mostly kept for who waits later.
        await asyncio.sleep(chance.choice([0, 0, 0.02, 0.1, 0.5]))
        verb, body = chance.choice([("COMPLETE", {"by": id}), ("COMPLETE", {"by": id}), ("REJECT", f"by {id}")])
        attributes = chance.choice([KEPT, KEPT, KEPT, FSYNCED])
        for _ in range(chance.choice([1, 1, 2])):
            await connection.ask(verb, signal, attributes, body, id=id)

    async def _cancel(self, connection, id, chance):
        run = await self.cancellations.get()
        await asyncio.sleep(chance.choice([0, 0.01, 0.03]))
        for _ in range(chance.choice([1, 2])):
            await connection.ask("CANCEL", run, FSYNCED, "nobody is hungry", id=id)

    async def _notify(self, connection, id, chance):
        await connection.ask("NOTIFY", f"stock.{id}", FSYNCED, {"number": id}, id=id)
        await asyncio.sleep(chance.choice([0.005, 0.02]))

    async def _read(self, connection, id, chance):
        await asyncio.sleep(0.02)
        if self.accepted:
            await connection.ask("ATTACH", chance.choice(self.accepted), {"wait_ms": 0}, id=id)
