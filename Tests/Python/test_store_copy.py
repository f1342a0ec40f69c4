"""A store that is moved from a file to a database, and back: what is asked of it afterwards is answered alike."""

import asyncio
import contextlib
import os
import random
import re
import subprocess
import time

from forgebus_client import Client
from postgres import Postgres
from worker import FORGEBUS, PATIENCE, Worker, keyed

RUNS = 100_000 if os.environ.get("FORGE_FULL") == "1" else 300
WAITING = 40
PEOPLE = ("ada", "ben")
CONFIGURATION = f"""
worker:
  name: deploys
  limits: {{settled: 1000000, requests: 1000000, early: 10000, early_per_sender: 10000}}
monitors:
  shelf: {{topics: [stock.>], excluded_screens: [moving], actions: [{{id: look, run: ["true"]}}]}}
pipelines:
  ask:
    seeds: {{name: {{type: string}}}}
    outputs: [approve]
    actions: [{{id: approve, gate: {{signal: "ask.{{seed.name}}"}}}}]
  deploy:
    seeds: {{name: {{type: string}}}}
    outputs: [approve]
    actions:
      - {{id: build, run: [sh, -c, "echo built; echo warned >&2"]}}
      - {{id: approve, gate: {{signal: "deploy.{{seed.name}}", approvals: 2, allowed: [ada, ben]}}}}
"""
ACCESS = "principals:\n" + "".join(
    f'  {name}: {{{{keys: ["{{{name}}}"], run: [">"], complete: [">"], read: [">"], notify: [">"], mode: [">"], admin: [">"]}}}}\n'
    for name in PEOPLE
)


def copy(source, target, *options):
    """What `forgebus store copy` exits with, prints and complains."""
    call = subprocess.run(
        [FORGEBUS, "store", "copy", source, target, "--name", "deploys", *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE * (10 if RUNS > 1_000 else 1),
    )
    return call.returncode, call.stdout, call.stderr


@contextlib.contextmanager
def serving(worker):
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


@contextlib.asynccontextmanager
async def people(worker, curves):
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Client(worker.endpoint, curve=curves[name])) for name in PEOPLE]


async def fill(ada, ben):
    """Ends many runs by decisions that come early, has others wait with one vote of two, and keeps decisions for later."""

    async def end(number):
        decision = ada.complete if number % 3 else ada.reject
        await decision(f"ask.{number}", f"d-{number}", keep=600, id=f"decide-{number}")
        await ben.run("ask", {"name": f"{number}"}, id=f"run-{number}")

    for start in range(0, RUNS, 100):
        await asyncio.gather(*(end(number) for number in range(start, min(start + 100, RUNS))))
    for number in range(WAITING):
        accepted = await ada.ask("RUN", "deploy", {"reply": "accepted"}, {"name": f"w{number}"}, id=f"wait-{number}")
        while (await ada.show(f"run/{accepted['run']}"))["state"] != "waiting":
            await asyncio.sleep(0.01)
        assert (await ben.complete(f"deploy.w{number}", {"by": "ben"}, id=f"vote-{number}"))["verdict"] == "counted"
        await ada.complete(f"ask.later-{number}", {"kept": True}, keep=86_400, id=f"later-{number}")
    await ada.ask("PAUSE", "pipeline/ask", body="moving", id="pause")
    await ada.ask("MODE", "shelf", {"ttl_ms": 86_400_000}, {"screen": "moving"}, id="mode")


