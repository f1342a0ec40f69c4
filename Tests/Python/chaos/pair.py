"""Two processes of one worker, with its store in PostgreSQL: one holds the worker's name, the other waits for it."""

import asyncio
import os
import pathlib
import signal
import sys
import time

from chaos.killer import Killer
from peer import wall_clock
from worker import FORGEBUS, PATIENCE, Worker


class Database:
    """The records of one worker in a database, as the store of a worker that chaos looks at."""

    def __init__(self, server, name, relay):
        self.server, self.name, self.relay = server, name, relay

    def __str__(self):
        return self.relay.url

    def dump(self, place):
        """Writes the kind, the key and the value of each record there, in hexadecimal digits."""
        place.write_text(
            self.server.sql(
                "SELECT kind || ' ' || encode(key, 'hex') || ' ' || encode(value, 'hex') FROM forgebus.records"
                f" JOIN forgebus.workers ON workers.id = records.worker WHERE name = '{self.name}'"
            )
        )

    def epoch(self):
        return int(self.server.sql(f"SELECT epoch FROM forgebus.workers WHERE name = '{self.name}'"))

    def renewal(self):
        """The number of the lease's latest renewal, with its take-over."""
        leases = "forgebus.leases JOIN forgebus.workers ON workers.id = worker"
        return self.server.sql(f"SELECT leases.epoch, renewal FROM {leases} WHERE name = '{self.name}'")


class Pair:
    """Two processes, and an endpoint that leads to the one that holds the name, as an address of a network does."""

    def __init__(self, directory, configuration, database, clocks):
        self.directory, self.store = directory, database
        self.endpoint = f"ipc://{directory}/worker.ipc"
        self.environment = {}
        self.processes = []
        for name in ("one", "two"):
            (directory / name).mkdir()
            environment = {"XDG_STATE_HOME": str(directory / name)}
            self.processes.append(_Process(directory, name, configuration, database, environment, clocks))

    def begin(self):
        """Launches both; the first one holds the name."""
        for process in self.processes:
            process.launch()
            if process is self.processes[0]:
                process.says("] ready")
                self.activate(0)

    @property
    def worker(self):
        """The one that holds the name."""
        return self.processes[self.active]

    @property
    def process(self):
        return self.worker.process

    def said(self):
        return "\n".join(process.said() for process in self.processes)

    def await_heirs(self):
        """Its store is no file that a command could keep locked."""

    def await_standby(self):
        """Waits until the other one waits for the name."""
        self.other_says("waiting to take it over")

    def take_over(self):
        """Waits until the other one serves, which then is the one that holds the name."""
        self.other_says("] ready")
        self.activate(1 - self.active)

    def other_says(self, words):
        """Waits until the other one has said this; it is started again, as by a service manager, while the server is away."""
        other = self.processes[1 - self.active]
        deadline = time.monotonic() + PATIENCE / 2
        while words not in other.said():
            if other.process.poll() == 75:
                other.launch()
            assert other.process.poll() is None and time.monotonic() < deadline, other.said()
            time.sleep(0.02)

    def activate(self, number):
        self.active = number
        link = self.directory / "next"
        link.symlink_to(f"{self.processes[number].name}.ipc")
        os.replace(link, self.directory / "worker.ipc")

    def put_ahead(self):
        """Puts the clocks of all processes that are launched from now on ahead."""
        for process in self.processes:
            process.shifts = [3600]

    def stop(self):
        self.worker.stop()

    def end(self):
        for process in self.processes:
            if process.process is None:
                continue
            process.process.kill()
            process.process.wait(PATIENCE)


class _Process(Worker):
    """One process; both have one directory, so that commands of both write to the same files."""

    def __init__(self, directory, name, configuration, database, environment, clocks):
        self.process = None
        self.name, self.clocks, self.shifts = name, clocks, [0, -3600, 3600]
        super().__init__(directory, configuration, str(database), environment, ["--name", database.name])
        self.arguments[1] = f"ipc://{directory}/{name}.ipc"

    def start(self):
        """Its constructor launches nothing: the pair does."""

    def launch(self):
        """Where clocks move, its clock on the wall may be an hour ahead or behind; all other clocks stay as they are."""
        self.log = self.directory / self.name / "worker.log"
        if self.clocks and sys.platform == "linux":
            self.environment |= wall_clock(self.clocks.choice(self.shifts))
        super().launch()

    def says(self, words):
        deadline = time.monotonic() + PATIENCE / 2
        while words not in self.said():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.01)


