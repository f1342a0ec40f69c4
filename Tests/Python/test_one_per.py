"""Pipelines whose runs with one key execute one at a time, with the command line and across a worker's death."""

import json
import os
import subprocess

import pytest
from peer import Peer
from worker import FORGEBUS, Worker

YAML = """
pipelines:
  deploy:
    title: "Deploy {seed.version} to {seed.environment}"
    seeds: {version: {type: string}, environment: {type: string, default: staging}}
    one_per: {key: "{seed.environment}", group: machines, then: supersede}
    actions:
      - {id: approve, gate: {}}
      - {id: roll-out, requires: [approve], run: [sh, -c, 'echo "$FORGE_RUN" >> rolled-out']}
  migrate:
    seeds: {environment: {type: string}}
    one_per: {key: "{seed.environment}", group: machines}
    actions:
      - {id: approve, gate: {}}
  backup:
    one_per: {key: all, then: refuse}
    actions:
      - {id: approve, gate: {}}
"""


@pytest.fixture
def worker(tmp_path):
    worker = Worker(tmp_path, YAML, store=tmp_path / "worker.sqlite")
    yield worker
    worker.kill()


def call(worker, *words, status=0):
    """What the command prints, as JSON."""
    environment = {**os.environ, "FORGEBUS_ENDPOINT": worker.endpoint}
    ended = subprocess.run(
        [FORGEBUS, *words, "-o", "json"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert ended.returncode == status, ended
    shown = json.loads(ended.stdout)
    return shown[-1] if isinstance(shown, list) else shown


def start(worker, pipeline, *seeds, until="waiting"):
    run = call(worker, "run", pipeline, *seeds, "--detach")["run"]
    return reach(worker, run, until)


def reach(worker, run, state):
    Peer(worker.endpoint).wait(f"run/{run}", state)
    return run


def show(worker, run):
    return call(worker, "show", "run", run)


def test_the_newest_run_supersedes_those_that_wait_and_an_old_approval_releases_nothing(worker):
    first = start(worker, "deploy", "version=1")
    other = start(worker, "deploy", "version=1", "environment=production")
    second = start(worker, "deploy", "version=2")
    ended = show(worker, reach(worker, first, "cancelled"))
    assert (ended["state"], ended["reason"]) == ("cancelled", f"The newer run {second} superseded this run.")
    assert show(worker, other)["state"] == "waiting"
    call(worker, "approve", f"deploy.approve.{first}", status=2)
    call(worker, "approve", second)
    assert call(worker, "attach", second)["state"] == "completed"
    assert (worker.directory / "rolled-out").read_text() == f"{second}\n"
    history = call(worker, "explain", first)
    events = [entry for entry in history["entries"] if entry["event"] in ("superseded", "cancelled")]
    assert [entry["event"] for entry in events] == ["superseded", "cancelled"]
    assert events[0]["by"] == second


def test_a_run_waits_for_the_holder_of_its_key_also_after_a_crash(worker):
    first = start(worker, "migrate", "environment=staging")
    second = start(worker, "migrate", "environment=staging", until="queued")
    worker.kill()
    worker.start()
    waiting = show(worker, second)
    assert (waiting["state"], waiting["key"], waiting["holder"]) == ("queued", "staging", first)
    rule = call(worker, "show", "pipeline", "migrate")["one_per"]
    assert rule == {"key": "{seed.environment}", "group": "machines", "then": "queue"}
    call(worker, "approve", first)
    call(worker, "attach", first)
    reach(worker, second, "waiting")
    third = start(worker, "deploy", "version=3")
    assert show(worker, second)["reason"] == f"The newer run {third} superseded this run."


def test_a_run_that_may_not_wait_is_refused_by_the_name_of_the_holder(worker):
    first = start(worker, "backup")
    call(worker, "run", "backup", status=2)
    refusal = json.loads(Peer(worker.endpoint).ask("RUN", "backup", {"reply": "accepted"}, {})[-1][3])
    assert refusal["code"] == "key_held"
    assert first in refusal["message"]
    call(worker, "approve", first)
    call(worker, "attach", first)
    start(worker, "backup")
