"""Actions that request runs, from a worker file: what they pass on, what they wait for, and what `--check` refuses."""

import json
import os
import subprocess

import pytest
from peer import Peer
from worker import FORGEBUS, Worker

YAML = """
pipelines:
  outer:
    seeds: {host: {type: string}, token: {type: string, secret: true}}
    outputs: [outputs.ask]
    actions:
      - {id: login, run: [sh, -c, 'sed -E "s/.*\\"token\\":\\"([^\\"]*)\\".*/session of \\\\1/"']}
      - id: ask
        request: inner
        seeds: {host: "{seed.host}", auth: "{value.outputs.login}", key: "{seed.token}", outer: "{run.id}", kind: fast}
        wait: true
  inner:
    seeds:
      host: {type: string}
      auth: {type: string}
      key: {type: string, secret: true}
      outer: {type: string}
      kind: {type: string}
    outputs: [reply]
    actions:
      - {id: answer, run: [sh, -c, 'echo "{\\"reply\\": \\"done\\"}"']}
  renew:
    seeds: {topic: {type: string, default: ""}, count: {type: integer, default: 0}}
    actions:
      - {id: order, gate: {signal: "renew.{run.id}"}}
monitors:
  certificates:
    topics: [certificates.>]
    minimum_gap: 0s
    actions:
      - {id: renew, request: renew, seeds: {topic: "{cause.topic}", count: "{cause.count}"}}
"""


@pytest.fixture
def worker(tmp_path):
    worker = Worker(tmp_path, YAML)
    yield worker
    worker.kill()


def runs(peer, pipeline):
    return [item["run"] for item in json.loads(peer.ask("LIST", "runs", {"pipeline": pipeline})[-1][4])]


def test_a_run_waits_for_the_run_that_it_requests_and_passes_no_secret_on(worker):
    peer = Peer(worker.endpoint)
    body = json.dumps({"host": "shop", "token": "s3cr3t-1"}).encode()
    result = json.loads(peer.ask("RUN", "outer", {"reply": "result"}, body)[-1][4])
    assert result["outputs"] == {"outputs.ask": {"reply": "done"}}
    [outer], [inner] = runs(peer, "outer"), runs(peer, "inner")
    item = peer.show(f"run/{inner}")
    assert item["origin"] == {"run": outer, "action": "ask"} and item["state"] == "completed"
    accepted = next(entry for entry in peer.show(f"history/{outer}")["entries"] if entry["event"] == "requested")
    assert accepted["requested"] == inner
    everything = worker.said() + json.dumps([peer.show(f"history/{inner}"), peer.show(f"output/{outer}"), item])
    assert "s3cr3t-1" not in everything


def test_a_secret_does_not_reach_the_seeds_of_a_waiting_run(worker):
    worker.configure(YAML.replace("- {id: answer, run:", "- {id: hold, gate: {signal: 'hold.{run.id}'}}\n      - {id: answer, run:"))
    worker.kill()
    worker.start()
    peer = Peer(worker.endpoint)
    body = json.dumps({"host": "shop", "token": "s3cr3t-1"}).encode()
    outer = peer.ask("RUN", "outer", {"reply": "accepted"}, body)[-1][2]
    peer.wait(f"run/{outer}", "waiting")
    [inner] = runs(peer, "inner")
    assert peer.show(f"run/{inner}")["seeds"] == {
        "auth": "session of [secret]", "host": "shop", "kind": "fast", "outer": outer
    }
    # A cancelled run cancels the one that it waits for.
    peer.ask("CANCEL", outer)
    peer.wait(f"run/{inner}", "cancelled")


def test_a_monitor_requests_one_run_at_a_time(worker):
    peer = Peer(worker.endpoint)
    while not (first := runs(peer, "renew")):
        peer.ask("NOTIFY", "certificates.eu", {"reply": "evaluated"})
    states = json.loads(peer.ask("NOTIFY", "certificates.us", {"reply": "evaluated"})[-1][4])
    assert states[0]["actions"][0]["result"] == "skipped" and runs(peer, "renew") == first
    assert peer.show(f"run/{first[0]}")["principal"] == "worker"
    peer.wait(f"run/{first[0]}", "waiting")
    peer.ask("COMPLETE", f"renew.{first[0]}")
    peer.wait(f"run/{first[0]}", "completed")
    peer.ask("NOTIFY", "certificates.us", {"reply": "evaluated"})
    assert len(runs(peer, "renew")) == 2


MISTAKES = {
    ("{seed.host}", "{seed.hots}"): 'The pipeline "outer" declares no seed "hots". Did you mean `host`?',
    ("request: inner", "request: iner"): 'The worker has no pipeline "iner". Did you mean `inner`?',
    ("kind: fast", "kind: 5"): "kind",
    ("key: {type: string, secret: true}", "key: {type: string}"): 'The seed `key` of the pipeline "inner" gets a secret value',
    (', kind: fast', ''): 'The pipeline "inner" requires the seed `kind`, which this request does not give.',
    ("auth: \"{value.outputs.login}\"", "auth: 'x {run.id}'"): "a placeholder must be the whole value",
    ("  renew:\n    seeds:", "  renew:\n    on: {monitor_failed: inner}\n    seeds:"): "No run of a pipeline causes this event.",
    ("pipelines:\n", "on: {parked: nobody}\npipelines:\n"): 'The worker has no pipeline "nobody".',
    ("{id: order, gate: {signal: \"renew.{run.id}\"}}", "{id: order, request: renew}"): "renew",
}


@pytest.mark.parametrize("change", MISTAKES, ids=[old + " -> " + new for old, new in MISTAKES])
def test_a_mistake_in_a_request_has_its_place_and_a_next_move(tmp_path, change):
    file = tmp_path / "worker.yaml"
    assert change[0] in YAML
    file.write_text(YAML.replace(*change))
    ended = subprocess.run(
        [FORGEBUS, "worker", "--check", "--config", file, "--store", "memory"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "COLUMNS": "10000"},
    )
    assert ended.returncode == 78, ended
    first = ended.stderr.splitlines()[0]
    assert first.startswith(f"{file}:") and MISTAKES[change] in first, ended.stderr