class PairKiller(Killer):
    """Ends the one that holds the name in one of several ways, and waits until the other one has taken over.

    Meanwhile, connections to the database break around a COMMIT, and the database crashes.
    The number of take-overs before, which the commands write down as their epoch, is that of the kills.
    """

    async def run(self, kills):
        for _ in range(kills):
            self.worker.store.relay.cut(self.chance.choice([1, 2]))
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))
            await asyncio.to_thread(self.worker.await_standby)
            # Not the take-over: the process that made it would have to wait for its own lease.
            self.worker.store.relay.spare()
            fault = self.chance.choice([self.killed, self.killed, self.suspended, self.stopped, self.both_killed])
            self.history.kills += 1
            began = time.monotonic()
            await fault()
            await self.serves()
            self.recoveries.append(time.monotonic() - began)
            epoch = await asyncio.to_thread(self.worker.store.epoch)
            assert epoch == self.history.kills + 1, f"epoch {epoch} after {self.history.kills} faults"
            if self.chance.random() < 0.2:
                await self.crash_database()
        # What a process with a clock behind has to do later is due now.
        self.worker.put_ahead()
        for _ in range(2):
            await asyncio.to_thread(self.worker.await_standby)
            self.history.kills += 1
            await self.stopped()
            await self.serves()
        assert self.worker.store.relay.cuts > 0

    async def killed(self):
        ended = self.worker.worker
        ended.process.kill()
        await asyncio.to_thread(ended.process.wait)
        await self.look()
        await self.replace(ended)

    async def crash_database(self):
        """On a busy machine it may come back too late for the lease: then the one that holds the name ends by itself."""
        holder, store = self.worker.worker, self.worker.store
        await asyncio.to_thread(store.server.restart)
        renewal = await asyncio.to_thread(store.renewal)
        while holder.process.poll() is None and await asyncio.to_thread(store.renewal) == renewal:
            await asyncio.sleep(0.02)
        if holder.process.poll() is not None or await asyncio.to_thread(store.epoch) != self.history.kills + 1:
            self.history.kills += 1
            await self.stopped()
            await self.serves()

    async def stopped(self):
        ended = self.worker.worker
        ended.process.terminate()
        # What it says while it drains it says before the take-over. On a busy machine, it may have lost its lease before.
        assert await asyncio.to_thread(ended.process.wait, PATIENCE) in (0, 76), ended.said()
        # The other one may have begun to work by now.
        self.snapshots.append({})
        await self.replace(ended)

    async def suspended(self):
        """Past its lease: when it goes on, it must say nothing and end."""
        ended = self.worker.worker
        ended.process.send_signal(signal.SIGSTOP)
        await self.look()
        await self.replace(ended, isLaunched=False)
        ended.process.send_signal(signal.SIGCONT)
        assert await asyncio.to_thread(ended.process.wait, PATIENCE) == 76, ended.said()
        ended.launch()

    async def both_killed(self):
        for process in self.worker.processes:
            process.process.kill()
            await asyncio.to_thread(process.process.wait)
        await self.look()
        other = self.worker.processes[1 - self.worker.active]
        other.launch()
        await self.replace(self.worker.worker)

    async def replace(self, ended, isLaunched=True):
        await asyncio.to_thread(self.worker.take_over)
        if isLaunched:
            ended.launch()


class Upgrader(PairKiller):
    """Upgrades both processes, the one that waits first, and every other time goes back to the program before.

    FORGEBUS_BEFORE names the program of the release before; without it, both programs are the same.
    """

    programs = FORGEBUS, pathlib.Path(os.environ.get("FORGEBUS_BEFORE", FORGEBUS))

    async def run(self, upgrades):
        for number in range(upgrades):
            await asyncio.sleep(self.chance.uniform(0.1, 1.0))
            await asyncio.to_thread(self.worker.await_standby)
            waiting, working = self.worker.processes[1 - self.worker.active], self.worker.worker
            await asyncio.to_thread(waiting.stop)
            waiting.program = working.program = self.programs[number % 2]
            waiting.launch()
            await asyncio.to_thread(self.worker.await_standby)
            self.history.kills += 1
            await self.stopped()
            await self.serves()
        assert await asyncio.to_thread(self.worker.store.epoch) == upgrades + 1