async def answers(ada, ben, since):
    """What a worker answers to everything that one can ask; times after the move count as equal."""
    while (await ada.show("monitor/shelf"))["state"] != "excluded":
        await asyncio.sleep(0.01)
    told = {kind: await ada.list(kind) for kind in ("runs", "signals", "early", "pipelines")}
    chance = random.Random(6)
    numbers = chance.sample(range(RUNS), 50)
    told["again"] = [await ben.run("ask", {"name": f"{number}"}, id=f"run-{number}") for number in numbers]
    told["votes"] = [await ben.complete(f"deploy.w{n}", {"by": "ben"}, id=f"vote-{n}") for n in range(WAITING)]
    for run in [run["run"] for run in told["again"]] + [item["run"] for item in told["runs"][-WAITING:]]:
        for kind in ("run", "history", "output"):
            told[f"{kind}/{run}"] = await ada.show(f"{kind}/{run}")
    for number in range(WAITING):
        told[f"gate {number}"] = await ada.show(f"signal/deploy.w{number}")
    audit = await ada.ask("ADMIN", "store.audit.verify")
    assert audit["details"]["sound"] is True, audit
    return timeless(told, since)


def timeless(value, since):
    if isinstance(value, dict):
        return {key: timeless(item, since) for key, item in value.items() if key not in ("replayed", "age_ms")}
    if isinstance(value, list):
        return [timeless(item, since) for item in value]
    if isinstance(value, int) and since <= value < since + 86_000_000:
        return "after the move"
    return value


async def asked(worker, curves, since):
    with serving(worker):
        async with people(worker, curves) as clients:
            return await answers(*clients, since)


def test_what_is_asked_after_a_move_is_answered_alike(directory):
    asyncio.run(asyncio.wait_for(move(directory), PATIENCE * (10 if RUNS > 1_000 else 1)))


async def move(directory):
    arguments, curves = keyed(directory, ACCESS, *PEOPLE)
    curves = {name: tuple(key.decode() for key in curve) for name, curve in curves.items()}
    file = directory / "worker.sqlite"
    worker = Worker(directory, CONFIGURATION, arguments=arguments)
    try:
        async with people(worker, curves) as clients:
            await fill(*clients)
        code, _, complaint = copy(file, directory / "other.sqlite")
        assert code == 73 and "in use by process" in complaint, complaint
    finally:
        worker.stop()
    with Postgres() as server:
        code, told, complaint = copy(file, server.url)
        assert code == 0, complaint
        assert re.search(r"^journal entries +\d+$", told, re.MULTILINE), told
        code, _, complaint = copy(file, server.url)
        assert code == 73 and "already" in complaint, complaint
        since = int(time.time() * 1000)
        expected = await asked(worker, curves, since)
        state = {"XDG_STATE_HOME": str(directory)}
        moved = Worker.__new__(Worker)
        moved.__dict__.update(vars(worker), store=server.url, environment=state)
        moved.arguments = [server.url if argument == file else argument for argument in worker.arguments]
        found = await asked(moved, curves, since)
        assert found == expected
        # And back; the run goes on to its end.
        back = directory / "back.sqlite"
        code, _, complaint = copy(server.url, back)
        assert code == 0, complaint
        worker.arguments = [back if argument == file else argument for argument in worker.arguments]
        worker.store = back
        with serving(worker):
            async with people(worker, curves) as (ada, ben):
                assert await answers(ada, ben, since) == expected
                assert (await ada.complete("deploy.w7", {"by": "ada"}))["verdict"] == "delivered"
                result = await ada.run("deploy", {"name": "w7"}, id="wait-7")
                assert result["state"] == "completed"


def test_what_cannot_be_copied_is_said(directory):
    for call, code, words in [
        (("memory", "x.sqlite"), 64, "cannot be copied"),
        ((directory / "none.sqlite", directory / "x.sqlite"), 73, "The store to copy does not exist"),
    ]:
        found, _, complaint = copy(*call)
        assert found == code and words in complaint, complaint
    without = [FORGEBUS, "store", "copy", directory / "none.sqlite", "postgres://nowhere/x"]
    call = subprocess.run(without, capture_output=True, text=True, timeout=PATIENCE)
    assert call.returncode == 64 and "--name" in call.stderr, call.stderr
    code, _, complaint = copy("postgres://u:secret@nowhere/x", directory / "x.sqlite")
    assert code == 78 and "password" in complaint and "secret" not in complaint, complaint
