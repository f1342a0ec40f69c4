"""Which of several errors a request gets: the order that Protocol.md gives for RUN."""

import json
import re

import pytest

from peer import Peer
from worker import ROOT, Worker

CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string}}
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
"""
DOCUMENT = ROOT / "Sources" / "ForgeBusProtocol" / "ForgeBusProtocol.docc" / "Protocol.md"
FSYNCED = {"durability": "fsynced"}
# Each is wrong in what its code says, and in what every code behind it says as far as both can be.
REQUESTS = [
    ("bad_name", "no pipeline", {"deadline_ms": 0}, b"["),
    ("bad_attribute", "missing", {"deadline_ms": 0}, b"["),
    ("bad_body", "missing", FSYNCED, b"["),
    ("id_conflict", "missing", FSYNCED, b'{"unknown":1}'),
    ("not_durable", "missing", FSYNCED, b'{"unknown":1}'),
    ("unknown_pipeline", "missing", None, b'{"unknown":1}'),
    ("bad_seed", "deploy", None, b'{"unknown":1}'),
    ("id_taken", "deploy", None, b'{"name":"a"}'),
]


@pytest.fixture
def peer(directory):
    worker = Worker(directory, CONFIGURATION, store="memory")
    try:
        yield Peer(worker.endpoint)
    finally:
        worker.stop()


def test_the_first_error_that_is_due_is_told(peer):
    peer.ask("RUN", "deploy", {"reply": "accepted"}, {"name": "a"}, id="taken")
    for code, subject, attributes, body in REQUESTS:
        id = "taken" if code == "id_conflict" else None
        answer = peer.ask("RUN", subject, attributes, body, id=id)[-1]
        assert json.loads(answer[3])["code"] == code


def test_that_order_is_the_document_s():
    [order] = re.findall(r"Where several errors are due,.*?\n\n", DOCUMENT.read_text(), re.DOTALL)
    told = re.findall(r"`([a-z_]+)`", order)
    codes = [code for code, *_ in REQUESTS if code in told]
    assert codes == [code for code in told if code in codes]
