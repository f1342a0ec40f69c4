"""Makes the stores that a program leaves behind, so that every later program can be shown to go on with them.

    FORGEBUS=path/to/forgebus .build/python/bin/python Tests/Fixtures/make.py NAME

NAME is the program's commit or version, and becomes the directory beside this file. It gets two stores, each with its
worker file and, as JSON, what the program itself said of it: `local`, a copy that the worker made, and `keyed`, what is
left of a worker with keys that was killed. Tests/Python/test_past_stores.py and PastStoreTests read them.
"""

import json
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
sys.path += [str(ROOT / "Tests" / "Python"), str(ROOT / "examples" / "python")]

from past_stores import KeyedWorker, Peer  # noqa: E402
from worker import Worker  # noqa: E402

KEPT_LONGEST = "worker: {name: fixture, retention_ms: 2592000000, signal_retention_ms: 31536000000}"
LOCAL = KEPT_LONGEST + """
pipelines:
  deploy:
    seeds:
      name: {type: string}
      replicas: {type: integer, default: 2}
      ratio: {type: number, default: 0.5}
      draft: {type: boolean, default: false}
      hosts: {type: array, default: []}
      labels: {type: object, default: {}}
    outputs: [build, approve, ratio]
    actions:
      - {id: build, run: [sh, -c, 'echo "{\\"build\\": \\"by $FORGE_RUN\\"}"']}
      - {id: approve, gate: "deploy.{seed.name}.approve"}
      - {id: roll-out, run: [sh, -c, "cat > rolled-out"]}
  timed:
    actions:
      - {id: approve, gate: "timed.approve", deadline_ms: 2592000000}
  repair:
    actions:
      - {id: mend, run: [test, -e, mended], on_failure: park}
  call:
    actions:
      - id: call
        run: [sh, -c, "test -e reachable && echo $FORGE_ATTEMPT > called"]
        retry: {attempts: 9, backoff_ms: 300000}
  slow:
    slots: 1
    actions:
      - {id: wait, run: [sh, -c, "until test -e released; do sleep 0.05; done"]}
monitors:
  stock:
    topics: [stock.>]
    actions:
      - {id: restock, run: [sh, -c, "test -e stocked && cat > restocked"]}
"""
KEYED = KEPT_LONGEST + """
pipelines:
  deploy:
    seeds: {name: {type: string}}
    outputs: [approve]
    actions:
      - {id: approve, gate: "deploy.{seed.name}.approve", allowed: [ada, ben], requester_may_decide: false}
monitors:
  stock:
    topics: [stock.>]
    excluded_screens: [maintenance]
    actions:
      - {id: restock, run: [sh, -c, "cat > restocked"]}
"""
WEEK_MS = 604_800_000
YEAR_MS = 31_536_000_000


