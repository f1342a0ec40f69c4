"""Pipelines and monitors that an operator pauses with the command line, also across a worker's death."""

import json
import os
import re
import subprocess

import pytest
from peer import Peer
from worker import FORGEBUS, Worker

YAML = """
pipelines:
  deploy:
    actions:
      - {id: push, run: [sh, -c, 'echo >> pushed']}
  other:
    actions:
      - {id: work, run: ["true"]}
monitors:
  stock:
    topics: [stock.>]
    interval: 20ms
    actions:
      - {id: check, run: [sh, -c, 'echo >> checked']}
"""


PAUSED = r"paused by local \d+s ago, 1h59m left: CHG-7"


@pytest.fixture
def worker(tmp_path):
    worker = Worker(tmp_path, YAML, store=tmp_path / "worker.sqlite")
    yield worker
    worker.kill()


def call(worker, *words, status=0):
    """What the command prints, with one space for several; what it says on standard error only if it fails."""
    environment = {**os.environ, "FORGEBUS_ENDPOINT": worker.endpoint}
    ended = subprocess.run(
        [FORGEBUS, *words], env=environment, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )
    assert ended.returncode == status, ended
    return " ".join((ended.stdout + (ended.stderr if status else "")).split())


def count(worker, name):
    path = worker.directory / name
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_paused_pipeline_waits_until_it_is_resumed(worker):
    assert call(worker, "pause", "pipeline", "deploy", "incident 4711") == (
        "pipeline/deploy is paused To resume it: forgebus resume pipeline deploy"
    )
    run = call(worker, "run", "deploy", "--detach").split()[1]
    call(worker, "run", "other")
    waiting = subprocess.Popen(
        [FORGEBUS, "run", "deploy"],
        env={**os.environ, "FORGEBUS_ENDPOINT": worker.endpoint},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert waiting.stdout.readline().startswith("accepted")
    assert "queued     its pipeline was paused by local" in waiting.stdout.readline()
    paused = r"paused by local \d+s ago: incident 4711"
    assert re.search(f"its pipeline was {paused}", call(worker, "attach", run, "--wait", "0", status=75))
    assert re.search(paused, call(worker, "list", "runs", "--state", "queued"))
    worker.kill()
    worker.start()
    assert "pipeline/deploy was paused by local" in call(worker, "status")
    assert f"{run} queued" in call(worker, "stuck", "--older-than", "0s")
    assert "The run is queued: its pipeline was paused by local" in call(worker, "explain", run)
    assert count(worker, "pushed") == 0
    assert "forgebus resume pipeline deploy" in call(worker, "stuck")
    assert "deploy paused" in call(worker, "list", "pipelines")
    waited = "2 runs that waited begin or continue as soon as they get a slot"
    assert call(worker, "resume", "pipeline", "deploy") == f"pipeline/deploy is resumed; {waited}"
    call(worker, "attach", run)
    assert waiting.wait(60) == 0
    assert count(worker, "pushed") == 2
    assert "paused" not in call(worker, "status")
    assert call(worker, "resume", "pipeline", "deploy", status=2) == "pipeline/deploy was not paused"


def test_a_paused_monitor_begins_no_cycle_not_even_of_its_interval(worker):
    peer = Peer(worker.endpoint)
    while count(worker, "checked") < 3:
        peer.ask("PING")
    assert call(worker, "pause", "monitor", "stock", "CHG-7", "--for", "2h").startswith("monitor/stock is paused for 2h ")
    # A cycle that began before the pause may still end; the answer says that another one waits for the pause's end.
    evaluated = peer.ask("NOTIFY", "stock.eu", {"reply": "evaluated"})[-1]
    assert [part["state"] for part in json.loads(evaluated[4])] == ["excluded"]
    while peer.show("monitor/stock")["state"] != "excluded":
        pass
    assert re.search(PAUSED, call(worker, "list", "monitors"))
    assert re.search(f"monitor/stock was {PAUSED}", call(worker, "status"))
    assert re.search(f"stock excluded .*{PAUSED}", call(worker, "stuck"))
    shown = call(worker, "show", "monitor", "stock")
    assert re.search(r"state excluded .*paused by local since \S+Z until \S+Z reason CHG-7", shown)
    before = count(worker, "checked")
    for _ in range(200):
        peer.ask("PING")
    worker.kill()
    worker.start()
    for _ in range(200):
        peer.ask("PING")
    assert count(worker, "checked") == before
    assert call(worker, "resume", "monitor", "stock") == "monitor/stock is resumed"
    while count(worker, "checked") < before + 3:
        peer.ask("PING")
    history = call(worker, "explain", "stock")
    assert "paused" in history and "resumed" in history


def test_what_cannot_be_paused_is_refused_with_the_next_move(worker):
    assert "A monitor needs --for" in call(worker, "pause", "monitor", "stock", status=64)
    for words in (["deploy"], ["pipeline/deploy"], ["run", "run-1"]):
        call(worker, "pause", *words, status=64)
    assert "at most 7d" in call(worker, "help", "pause")
    assert "--for must be from 1ms to 7d; found 8d." in call(worker, "pause", "pipeline", "deploy", "--for", "8d", status=64)
    assert 'no pipeline "depoy"' in call(worker, "pause", "pipeline", "depoy", status=65)
