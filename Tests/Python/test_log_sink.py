"""A worker whose log goes nowhere, or no further, serves as before, and says later how many lines are missing."""

import asyncio
import os
import re
import signal

import pytest

from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous
from worker import PATIENCE, Worker

pytestmark = pytest.mark.row(23)
REQUESTS = 3_000
# More lines than the worker keeps and a pipe holds.
TOO_MANY = 6_000
MONITOR = ".".join(["monitor"] * 12)
CONFIGURATION = "pipelines: {p: {actions: [{id: a, run: ['true']}]}}"


class LoggingWorker(Worker):
    """A worker that logs to a descriptor of the test's, or to none."""

    def __init__(self, directory, log):
        self.descriptor = log
        super().__init__(directory, CONFIGURATION, store="memory")

    def spawn(self, command, _):
        if self.descriptor is None:
            command = ["/bin/sh", "-c", 'exec "$0" "$@" 2>&-', *command]
        return super().spawn(command, self.descriptor)

    def is_ready(self):
        # Whoever asks it waits until it is.
        return True


@pytest.fixture
def serve(directory):
    workers = []

    def begin(log):
        workers.append(LoggingWorker(directory, log))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.process.kill()
        worker.process.wait(PATIENCE)


async def ask(worker, count):
    """Asks for what is refused, which is logged, a line a request; returns how many were answered."""
    answered = 0
    async with Client(worker.endpoint) as client:
        for _ in range(0, count, 500):
            asked = (client.ask("MODE", MONITOR, {"ttl_ms": 600_000}, {"screen": "x"}) for _ in range(500))
            answers = await asyncio.gather(*asked, return_exceptions=True)
            answered += sum(isinstance(answer, BusError) and answer.code == "forbidden" for answer in answers)
    return answered


@asynchronous
async def test_a_closed_pipe_keeps_nobody_waiting(serve):
    reader, writer = os.pipe()
    worker = serve(writer)
    os.close(writer)
    with open(reader) as log:
        while not log.readline().endswith("ready\n"):
            pass
    assert await ask(worker, REQUESTS) == REQUESTS
    worker.stop()


@asynchronous
async def test_a_full_device_keeps_nobody_waiting(serve):
    with open("/dev/full", "w") as log:
        worker = serve(log)
    assert await ask(worker, REQUESTS) == REQUESTS
    worker.stop()


@asynchronous
async def test_a_log_that_was_closed_before_the_start_is_no_other_file(serve):
    worker = serve(None)
    assert await ask(worker, REQUESTS) == REQUESTS
    assert os.readlink(f"/proc/{worker.process.pid}/fd/2") == "/dev/null"
    worker.stop()


@asynchronous
async def test_a_reader_that_stops_and_goes_on_is_told_how_much_it_missed(serve):
    reader, writer = os.pipe()
    worker = serve(writer)
    os.close(writer)
    assert await ask(worker, TOO_MANY) == TOO_MANY
    with open(reader) as log:
        before = 0
        while "log lines were dropped" not in (line := log.readline()):
            before += "audit: refused" in line
        dropped = int(re.search(r" lines=(\d+)$", line)[1])
        # A request that is answered late is sent again, and refused again.
        assert 0 < dropped and before + dropped >= TOO_MANY
        rest = asyncio.create_task(asyncio.to_thread(log.readlines))
        assert await ask(worker, 500) == 500
        worker.process.send_signal(signal.SIGTERM)
        lines = await rest
    assert worker.process.wait(PATIENCE) == 0
    assert sum("audit: refused" in line for line in lines) >= 500
    assert lines[-1].endswith("stopped\n")


@asynchronous
async def test_a_reader_that_has_stopped_does_not_keep_it_from_ending(serve):
    reader, writer = os.pipe()
    worker = serve(writer)
    os.close(writer)
    assert await ask(worker, TOO_MANY) == TOO_MANY
    worker.stop()
    os.close(reader)