class Notes:
    """What a program says of its store while it fills it."""

    def __init__(self):
        self.facts = {"made_at_ms": time.time_ns() // 1_000_000, "runs": {}, "shown": {}, "answers": []}

    def begin(self, peer, name, pipeline, seeds=None, state=None, **attributes):
        """Has a run begun, and waits until it is in that state; its id is known as `name`."""
        ask = ("RUN", pipeline, {"reply": "accepted", **attributes}, seeds or {})
        self.facts["runs"][name] = run = peer.ask(*ask, id=f"r-{name}")[0][2]
        if state:
            peer.wait(f"run/{run}", state)
        return run

    def keep(self, peer, who, command, subject, attributes=None, body=b"", id=None):
        """Asks, and asks again: that answer is what the next worker is to give, byte for byte."""
        first = peer.ask(command, subject, attributes, body, id=id)
        again = peer.ask(command, subject, attributes, body, id=id)
        request = [command, subject, attributes, body.decode(), id]
        self.facts["answers"].append({"who": who, "request": request, "answers": again})
        return json.loads(first[-1][3])

    def show(self, peer, *items):
        for item in items:
            self.facts["shown"][item] = peer.show(item)

    def write(self, directory, name, configuration, files):
        """Puts the files in their place, and what is in them, counted by SQLite alone."""
        for file in files:
            shutil.copyfile(file, directory / (name + ".sqlite" + file.name.partition(".sqlite")[2]))
        (directory / f"{name}.yaml").write_text(configuration)
        with tempfile.TemporaryDirectory() as place:
            for file in directory.glob(f"{name}.sqlite*"):
                shutil.copyfile(file, pathlib.Path(place) / file.name)
            database = sqlite3.connect(pathlib.Path(place) / f"{name}.sqlite")
            kinds = database.execute("SELECT kind, count(*) FROM records GROUP BY kind").fetchall()
            self.facts["records"] = {str(kind): count for kind, count in kinds}
            self.facts["journal"] = database.execute("SELECT count(*) FROM journal").fetchone()[0]
            database.close()
        (directory / f"{name}.json").write_text(json.dumps(self.facts, indent=1) + "\n")


def make_local(directory):
    notes = Notes()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        worker = Worker(place, LOCAL)
        peer = Peer(worker.endpoint)
        fill_local(notes, peer, place)
        peer.ask("ADMIN", "store.backup", body=b'{"name":"copy"}')
        worker.kill()
        notes.write(directory, "local", LOCAL, [place / "copy"])


def fill_local(notes, peer, place):
    # What ended, in each way.
    gate = "deploy.p.approve"
    notes.begin(peer, "approved", "deploy", {"name": "p"}, "waiting")
    notes.keep(peer, None, "COMPLETE", gate, {"durability": "fsynced"}, b'{"by":"ada"}', "c-delivered")
    notes.keep(peer, None, "COMPLETE", gate, None, b'{"by":"ada"}', "c-duplicate")
    notes.keep(peer, None, "COMPLETE", gate, None, b"", "c-empty")
    notes.keep(peer, None, "COMPLETE", gate, None, b"null", "c-null")
    notes.keep(peer, None, "REJECT", gate, {"keep_ms": 0}, b'"not on a Friday"', "j-conflict")
    notes.keep(peer, None, "RUN", "deploy", None, b'{"name":"p"}', "r-approved")
    for name, value in (("s", b""), ("t", b"null")):
        notes.begin(peer, f"approved-{name}", "deploy", {"name": name, "ratio": 1}, "waiting")
        notes.keep(peer, None, "COMPLETE", f"deploy.{name}.approve", None, value, f"c-{name}")
        notes.keep(peer, None, "RUN", "deploy", None, b'{"name":"%s","ratio":1}' % name.encode(), f"r-approved-{name}")
    notes.keep(peer, None, "REJECT", "deploy.q.approve", {"keep_ms": WEEK_MS}, b"", "j-buffered")
    notes.begin(peer, "rejected", "deploy", {"name": "q"}, "failed")
    notes.keep(peer, None, "RUN", "deploy", None, b'{"name":"q"}', "r-rejected")
    cancelled = notes.begin(peer, "cancelled", "deploy", {"name": "r"}, "waiting")
    notes.keep(peer, None, "CANCEL", cancelled, None, b'"wrong version"', "k-1")
    notes.keep(peer, None, "RUN", "deploy", None, b'{"name":"r"}', "r-cancelled")
    redriven = notes.begin(peer, "redriven", "repair", None, "parked")
    (place / "mended").touch()
    notes.keep(peer, None, "REDRIVE", redriven, None, b"", "d-1")
    notes.keep(peer, None, "RUN", "repair", None, b"{}", "r-redriven")
    (place / "mended").unlink()
    notes.keep(peer, None, "ADMIN", "store.verify", None, b"", "o-1")
    # What has not ended, in each state.
    seeds = {"replicas": 3, "ratio": 9007199254740993, "draft": True, "hosts": ["x"], "labels": {"k": "v"}}
    notes.begin(peer, "waiting", "deploy", {"name": "a", **seeds}, "waiting")
    notes.begin(peer, "timed", "timed", None, "waiting", deadline_ms=YEAR_MS)
    notes.begin(peer, "parked", "repair", None, "parked", deadline_ms=YEAR_MS)
    notes.begin(peer, "retrying", "call", None, "retrying")
    notes.begin(peer, "executing", "slow", None, "running")
    notes.begin(peer, "queued", "slow", None, "queued")
    # Decisions that nobody waits for yet, and what a monitor is owed.
    notes.keep(peer, None, "COMPLETE", "deploy.early.approve", {"keep_ms": WEEK_MS}, b'{"by":"ben"}', "c-early")
    notes.keep(peer, None, "REJECT", "deploy.never.approve", {"keep_ms": WEEK_MS}, b'"no"', "j-early")
    peer.ask("NOTIFY", "stock.apples", {"durability": "fsynced"}, b"none left")
    runs = notes.facts["runs"]
    told = ("approved", "rejected", "cancelled", "redriven")
    notes.show(peer, f"signal/{gate}", "signal/timed.approve", "signal/deploy.early.approve")
    notes.show(peer, *(f"run/{runs[name]}" for name in (*told, "waiting", "timed", "parked")))
    notes.show(peer, *(f"history/{runs[name]}" for name in told))


def make_keyed(directory):
    notes = Notes()
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        worker = KeyedWorker(place, KEYED)
        fill_keyed(notes, {who: worker.peer(who) for who in worker.principals})
        worker.kill()
        left = [file for file in place.glob("worker.sqlite*") if file.suffix not in (".reserve", ".commands")]
        notes.write(directory, "keyed", KEYED, left)


def fill_keyed(notes, peers):
    ada, ben, eve = peers["ada"], peers["ben"], peers["eve"]
    notes.keep(ada, "ada", "MODE", ">", {"ttl_ms": WEEK_MS}, b'{"screen":"maintenance"}', "m-1")
    ada.ask("NOTIFY", "stock.apples", {"durability": "fsynced"}, b"none left")
    notes.begin(ada, "approved", "deploy", {"name": "p"}, "waiting")
    for who, peer in peers.items():
        notes.keep(peer, who, "COMPLETE", "deploy.p.approve", None, b'{"by":"anybody"}', "c-1")
    notes.keep(ada, "ada", "RUN", "deploy", None, b'{"name":"p"}', "r-approved")
    notes.begin(ada, "waiting", "deploy", {"name": "a"}, "waiting")
    notes.keep(ben, "ben", "COMPLETE", "deploy.early.approve", {"keep_ms": WEEK_MS}, b'"ben"', "c-2")
    notes.keep(ada, "ada", "COMPLETE", "deploy.own.approve", {"keep_ms": WEEK_MS}, b'"ada"', "c-2")
    notes.show(eve, "signal/deploy.p.approve", "signal/deploy.a.approve", "monitor/stock")
    notes.show(ada, *(f"history/{run}" for run in notes.facts["runs"].values()))


if __name__ == "__main__":
    target = pathlib.Path(__file__).parent / sys.argv[1]
    target.mkdir()
    make_local(target)
    make_keyed(target)
