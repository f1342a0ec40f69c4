"""After the last kill: everything is finished, and every request is sent once more."""

import asyncio
import time

from chaos.bakery import topics_told
from chaos.clients import FSYNCED
from chaos.connection import Connection

LEDGERED = ("RUN", "COMPLETE", "REJECT", "CANCEL")
AT_ONCE = 16
ENDS = ("completed", "failed", "cancelled", "timed_out")
PATIENCE = 60


async def settle(worker, history):
    """Finishes what the worker has, as far as it does in time, then asks for every answer again."""
    end = time.monotonic() + PATIENCE
    operator = Connection(worker.endpoint, history, "operator")
    (worker.directory / "oven").touch()
    lines = history.lines()
    try:
        # What its sender gave up on may never have come: now it does.
        await again(worker, history, lines, ("RUN",), waits=False)
        while await finish(operator) and time.monotonic() < end:
            await asyncio.sleep(0.05)
        while missing(worker.directory, lines) and time.monotonic() < end:
            await asyncio.sleep(0.05)
        await again(worker, history, lines, LEDGERED, waits=True)
    finally:
        operator.close()


async def finish(operator):
    """Has every run that waits go on; how many have not ended."""
    runs = [run for run in await listed(operator, "runs") if run["state"] not in ENDS]
    for run in runs:
        if run["state"] == "parked":
            await operator.ask("REDRIVE", run["run"], id=f"redrive-{time.monotonic()}")
    for signal in await listed(operator, "signals"):
        await operator.ask("REJECT", signal["signal"], FSYNCED, "too late", id=f"reject-{time.monotonic()}")
    return len(runs)


async def listed(operator, kind):
    items, cursor = [], None
    while True:
        page = await operator.ask("LIST", kind, {"limit": 500, "cursor": cursor}, id=f"list-{time.monotonic()}")
        items += page["items"]
        cursor = page.get("cursor")
        if cursor is None:
            return items


def missing(directory, lines):
    """The topics that were acknowledged and that no cycle was told of."""
    topics = {line.sent["id"]: line.sent["subject"] for line in lines if line.sent and line.sent["command"] == "NOTIFY"}
    taken = {topics[line.heard["id"]] for line in lines if line.heard and line.heard["id"] in topics}
    told, unnamed = topics_told(directory)
    untold = taken - told
    return untold if len(untold) > unnamed else set()


async def again(worker, history, lines, commands, waits):
    """Sends each request again, as its sender would."""
    requests = {}
    for line in lines:
        if line.sent and line.sent["command"] in commands:
            requests.setdefault(line.client, {})[line.sent["id"]] = line.sent
    await asyncio.gather(*(resend(worker, history, client, sent, waits) for client, sent in requests.items()))


async def resend(worker, history, client, requests, waits):
    connection = Connection(worker.endpoint, history, f"{client}+again")
    end = time.monotonic() + PATIENCE
    try:
        for sent in requests.values():
            subject, attributes, body = sent["subject"], sent["attributes"], sent["body"]
            # A run that does not end is what the checker then tells of.
            on_news = lambda _: not waits or time.monotonic() > end
            await connection.ask(sent["command"], subject, attributes, body, id=sent["id"], on_news=on_news)
    finally:
        connection.close()
