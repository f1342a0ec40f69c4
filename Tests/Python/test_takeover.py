"""A worker whose name a process on another machine takes over, with the store in PostgreSQL."""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import time

import pytest
import zmq
import zmq.asyncio

from chaos import trial
from chaos.pair import Upgrader
from forgebus_client import Client
from forgebus_messages import read_answer, write_request
from loops import asynchronous, waiting_run
from postgres import Postgres
from receiver import Receiver
from worker import FORGEBUS, PATIENCE, Worker

SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
FAULTS, UPGRADES = (250, 20) if os.environ.get("FORGE_FULL") == "1" else (5, 2)
CONFIGURATION = """
worker: {name: deploys, lease: 6s}
monitors:
  shelf: {topics: [stock.>], actions: [{id: look, run: ["true"]}]}
pipelines:
  linger:
    actions:
      - {id: wait, run: [sh, -c, "echo $$ > lingers.new; mv lingers.new lingers; trap '' TERM; sleep 600 & wait; wait"]}
  deploy:
    seeds: {name: {type: string}}
    outputs: [approve]
    actions:
      - {id: build, run: [sh, -c, "echo $FORGE_EPOCH $FORGE_TOKEN >> done"]}
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
      - {id: roll-out, run: [sh, -c, "echo $FORGE_EPOCH $FORGE_TOKEN >> done"]}
"""

pytestmark = pytest.mark.row(19)


@pytest.fixture(scope="module")
def server():
    with Postgres() as server:
        yield server


class Process(Worker):
    """A process of the worker; it is launched, and need not be ready."""

    def start(self):
        self.launch()

    def says(self, words):
        """Waits until it has said this."""
        deadline = time.monotonic() + PATIENCE / 2
        while words not in self.said():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.02)

    def waits(self):
        """Waits until it has seen that another process holds the name."""
        self.says("waiting to take it over")

    def serves(self):
        self.says("] ready")


@pytest.fixture
def processes(directory, server):
    """Two processes, as on two machines: the first serves, the second waits."""
    both = []
    try:
        for name in ("one", "two"):
            place = directory / name
            place.mkdir()
            configuration = CONFIGURATION.replace("name: deploys", f"name: {server_name(directory)}")
            both.append(Process(place, configuration, server.url, {"XDG_STATE_HOME": str(place)}))
            both[-1].waits() if len(both) > 1 else both[-1].serves()
        yield both
    finally:
        for process in both:
            process.process.send_signal(signal.SIGCONT)
            process.process.kill()
            process.process.wait(PATIENCE)


def server_name(directory):
    """A name of the test's own in the database."""
    return "w" + re.sub(r"\W", "-", directory.name)[-20:]


def done(process):
    path = process.directory / "done"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


@asynchronous
async def test_a_run_goes_on_at_its_gate_when_its_machine_is_lost(processes):
    first, second = processes
    async with Client(first.endpoint) as client, waiting_run(client, "a", id="r-1") as (_, told):
        run = told[0]["run"]
        assert run.endswith("-1-1")
        first.process.kill()
        await asyncio.to_thread(second.serves)
    async with Client(second.endpoint) as client:
        assert (await client.complete("deploy.a", {"by": "ada"}))["verdict"] == "delivered"
        # The same request, sent again to the process that holds the name now.
        result = await client.run("deploy", {"name": "a"}, id="r-1")
        assert (result["run"], result["state"], result["outputs"]) == (run, "completed", {"approve": {"by": "ada"}})
        assert (await client.run("deploy", {"name": "b"}, id="r-2", deadline=0.2))["run"].endswith("-2-1")
    assert done(first) == [["1", f"{run}/build"]]
    assert done(second)[0] == ["2", f"{run}/roll-out"]


@asynchronous
async def test_a_process_that_is_stopped_hands_the_name_over_and_one_that_waits_can_be_stopped(processes, server):
    first, second = processes
    async with Client(first.endpoint) as client:
        await client.notify("stock.a")
    await asyncio.to_thread(first.stop)
    # Nobody holds the name: the second has taken it, or is about to.
    name = server_name(first.directory.parent)
    assert server.sql(f"SELECT count(*) FROM forgebus.workers WHERE name = '{name}' AND epoch < 3") == "1"
    await asyncio.to_thread(second.serves)
    first.launch()
    await asyncio.to_thread(first.waits)
    await asyncio.to_thread(first.stop)


@asynchronous
async def test_a_process_that_was_suspended_says_nothing_after_it_wakes(processes):
    first, second = processes
    async with Client(first.endpoint) as client, waiting_run(client, "a", id="r-1"):
        pass
    socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(first.endpoint)
    try:
        await socket.send_multipart(write_request("PING"))
        assert read_answer(await socket.recv_multipart())["state"] == "ready"
        first.process.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(second.serves)
        # These wait for it when it wakes; the gate has moved to the other process.
        for request in [
            write_request("NOTIFY", "stock.a"),
            write_request("COMPLETE", "deploy.a", body={"by": "mallory"}),
            write_request("SHOW", "signal/deploy.a"),
            write_request("SHOW", "run/nobody"),
            write_request("RUN", "deploy", body={"name": "a"}, id="r-1"),
            write_request("PING"),
        ]:
            await socket.send_multipart(request)
        first.process.send_signal(signal.SIGCONT)
        assert await asyncio.to_thread(first.process.wait, PATIENCE) == 76, first.said()
        assert await socket.poll(500) == 0, await socket.recv_multipart()
    finally:
        socket.close()
    async with Client(second.endpoint) as client:
        assert (await client.complete("deploy.a", {"by": "ada"}))["verdict"] == "delivered"
        assert (await client.run("deploy", {"name": "a"}, id="r-1"))["outputs"] == {"approve": {"by": "ada"}}


