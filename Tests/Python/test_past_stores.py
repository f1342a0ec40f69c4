"""What past programs left, in Tests/Fixtures: this one opens it, goes on with all of it, and repeats every kept answer.

The worker's clock on the wall stands an hour, or some weeks, after the store was made: so nothing of it is too old, whenever
the test runs.
"""

import json
import shutil
import subprocess
import sys
import time

import pytest

from past_stores import KeyedWorker, Peer, wall_clock
from worker import FORGEBUS, PATIENCE, ROOT, Worker

PROGRAMS = sorted(path.parent.name for path in (ROOT / "Tests" / "Fixtures").glob("*/local.json"))
HOUR = 3_600
WEEK = 7 * 24 * HOUR

pytestmark = [
    pytest.mark.parametrize("program", PROGRAMS),
    pytest.mark.skipif(sys.platform != "linux", reason="the worker's clock can be set so on Linux only"),
]


class Left:
    """A copy of one of a program's stores, and what the program said of it."""

    def __init__(self, program, name, directory):
        fixtures = ROOT / "Tests" / "Fixtures" / program
        self.facts = json.loads((fixtures / f"{name}.json").read_text())
        self.configuration = (fixtures / f"{name}.yaml").read_text()
        self.runs, self.directory = self.facts["runs"], directory
        for file in fixtures.glob(f"{name}.sqlite*"):
            shutil.copyfile(file, directory / file.name.replace(name, "worker", 1))

    def open(self, kind, after):
        """A worker that goes on with it so many seconds after it was left."""
        shift = round(self.facts["made_at_ms"] / 1000 - time.time() + after)
        return kind(self.directory, self.configuration, environment=wall_clock(shift))

    def read(self, name):
        return (self.directory / name).read_text()

    def check_told(self, peer):
        """What was shown is shown, and no history has lost anything."""
        for item, shown in self.facts["shown"].items():
            assert is_in(shown, peer.show(item)), (shown, peer.show(item))

    def check_answers(self, peer_of):
        """Every request that was answered gets the same bytes again."""
        for kept in self.facts["answers"]:
            command, subject, attributes, body, id = kept["request"]
            assert peer_of(kept["who"]).ask(command, subject, attributes, body.encode(), id) == kept["answers"], id


def is_in(old, new):
    """Whether all of it is still told; new members may be there, and a deadline may be a millisecond off."""
    if isinstance(old, dict):
        return all(key in new and is_in(value, new[key]) for key, value in old.items())
    if isinstance(old, list):
        return all(any(is_in(value, other) for other in new) for value in old)
    return old == new or (isinstance(old, int) and abs(old - new) <= 1)


def result(peer, run):
    """How a run ends: its state and its outputs."""
    *_, attributes, body = peer.ask("ATTACH", run)[-1]
    return json.loads(attributes)["state"], json.loads(body)["outputs"]


def verdict(peer, signal, body=b"", command="COMPLETE", **options):
    return json.loads(peer.ask(command, signal, body=body, **options)[-1][3])["verdict"]


def run(peer, pipeline, **seeds):
    """A new run's end: its state and its outputs."""
    *_, attributes, body = peer.ask("RUN", pipeline, body=seeds)[-1]
    return json.loads(attributes)["state"], json.loads(body)["outputs"]


@pytest.fixture
def local(program, directory):
    left = Left(program, "local", directory)
    for name in ("mended", "reachable", "released", "stocked"):
        (directory / name).touch()
    worker = left.open(Worker, HOUR)
    try:
        yield left, worker, Peer(worker.endpoint)
    finally:
        worker.stop()


def test_what_was_told_is_told_again(local):
    left, worker, peer = local
    left.check_answers(lambda _: peer)
    left.check_told(peer)
    assert '"sound":true' in peer.ask("ADMIN", "store.verify")[0][3]
    command = [FORGEBUS, "explain", left.runs["approved"], "--endpoint", worker.endpoint]
    explained = subprocess.check_output(command, text=True, timeout=PATIENCE)
    assert "principal local  request c-delivered  decision approved  verdict delivered" in explained


