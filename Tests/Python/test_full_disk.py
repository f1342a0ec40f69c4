"""A worker whose disk is full finishes what it has, refuses what is new, and recovers by itself."""

import errno
import os
import subprocess

import pytest

from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous
from worker import Worker

# More than the floor of 64 MiB, the margin of 16 MiB and the reserve of 16 MiB together.
ROOM = 128 << 20
CYCLES, GATES = 3, 12
CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string}}
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
      - {id: roll-out, run: ["true"]}
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a small disk is mounted, which needs root")


@pytest.fixture
def disk(directory):
    disk = directory / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", disk], check=True)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def fill(disk, leaving=0):
    """Takes what is free, but so many bytes; with 0, until nothing more can be written."""
    status = os.statvfs(disk)
    with open(disk / "ballast", "ab", buffering=0) as ballast:
        rest = status.f_bavail * status.f_frsize - leaving
        try:
            while rest > 0:
                rest -= ballast.write(bytes(min(rest, 1 << 20)))
        except OSError as full:
            assert full.errno == errno.ENOSPC


@pytest.mark.row(4)
@asynchronous
async def test_a_full_disk_refuses_runs_and_takes_decisions_until_there_is_room_again(directory, disk, score):
    worker = Worker(directory, CONFIGURATION, store=disk / "worker.sqlite")
    async with Client(worker.endpoint) as client, Client(worker.endpoint, patience=0.3) as hasty:
        for cycle in range(CYCLES):
            names = [f"c{cycle}-{number}" for number in range(GATES)]
            runs = [(await begin(client, name))["run"] for name in names]
            fill(disk, leaving=32 << 20)
            late = await refused(hasty, client, f"late-{cycle}")

            fill(disk)
            for name, run in zip(names[::2], runs[::2]):
                verdict = await client.complete(f"deploy.{name}", {"by": "ada", "why": "x" * 60_000})
                assert (verdict["verdict"], verdict["durability"]) == ("delivered", "fsynced")
                assert (await client.attach(run))["state"] == "completed"
            for run in runs[1::2]:
                await client.cancel(run)
                assert (await client.attach(run))["state"] == "cancelled"
            assert await refused(hasty, client, late) == f"{late}-0"
            assert (await client.ping())["state"] == "ready"
            assert len(await client.list("runs")) >= GATES

            (disk / "ballast").unlink()
            # What was refused left no trace, and is taken under the same id.
            assert (await begin(client, late))["answer"] == "ACCEPTED"
    worker.kill()
    worker.start()
    async with Client(worker.endpoint) as client:
        states = await settled(client)
    score.take(CYCLES)
    assert (states.count("completed"), states.count("waiting")) == (CYCLES * GATES // 2, CYCLES)
    assert states.count("cancelled") >= CYCLES * GATES // 2 and set(states) == {"completed", "waiting", "cancelled"}
    worker.stop()


async def settled(client):
    """The states of all runs, once each waits or has ended: the last one may have been killed on its way to its gate."""
    while True:
        states = [run["state"] for run in await client.list("runs")]
        if not {"queued", "running"} & set(states):
            return states


async def begin(client, name):
    return await client.ask("RUN", "deploy", {"reply": "accepted"}, {"name": name}, id=name)


async def told(client, id):
    """What a client without patience is told, which asks under the same id for as long as that is nothing."""
    while True:
        try:
            return await begin(client, id)
        except BusError as error:
            if error.code not in ("timeout", "unreachable"):
                raise


async def refused(hasty, client, prefix):
    """The id of the first run that is refused: until it looks at the disk again, in a second, the worker takes some."""
    for number in range(1000):
        id = f"{prefix}-{number}"
        try:
            taken = await told(hasty, id)
        except BusError as error:
            assert (error.code, error.details["limit"]) == ("busy", "disk")
            return id
        await client.cancel(taken["run"])
    pytest.fail("a disk that is nearly full is no reason to refuse anything")
