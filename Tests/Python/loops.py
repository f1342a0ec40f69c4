"""Tests that need an event loop, and a run that waits."""

import asyncio
import contextlib
import functools

from worker import PATIENCE


def asynchronous(test):
    """Runs a test in an event loop of its own, which ends in time whatever happens."""

    @functools.wraps(test)
    def run(*arguments, **named):
        asyncio.run(asyncio.wait_for(test(*arguments, **named), PATIENCE))

    return run


@contextlib.asynccontextmanager
async def waiting_run(client, name, pipeline="deploy", **options):
    """A run that waits at a gate, as a task, and what was told of it."""
    told, is_waiting = [], asyncio.Event()

    def on_progress(answer):
        told.append(answer)
        if answer.get("state") == "waiting":
            is_waiting.set()

    run = asyncio.create_task(client.run(pipeline, {"name": name}, on_progress=on_progress, **options))
    waiting = asyncio.create_task(is_waiting.wait())
    try:
        await asyncio.wait({run, waiting}, return_when=asyncio.FIRST_COMPLETED)
        assert is_waiting.is_set(), run.exception() or run.result()
        yield run, told
    finally:
        waiting.cancel()
        run.cancel()
