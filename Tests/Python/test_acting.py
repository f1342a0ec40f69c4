"""A gateway that asks for others, with `as`: who it may ask for, whose requests they are, and what the history tells."""

import json
import os
import subprocess

import pytest
from peer import KeyedWorker
from worker import FORGEBUS

YAML = """
pipelines:
  deploy:
    actions:
      - {id: approve, gate: {signal: deploy.approve, approvals: 2}}
      - {id: push, run: ["true"]}
"""


class GatedWorker(KeyedWorker):
    """A worker whose `gateway` may ask for `ada` and `ben`, and whose `stranger` has no right."""

    principals = KeyedWorker.principals | {"gateway": (), "stranger": ()}

    def _make_keys(self):
        super()._make_keys()
        access = self.directory / "access.yaml"
        text = access.read_text().replace("  gateway:\n", "  gateway:\n    act_as: [run.ada, read.>, complete.ada, complete.ben]\n")
        access.write_text(text + '  guest:\n    keys: []\n    read: [">"]\n')


@pytest.fixture
def worker(tmp_path):
    worker = GatedWorker(tmp_path, YAML, store=tmp_path / "worker.sqlite")
    yield worker
    worker.kill()


def explain(worker, name):
    """The history of a run as `ada` reads it on the command line, with one space for several."""
    public, secret = (key.decode() for key in worker.keys["ada"])
    certificate = worker.directory / "ada.key_secret"
    certificate.write_text(f'metadata\ncurve\n    public-key = "{public}"\n    secret-key = "{secret}"\n')
    certificate.chmod(0o600)
    server = worker.directory / "worker.key"
    server.write_text(f'metadata\ncurve\n    public-key = "{worker.keys["worker"][0].decode()}"\n')
    words = [FORGEBUS, "explain", name, "--server-key", server, "--certificate", certificate]
    environment = {**os.environ, "FORGEBUS_ENDPOINT": worker.endpoint, "COLUMNS": "200"}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return " ".join(ended.stdout.split())


@pytest.mark.row(22)
def test_a_gateway_asks_for_others_and_everything_names_both(worker):
    gateway, ada = worker.peer("gateway"), worker.peer("ada")
    assert json.loads(gateway.ask("HELLO")[-1][3])["features"] == ["as", "last"]
    run = gateway.ask("RUN", "deploy", {"reply": "accepted", "as": "ada"}, id="key-1")[-1][2]
    # The same request with ada's own key is the same request.
    again = ada.ask("RUN", "deploy", {"reply": "accepted"}, id="key-1")[-1]
    assert again[2] == run and json.loads(again[3])["replayed"]
    ada.wait(f"run/{run}", "waiting")
    counted = gateway.ask("COMPLETE", "deploy.approve", {"as": "ada"}, b'"looks good"')[-1]
    assert json.loads(counted[3])["verdict"] == "counted"
    conflict = json.loads(ada.ask("REJECT", "deploy.approve")[-1][3])
    assert (conflict["verdict"], conflict["by"], conflict["via"]) == ("conflict", "ada", "gateway")
    worker.kill()
    worker.start()
    votes = worker.peer("ben").show("signal/deploy.approve")["votes"]
    assert [(vote["by"], vote["via"]) for vote in votes] == [("ada", "gateway")]
    gateway = worker.peer("gateway")
    assert json.loads(gateway.ask("COMPLETE", "deploy.approve", {"as": "ben"})[-1][3])["verdict"] == "delivered"
    worker.peer("ada").wait(f"run/{run}", "completed")
    history = explain(worker, run)
    assert "accepted" in history
    assert "principal ada" in history and "principal ben" in history
    assert history.count("via gateway") == 3


def refused(answer):
    """The grant that was missing."""
    error = json.loads(answer[3])
    assert error["code"] == "forbidden", error
    return error["grant"]


@pytest.mark.row(22)
def test_a_gateway_without_the_right_asks_for_nobody(worker):
    gateway, stranger, ada = worker.peer("gateway"), worker.peer("stranger"), worker.peer("ada")
    assert refused(stranger.ask("RUN", "deploy", {"as": "ada"})[-1]) == "act_as on run.ada"
    assert refused(ada.ask("SHOW", "worker", {"as": "ben"})[-1]) == "act_as on read.ben"
    assert refused(gateway.ask("RUN", "deploy", {"as": "ben"})[-1]) == "act_as on run.ben"
    assert refused(gateway.ask("ADMIN", "store.stats", {"as": "ada"})[-1]) == "act_as on admin.ada"
    assert refused(gateway.ask("SHOW", "worker", {"as": "nobody"})[-1]) == "read on worker"
    assert refused(gateway.ask("RUN", "deploy")[-1]) == "run on deploy"
    assert gateway.ask("SHOW", "worker", {"as": "guest"})[-1][0].split()[1] == "SHOWN", "who has no key of its own"
