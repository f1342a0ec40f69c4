"""What a worker that comes back goes on with, and what it refuses to begin with."""

import asyncio
import json
import re
import sqlite3
import subprocess
import sys

import pytest

from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous, waiting_run
from peer import wall_clock
from worker import FORGEBUS, PATIENCE, Worker

CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string}}
    outputs: [approve]
    actions:
      - {id: build, run: [sh, -c, "echo build$FORGE_RESUMED >> done"]}
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
      - {id: roll-out, run: [sh, -c, "echo roll-out$FORGE_RESUMED >> done"]}
  hurry:
    seeds: {name: {type: string}}
    actions:
      - {id: approve, gate: {signal: "hurry.{seed.name}", deadline: 10m}}
      - {id: roll-out, run: [sh, -c, "echo roll-out >> done"]}
"""

passes_time = pytest.mark.skipif(sys.platform != "linux", reason="the worker's clock can be set so on Linux only")


@pytest.fixture
def worker(directory):
    worker = Worker(directory, CONFIGURATION)
    try:
        yield worker
    finally:
        worker.stop()


def done(worker):
    return (worker.directory / "done").read_text().split()


@asynchronous
async def test_a_gate_that_was_open_is_approved_after_a_crash(worker):
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a", id="r-1") as (run, told):
            worker.kill()
            worker.start()
            async with Client(worker.endpoint) as approver:
                assert (await approver.complete("deploy.a", {"by": "ada"}))["verdict"] == "delivered"
            result = await run
    assert (result["state"], result["outputs"]) == ("completed", {"approve": {"by": "ada"}})
    assert {answer["run"] for answer in told} == {result["run"]}
    assert done(worker) == ["build", "roll-out1"]


@asynchronous
async def test_a_run_that_was_approved_just_before_a_crash_goes_on_and_does_not_ask_again(worker):
    told = []
    async with Client(worker.endpoint) as client, waiting_run(client, "a", id="r-1"):
        verdict = await client.complete("deploy.a", {"by": "ada"}, id="c-1")
        worker.kill()
        worker.start()
    assert (verdict["verdict"], verdict["durability"]) == ("delivered", "fsynced")
    async with Client(worker.endpoint) as client:
        result = await client.run("deploy", {"name": "a"}, id="r-1", on_progress=told.append)
        assert (result["state"], result["outputs"]) == ("completed", {"approve": {"by": "ada"}})
        assert "waiting" not in [answer.get("state") for answer in told]
        assert (await client.complete("deploy.a", {"by": "ada"}, id="c-1"))["replayed"]
        assert (await client.reject("deploy.a", "no"))["verdict"] == "conflict"
    assert done(worker)[0] == "build" and set(done(worker)[1:]) <= {"roll-out", "roll-out1"}


@asynchronous
async def test_an_early_approval_is_kept_and_one_that_was_withdrawn_stays_withdrawn(worker):
    async with Client(worker.endpoint) as client:
        for name in ("a", "b"):
            assert (await client.complete(f"deploy.{name}", 1, keep=3600, id=f"c-{name}"))["verdict"] == "buffered"
        assert (await client.withdraw("deploy.b", id="w-1"))["state"] == "withdrawn"
    worker.kill()
    worker.start()
    async with Client(worker.endpoint) as client:
        assert [kept["signal"] for kept in await client.list("early")] == ["deploy.a"]
        assert (await client.run("deploy", {"name": "a"}))["outputs"] == {"approve": 1}
        # Both messages again get their answers again, and nothing is kept again.
        assert (await client.withdraw("deploy.b", id="w-1"))["replayed"]
        assert (await client.complete("deploy.b", 1, keep=3600, id="c-b"))["replayed"]
        async with waiting_run(client, "b") as (run, _):
            assert (await client.reject("deploy.b", "no"))["verdict"] == "delivered"
            assert (await run)["state"] == "failed"


def start_later(worker, seconds):
    """Starts it when so many seconds have passed."""
    worker.environment |= wall_clock(seconds)
    worker.start()


@passes_time
@asynchronous
async def test_a_gate_whose_deadline_passed_meanwhile_has_expired_before_anything_is_taken(worker):
    async with Client(worker.endpoint) as client, waiting_run(client, "a", pipeline="hurry", id="r-1"):
        worker.kill()
    async with Client(worker.endpoint) as approver:
        # On its way before the worker is there.
        approval = asyncio.create_task(approver.complete("hurry.a"))
        await asyncio.to_thread(start_later, worker, 601)
        assert (await approval)["verdict"] == "expired"
        result = await approver.run("hurry", {"name": "a"}, id="r-1")
        assert [action["result"] for action in result["actions"]] == ["failed", "skipped"]
    assert not (worker.directory / "done").exists()


@passes_time
@asynchronous
async def test_a_run_whose_deadline_passed_meanwhile_has_timed_out(worker):
    async with Client(worker.endpoint) as client, waiting_run(client, "a", id="r-1", deadline=600) as (_, told):
        worker.kill()
    start_later(worker, 601)
    async with Client(worker.endpoint) as client:
        assert (await client.complete("deploy.a"))["verdict"] == "closed"
        assert (await client.attach(told[0]["run"]))["state"] == "timed_out"


@asynchronous
async def test_a_run_whose_pipeline_was_changed_meanwhile_is_parked_and_goes_on_when_redriven(worker):
    async with Client(worker.endpoint) as client, waiting_run(client, "a", id="r-1") as (_, told):
        run = told[0]["run"]
        worker.kill()
    worker.configure(CONFIGURATION.replace("echo roll-out", "echo rolled-out-anew"))
    worker.start()
    async with Client(worker.endpoint) as client:
        shown = await client.show(f"run/{run}")
        assert shown["state"] == "parked"
        assert 'the action "roll-out" changed' in str(shown)
        assert (await client.ask("REDRIVE", run))["state"] in ("queued", "running", "waiting")
        assert (await client.complete("deploy.a", 1))["verdict"] == "delivered"
        assert (await client.attach(run))["state"] == "completed"
    assert done(worker) == ["build", "rolled-out-anew1"]


@pytest.mark.row(8)
@asynchronous
async def test_what_was_finished_is_answered_and_not_done_again(worker):
    async with Client(worker.endpoint) as client:
        await client.reject("deploy.a", "not on a Friday", keep=3600)
        result = await client.run("deploy", {"name": "a"}, id="r-1")
        worker.kill()
        worker.start()
        assert await client.run("deploy", {"name": "a"}, id="r-1") == {**result, "replayed": True}
    # On another connection: on this one a copy that was sent again may still be answered under the same id.
    async with Client(worker.endpoint) as other:
        with pytest.raises(BusError) as conflict:
            await other.run("deploy", {"name": "b"}, id="r-1")
    assert (conflict.value.code, conflict.value.details) == ("id_conflict", {"run": result["run"]})
    assert done(worker) == ["build"]


@asynchronous
async def test_what_happened_to_a_run_is_told_across_a_crash(worker):
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a", id="r-1") as (run, told):
            worker.kill()
            worker.start()
            await client.complete("deploy.a", {"by": "ada"}, id="c-1")
            await run
        command = [FORGEBUS, "explain", told[0]["run"], "--endpoint", worker.endpoint]
        lines = subprocess.check_output(command, text=True, timeout=PATIENCE).splitlines()
    events = [line.split()[1] for line in lines]
    asked, decided = ["accepted", "action_completed", "waiting"], ["decided", "resumed"]
    assert events == [*asked, *decided, "action_completed", "action_completed", "completed"]
    assert "principal local  request c-1  decision approved  verdict delivered" in lines[len(asked)]


def begin(worker, store):
    """Another worker with that store, to its end: its exit status, and what it said."""
    endpoint = f"ipc://{worker.directory}/other.ipc"
    ended = subprocess.run(
        [FORGEBUS, "worker", *worker.arguments[4:], "--listen", endpoint, "--store", store],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return ended.returncode, ended.stderr


def test_a_second_worker_does_not_get_the_store_and_learns_who_has_it(worker):
    status, said = begin(worker, worker.store)
    assert status == 73
    assert re.search(rf"The store \S+worker\.sqlite is in use by process {worker.process.pid} since 2\S+Z\.", said)


@pytest.mark.row(6)
@pytest.mark.parametrize("content", ["text", "database", "half"])
def test_a_file_that_is_no_store_is_refused_and_left_as_it_is(worker, content):
    file = worker.directory / "foreign.sqlite"
    if content == "text":
        file.write_text("Dear diary, today I was no database. " * 100)
    elif content == "database":
        with sqlite3.connect(file) as database:
            database.execute("CREATE TABLE diary (day TEXT)")
        database.close()
    else:
        worker.kill()
        file.write_bytes(worker.store.read_bytes()[:6000])
        worker.start()
    before = file.read_bytes()
    status, said = begin(worker, file)
    assert status == 65, said
    assert re.search(r"foreign\.sqlite .*\.", said), said
    assert file.read_bytes() == before


@pytest.mark.row(6)
@pytest.mark.parametrize(
    ("damage", "printed", "flaw"),
    [
        ("DELETE FROM audit WHERE number IN (3, 5)", 2, "entry 3 of the audit is missing"),
        ("UPDATE audit SET hash = zeroblob(32) WHERE number = 6", 5, "entry 6 of the audit does not match its hash"),
    ],
)
def test_an_export_of_a_damaged_audit_ends_there_and_names_the_entry(worker, damage, printed, flaw):
    def ask(*words):
        return subprocess.run(
            [FORGEBUS, *words, "--endpoint", worker.endpoint], capture_output=True, text=True, timeout=PATIENCE
        )

    for number in range(8):
        assert ask("complete", f"deploy.{number}", "--early").returncode == 0
    worker.stop()
    with sqlite3.connect(worker.store) as database:
        database.execute(damage)
    database.close()
    worker.start()
    export = ask("audit", "export", "-o", "jsonl")
    *entries, end = [json.loads(line) for line in export.stdout.splitlines()]
    assert [entry["number"] for entry in entries] == list(range(1, printed + 1))
    assert f"The export ends after entry {printed}, because the worker's audit is damaged: {flaw}" in end["message"]
    assert export.returncode == 65