@pytest.mark.parametrize("clocks_move", [False, True])
def test_faults_of_two_processes_lose_nothing_and_change_no_decision(directory, score, clocks_move):
    # With a server of its own: it crashes.
    with Postgres() as server:
        outcome = trial.fault_a_pair(directory, server, FAULTS, SEED + clocks_move, clocks_move)
    outcome.assert_nothing_is_lost(score)


def test_upgrades_of_two_processes_and_the_way_back_lose_nothing(directory, server, score):
    outcome = trial.fault_a_pair(directory, server, UPGRADES, SEED, killer=Upgrader)
    outcome.assert_nothing_is_lost(score)


@asynchronous
async def test_a_worker_outlives_a_crash_of_its_server(directory):
    with Postgres() as server:
        configuration = CONFIGURATION.replace("lease: 6s", "lease: 5m")
        worker = Process(directory, configuration, server.url, {"XDG_STATE_HOME": str(directory)})
        worker.serves()
        try:
            async with Client(worker.endpoint, patience=PATIENCE) as client, waiting_run(client, "a", id="r-1") as (run, _):
                server.stop()
                approval = asyncio.create_task(client.complete("deploy.a", {"by": "ada"}))
                await asyncio.to_thread(worker.says, "the database cannot be used")
                await asyncio.to_thread(server.start)
                assert (await approval)["verdict"] == "delivered"
                assert (await run)["state"] == "completed"
            worker.stop()
        finally:
            worker.kill()


def test_a_worker_that_cannot_reach_its_server_says_so(directory):
    url = f"postgres://postgres@/forge?host={directory}"
    worker = Process(directory, CONFIGURATION, url, {"XDG_STATE_HOME": str(directory)})
    assert worker.process.wait(PATIENCE) == 75
    assert "PostgreSQL server cannot be used" in worker.said()


@asynchronous
async def test_a_command_ends_with_the_lease_of_its_suspended_worker(processes):
    first, second = processes
    async with Client(first.endpoint) as client:
        run = asyncio.create_task(client.run("linger", id="r-1"))
        mark = first.directory / "lingers"
        while not mark.exists():
            await asyncio.sleep(0.02)
        command = int(mark.read_text())
        first.process.send_signal(signal.SIGSTOP)
        # The other process takes over no earlier than two margins later, so the command has ended by then.
        await asyncio.to_thread(second.serves)
        assert not is_alive(command)
        run.cancel()


@asynchronous
async def test_epochs_can_be_skipped_after_a_restore(directory, server):
    name = server_name(directory)
    configuration = CONFIGURATION.replace("name: deploys", f"name: {name}")
    worker = Process(directory, configuration, server.url, {"XDG_STATE_HOME": str(directory)})
    try:
        for epoch in 1, 1002:
            await asyncio.to_thread(worker.serves)
            async with Client(worker.endpoint) as client, waiting_run(client, f"e{epoch}") as (_, told):
                assert told[0]["run"].startswith(f"{name}-{epoch}-")
            await asyncio.to_thread(worker.stop)
            server.sql(f"SELECT forgebus.skip_epochs('{name}', 1000)")
            worker.launch()
    finally:
        worker.process.kill()
        worker.process.wait(PATIENCE)


@asynchronous
async def test_a_post_tells_the_epoch(directory, server):
    receiver = Receiver()
    post = f"pipelines: {{tell: {{actions: [{{id: hook, post: {receiver.url}}}]}}}}"
    configuration = f"worker: {{name: {server_name(directory)}}}\n{post}"
    worker = Process(directory, configuration, server.url, {"XDG_STATE_HOME": str(directory)})
    try:
        for epoch in "1", "2":
            await asyncio.to_thread(worker.serves)
            async with Client(worker.endpoint) as client:
                assert (await client.run("tell"))["state"] == "completed"
            assert receiver.requests[-1][1]["Forge-Epoch"] == epoch
            await asyncio.to_thread(worker.stop)
            worker.launch()
    finally:
        worker.process.kill()
        worker.process.wait(PATIENCE)
        receiver.close()


def is_alive(process):
    """Whether a process has not ended, or has ended and nobody has waited for it: that one has no command line."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as line:
            return line.read() != b""
    except FileNotFoundError:
        return False


@asynchronous
async def test_a_damaged_store_is_told_with_the_exit_code_65(processes, server):
    worker = processes[0]
    async with Client(worker.endpoint) as client:
        await client.run("deploy", {"name": "damaged"}, deadline=0.1)

    def verify(*options):
        call = [FORGEBUS, "store", "verify", "--endpoint", worker.endpoint, *options]
        return subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE)

    assert verify().stdout.startswith("The store is undamaged.\n")
    name = server_name(worker.directory.parent)
    server.sql(
        f"UPDATE forgebus.records SET value = 'x' WHERE kind = 2 AND worker = (SELECT id FROM forgebus.workers WHERE name = '{name}')"
    )
    damaged = verify()
    assert (damaged.returncode, damaged.stderr) == (65, "")
    flaw, move = damaged.stdout.splitlines()
    assert flaw.startswith(f'The store of the worker "{name}" cannot be read. The record of the run ') and move.startswith("  ")
    assert json.loads(verify("-o", "json").stdout)["sound"] is False
