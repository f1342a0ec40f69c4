"""What becomes of the commands of a worker that is killed: none of them executes beside its next attempt."""

import asyncio
import contextlib
import os
import pathlib
import select
import signal
import subprocess

import pytest

from forgebus_client import Client
from loops import asynchronous
from worker import FORGEBUS, PATIENCE, Worker

pytestmark = pytest.mark.row(1)
# The first attempt says who leads it, and leaves to a grandchild what it holds open; the next one finds it done.
EFFECT = """#!/bin/sh
[ "$FORGE_ATTEMPT" = 1 ] || { echo "{\\"attempt\\": $FORGE_ATTEMPT}"; exit 0; }
trap '' TERM HUP INT
exec 3> alive
sh -c 'sleep 1000 & echo "$1" >&3; wait' sh "$PPID" &
wait
"""
CONFIGURATION = """
worker: {drain: 100ms}
pipelines:
  work:
    outputs: [attempt]
    actions:
      - {id: work, run: [./effect]}
"""


class Pipe:
    """The end of a named pipe that a command holds open."""

    def __init__(self, path):
        os.mkfifo(path)
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def read(self, until):
        """What is written until that has come; what is left where nobody has the pipe any more."""
        text = ""
        while not (until and text.endswith(until)):
            assert select.select([self.descriptor], [], [], PATIENCE)[0], "a command lives on"
            # Nothing is readable before somebody has opened it.
            chunk = os.read(self.descriptor, 4096).decode()
            if not chunk:
                return text
            text += chunk
        return text


@pytest.fixture
def worker(directory):
    (directory / "effect").write_text(EFFECT)
    (directory / "effect").chmod(0o755)
    worker = Worker(directory, CONFIGURATION)
    try:
        yield worker
    finally:
        worker.stop()


@contextlib.asynccontextmanager
async def running(worker):
    """A run whose command executes: what it comes to, the command's pipe, and its leader's number."""
    pipe = Pipe(worker.directory / "alive")
    async with Client(worker.endpoint) as client:
        run = asyncio.create_task(client.run("work"))
        leader = int(await asyncio.to_thread(pipe.read, "\n"))
        try:
            yield run, pipe, leader
        finally:
            run.cancel()


@asynchronous
async def test_a_command_ends_with_its_worker_and_all_of_its_group(worker):
    async with running(worker) as (run, pipe, _):
        worker.process.kill()
        worker.process.wait(PATIENCE)
        assert pipe.read("") == ""
        worker.start()
        assert (await run)["outputs"] == {"attempt": 2}
    assert "was left" not in worker.said()


@asynchronous
async def test_a_worker_that_does_not_get_the_store_leaves_the_commands_of_the_one_that_has_it(worker):
    async with running(worker) as (_, pipe, leader):
        arguments = [FORGEBUS, "worker", *worker.arguments[2:], "--listen", f"ipc://{worker.directory}/other.ipc"]
        assert subprocess.run(arguments, capture_output=True, timeout=PATIENCE).returncode == 73
        assert pathlib.Path(f"{worker.store}.commands").read_text().startswith(f"{leader} ")
        assert not select.select([pipe.descriptor], [], [], 0)[0]


@asynchronous
async def test_the_next_worker_ends_what_a_leader_that_was_killed_has_left_and_nothing_else(worker):
    async with running(worker) as (run, pipe, leader):
        # It does not get to see the end of its leader.
        worker.process.send_signal(signal.SIGSTOP)
        os.kill(leader, signal.SIGKILL)
        worker.process.kill()
        worker.process.wait(PATIENCE)
        book = pathlib.Path(f"{worker.store}.commands")
        group, _, boot, token, _ = book.read_text().rstrip("\0").split(" ")
        assert int(group) == leader and token.endswith("/work")
        # What has another token, though all else is as it was kept.
        other = subprocess.Popen(["sleep", "1000"], env={**os.environ, "FORGE_TOKEN": "a"}, process_group=0)
        try:
            born = pathlib.Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()[19]
            with open(book, "a") as file:
                file.write(f"{other.pid} {born} {boot} b .".ljust(512, "\0"))
            worker.start()
            assert pipe.read("") == ""
            assert (await run)["outputs"] == {"attempt": 2}
            assert worker.said().count("killed a command that the worker's previous process had left") == 1
            assert other.poll() is None
        finally:
            other.kill()
            other.wait(PATIENCE)
