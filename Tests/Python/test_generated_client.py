"""A client that a stock generator makes from the OpenAPI document: it notifies, runs, approves, waits and reads fields."""

import importlib
import json
import os
import subprocess
import sys

from gateway import Browser, Gateway
from worker import PATIENCE, Worker

YAML = """
monitors:
  stock:
    topics: [stock.>]
    actions: [{id: count, run: ["true"]}]
pipelines:
  deploy:
    seeds: {version: {type: string}, password: {type: string, secret: true}}
    outputs: [build]
    actions:
      - {id: build, run: [echo, '{"build": "42"}']}
      - {id: approve, gate: {signal: "deploy.{seed.version}", message: "Deploy {seed.version}?"}}
"""


def generated(directory, document):
    """The package that openapi-python-client makes of the document, imported."""
    (directory / "openapi.json").write_text(json.dumps(document))
    package = directory / "made" / "forgebus_http"
    package.parent.mkdir()
    program = os.path.join(os.path.dirname(sys.executable), "openapi-python-client")
    call = [program, "generate", "--path", directory / "openapi.json", "--output-path", package, "--meta", "none"]
    ended = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 0 and "WARNING" not in ended.stdout, ended.stdout + ended.stderr
    sys.path.insert(0, str(package.parent))
    try:
        importlib.import_module("forgebus_http")
        return lambda name: importlib.import_module(f"forgebus_http.{name}")
    finally:
        sys.path.remove(str(package.parent))


def test_a_generated_client_notifies_runs_approves_waits_and_reads_fields(directory):
    worker = Worker(directory, YAML)
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    made = generated(directory, Browser(gateway.port, token).get("/v1/openapi.json").json)
    client = made("client").AuthenticatedClient(f"http://127.0.0.1:{gateway.port}", token=token, timeout=PATIENCE)

    def call(tag, operation, *arguments, **options):
        answer = made(f"api.{tag}.{operation}").sync(*arguments, client=client, **options)
        # Every member has a field; a problem may have details of its own.
        assert "code" in answer.to_dict() or not answer.additional_properties, answer
        return answer

    with client:
        accepted = call("topics", "notify", "stock.sold", body={"apples": 2})
        assert (accepted.monitors, accepted.durability) == (1, "memory")
        evaluated = call("topics", "notify", "stock.sold", body=[1, "two"], prefer="wait=60")
        assert [(monitor.monitor, monitor.state) for monitor in evaluated.monitors] == [("stock", "ran")]
        assert evaluated.monitors[0].actions[0].result == "completed" and evaluated.pending == []
        assert call("monitors", "show_monitor", "stock").last.state == "ran"

        seeds = made("models").RunBody.from_dict({"version": "42", "password": "hush"})
        begun = call("pipelines", "run", "deploy", body=seeds, idempotency_key="deploy-42")
        assert begun.state == "accepted"
        assert call("pipelines", "run", "deploy", body=seeds, idempotency_key="deploy-42").run == begun.run
        while not (gates := call("gates", "list_gates").items):
            pass
        assert (gates[0].signal, gates[0].message, gates[0].you) == ("deploy.42", "Deploy 42?", "may_decide")
        waiting = call("runs", "show_run", begun.run)
        assert (waiting.state, waiting.waits[0].signal, waiting.action) == ("waiting", "deploy.42", "approve")
        verdict = call("gates", "approve", "deploy.42", idempotency_key="approve-42")
        assert (verdict.verdict, verdict.retention_ms > 0) == ("delivered", True)

        ended = call("runs", "show_run", begun.run, prefer="wait=60")
        assert (ended.state, ended.outputs["build"], ended.seeds.to_dict()) == ("completed", "42", {"version": "42"})
        assert [(action.action, action.result) for action in ended.actions] == [
            ("build", "completed"), ("approve", "completed"),
        ]
        assert (ended.signals[0].state, ended.signals[0].by) == ("approved", "local")
        again = call("gates", "reject", "deploy.42", idempotency_key="reject-42")
        assert (again.status, again.code, again.retryable) == (409, "decision_conflict", False)
        pipeline = call("pipelines", "show_pipeline", "deploy")
        assert (pipeline.seeds[1].secret, pipeline.actions[1].gate) == (True, "deploy.{seed.version}")
        assert call("gates", "show_gate", "deploy.42").state == "approved"
        assert [run.run for run in call("runs", "list_runs").items] == [begun.run]
        assert call("runs", "show_output", begun.run).entries[0].action == "build"
        assert call("monitors", "pause_monitor", "stock", ttl_ms=60_000).state == "paused"
        assert call("monitors", "show_monitor", "stock").paused.by == "local"
        assert call("worker", "show_worker").durability == "fsynced"
    gateway.stop()
    worker.stop()