def test_every_run_that_had_not_ended_goes_on(local):
    left, _, peer = local
    assert verdict(peer, "deploy.a.approve", b'{"by":"eve"}') == "delivered"
    state, outputs = result(peer, left.runs["waiting"])
    assert (state, outputs["approve"]) == ("completed", {"by": "eve"})
    assert outputs["ratio"] == 9007199254740993
    assert outputs["build"] == f"by {left.runs['waiting']}"
    context = json.loads(left.read("rolled-out"))
    assert (context["replicas"], context["draft"], context["hosts"], context["labels"]) == (3, True, ["x"], {"k": "v"})
    assert verdict(peer, "timed.approve") == "delivered"
    assert json.loads(peer.ask("REDRIVE", left.runs["parked"])[0][3])["state"] in ("queued", "running")
    for name in ("timed", "parked", "retrying", "executing", "queued"):
        assert result(peer, left.runs[name])[0] == "completed", name
    assert left.read("called") == "2\n"


def test_a_gate_that_was_approved_without_a_value_was_approved_with_null(local):
    _, _, peer = local
    assert verdict(peer, "deploy.s.approve", b"null") == verdict(peer, "deploy.t.approve") == "duplicate"
    assert verdict(peer, "deploy.p.approve", b"null") == "conflict"


def test_decisions_that_came_early_are_used(local):
    _, _, peer = local
    assert verdict(peer, "deploy.early.approve", b'{"by":"ben"}') == "duplicate"
    state, outputs = run(peer, "deploy", name="early")
    assert (state, outputs["approve"]) == ("completed", {"by": "ben"})
    assert run(peer, "deploy", name="never")[0] == "failed"


def test_decisions_that_came_early_can_be_withdrawn(local):
    _, _, peer = local
    kept = json.loads(peer.ask("LIST", "early")[0][4])
    assert [item["signal"] for item in kept] == ["deploy.early.approve", "deploy.never.approve"]
    # Their senders were told that they are kept.
    assert all(decision["asked"] for item in kept for decision in item["decisions"])
    assert json.loads(peer.ask("WITHDRAW", "deploy.never.approve")[0][3])["state"] == "withdrawn"
    answers = peer.ask("RUN", "deploy", {"reply": "accepted"}, {"name": "never"})
    peer.wait(f"run/{answers[0][2]}", "waiting")


def test_a_monitor_gets_the_cycle_that_it_was_owed(local):
    left, _, _ = local
    topics = None
    while not topics:
        try:
            topics = json.loads(left.read("restocked"))["topics"]
        except (FileNotFoundError, json.JSONDecodeError):
            time.sleep(0.02)  # The cycle of the start, which covers what was owed, has not written it yet.
    assert [(topic["topic"], topic["body"]) for topic in topics][:1] == [("stock.apples", "none left")]


@pytest.mark.row(18)
def test_what_was_to_end_meanwhile_has_ended(program, directory):
    left = Left(program, "local", directory)
    (directory / "released").touch()
    worker = left.open(Worker, 6 * WEEK)
    try:
        peer = Peer(worker.endpoint)
        assert verdict(peer, "timed.approve") == "expired"
        # The answers were to be kept for 30 days, early decisions for 7.
        assert peer.ask("SHOW", f"run/{left.runs['approved']}")[0][0] == "FORGE/1 ERROR"
        assert peer.ask("SHOW", "signal/deploy.early.approve")[0][0] == "FORGE/1 ERROR"
        assert peer.show(f"run/{left.runs['parked']}")["state"] == "parked"
    finally:
        worker.stop()


def test_a_store_with_principals_keeps_them_apart(program, directory):
    left = Left(program, "keyed", directory)
    worker = left.open(KeyedWorker, HOUR)
    try:
        peers = {who: worker.peer(who) for who in worker.principals}
        left.check_answers(peers.get)
        left.check_told(peers["ada"])
        assert verdict(peers["ada"], "deploy.a.approve") == "forbidden"
        assert verdict(peers["eve"], "deploy.a.approve") == "forbidden"
        assert verdict(peers["ben"], "deploy.a.approve", b'"by ben"') == "delivered"
        assert result(peers["ada"], left.runs["waiting"]) == ("completed", {"approve": "by ben"})
        assert run(peers["ada"], "deploy", name="early") == ("completed", {"approve": "ben"})
        # The early decision of whoever requested the run is none: it waits.
        answers = peers["ada"].ask("RUN", "deploy", {"reply": "accepted"}, {"name": "own"})
        peers["ada"].wait(f"run/{answers[0][2]}", "waiting")
        assert not (directory / "restocked").exists()
        peers["ada"].ask("MODE", ">", {"ttl_ms": 1000}, b'{"screen":null}')
        peers["ada"].wait("monitor/stock", "idle")
        assert json.loads(left.read("restocked"))["topics"][0]["body"] == "none left"
    finally:
        worker.stop()
