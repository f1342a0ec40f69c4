"""Kills a worker at moments of chance, and measures how long it takes until it answers again."""

import asyncio
import contextlib
import random
import time

import zmq
import zmq.asyncio

from chaos import records
from chaos.clients import FSYNCED
from chaos.connection import Connection
from forgebus_messages import read_answer, write_request
from worker import PATIENCE


class Killer:
    """One worker under load, which it ends as often as it is told."""

    def __init__(self, worker, history, seed):
        self.worker, self.history = worker, history
        self.chance = random.Random(f"{seed} killer")
        self.recoveries = []
        self.snapshots = []

    async def run(self, kills):
        """Kills the worker so often, most times while it serves and sometimes while it starts."""
        for number in range(1, kills + 1):
            is_early = self.chance.random() < 0.15
            await asyncio.sleep(self.chance.uniform(0, 0.15) if is_early else self.chance.uniform(0.1, 0.6))
            await self.kill()
            await self.start(waiting=number == kills or self.chance.random() >= 0.15)

    async def kill(self):
        """Ends it, and looks at what it had committed by then."""
        assert self.worker.process.poll() is None, f"it ended before it was killed:\n{self.worker.said()}"
        self.history.kills += 1
        await self.end()
        await self.look()

    async def end(self):
        """Ends the worker's process; sometimes it has begun to stop."""
        if self.chance.random() < 0.1:
            self.worker.process.terminate()
            await asyncio.sleep(self.chance.uniform(0, 0.05))
        self.worker.process.kill()
        await asyncio.to_thread(self.worker.process.wait)
        await asyncio.to_thread(self.worker.await_heirs)

    async def look(self):
        """Keeps what the store of the worker, which is no more, says of each run."""
        copy = records.copy(self.worker.store, self.worker.directory / "killed.sqlite")
        self.snapshots.append(await asyncio.to_thread(records.ended, copy))

    async def start(self, waiting=True):
        """Starts it again; waits until it serves, and keeps how long that took."""
        self.worker.environment["HOME"] = str(self.worker.directory / "starts" / str(self.history.kills))
        began = time.monotonic()
        self.worker.launch()
        if waiting:
            await self.serves()
            self.recoveries.append(time.monotonic() - began)

    async def serves(self):
        """Returns when the worker says, on a connection of its own, that it is ready."""
        socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
        socket.linger, socket.immediate, socket.reconnect_ivl = 0, True, 2
        socket.connect(self.worker.endpoint)
        try:
            while True:
                assert self.worker.process.poll() is None, f"it does not start:\n{self.worker.said()}"
                with contextlib.suppress(zmq.Again):
                    await socket.send_multipart(write_request("PING"), zmq.NOBLOCK)
                with contextlib.suppress(zmq.Again):
                    if await socket.poll(5) and read_answer(await socket.recv_multipart(zmq.NOBLOCK))["state"] == "ready":
                        return
        finally:
            socket.close()

    async def ask(self, command, subject, body, attributes=FSYNCED):
        """Asks for something itself; the last answer to it."""
        await self.serves()
        connection = Connection(self.worker.endpoint, self.history, "killer")
        try:
            id = f"{command}-{subject}-{self.history.kills}"
            return await asyncio.wait_for(connection.ask(command, subject, attributes, body, id=id), PATIENCE)
        except TimeoutError:
            raise AssertionError(f"{command} {subject} is not answered:\n{self.worker.said()}") from None
        finally:
            connection.close()
