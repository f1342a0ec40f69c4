"""The OpenAPI document against the gateway: what schemathesis makes of it gets a documented answer, and never a 5xx."""

import os
import re
import subprocess
import sys

import pytest
from gateway import Browser, Gateway
from worker import Worker

pytest.importorskip("schemathesis")
CASES = 20_000 if os.environ.get("FORGE_FULL") == "1" else 300
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "unsupported_method", "allow_header_conformance", "negative_data_rejection",
    "ignored_auth",
]
YAML = """
monitors:
  "0":
    topics: [">"]
    minimum_gap: 1s
    actions: [{id: look, run: ["true"]}]
pipelines:
  "0":
    seeds: {name: {type: string, default: x}}
    actions: [{id: approve, gate: {signal: "gate.{run.id}"}}]
"""


def test_every_request_that_the_document_allows_or_forbids_gets_a_documented_answer(directory, score):
    worker = Worker(directory, YAML, store="memory")
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    assert Browser(gateway.port, token).get("/v1/openapi.json").json["openapi"] == "3.1.0"
    ended = subprocess.run(
        [
            os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run",
            f"http://127.0.0.1:{gateway.port}/v1/openapi.json", "--header", f"Authorization: Bearer {token}",
            "--checks", ",".join(CHECKS), "--exclude-path", "/v1/events/{pattern}", "--phases", "coverage,fuzzing",
            # About 30 cases for each example that it may try.
            "--max-examples", str(CASES // 25), "--seed", "1", "--no-color",
        ],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=1500,
    )
    assert ended.returncode == 0, ended.stdout[-8000:] + ended.stderr[-2000:]
    made = int(re.search(r"(\d+) generated", ended.stdout).group(1))
    assert made >= CASES, ended.stdout[-2000:]
    score.take(made)
    assert Browser(gateway.port).get("/readyz").status == 200
    gateway.stop()
    worker.stop()
