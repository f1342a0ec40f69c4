"""A worker beside whose work the clock on the wall is set."""

import asyncio
import sys

import pytest

from forgebus_client import Client
from loops import asynchronous
from peer import wall_clock
from worker import Worker


@pytest.mark.skipif(sys.platform != "linux", reason="the worker's clock can be set so on Linux only")
@asynchronous
async def test_commits_wait_for_each_other_by_a_clock_that_nobody_sets(directory):
    # A deadline by this clock is an hour away for the kernel, as after it was set back by an hour.
    worker = Worker(directory, environment=wall_clock(3600))
    try:
        async with Client(worker.endpoint) as client:
            for _ in range(20):
                ends = await asyncio.gather(*(client.run("greet", {"name": "Ada"}) for _ in range(20)))
                assert {end["state"] for end in ends} == {"completed"}
        worker.stop()
    finally:
        worker.kill()
