"""Runs that tell of events, and a worker that is killed at random: each event is told at least once, under one token."""

import json
import os
import random

import pytest

from peer import Peer
from worker import Worker

SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
KILLS = 100 if os.environ.get("FORGE_FULL") else 12
CONFIGURATION = """
on: {parked: tell}
pipelines:
  tell:
    seeds: {ids: {type: array}}
    actions:
      - id: write
        run: [sh, -c, 'echo "$FORGE_TOKEN $(sed -E "s/.*\\"ids\\":\\[([^]]*)\\].*/\\\\1/; s/[\\",]/ /g")" >> told']
  fails:
    actions:
      - {id: fail, run: ["false"], on_failure: park}
"""


def told(directory):
    """By parked run: the tokens under which it was told."""
    tokens = {}
    file = directory / "told"
    for line in file.read_text().splitlines() if file.exists() else []:
        token, *runs = line.split()
        for run in runs:
            tokens.setdefault(run, set()).add(token)
    return tokens


def has_told(peer):
    """Whether no run is left that would still tell something; redrives one whose worker died too often during its action."""
    items = json.loads(peer.ask("LIST", "runs", {"pipeline": "tell", "order": "newest", "limit": 500})[-1][4])
    for item in items:
        if item["state"] == "parked":
            peer.ask("REDRIVE", item["run"])
    return not peer.show("worker").get("requested_runs") and {item["state"] for item in items} <= {"completed"}


def check(worker, runs, score, seed):
    """Waits until everything is told that ever will be: of each of the runs, under one token."""
    peer = Peer(worker.endpoint)
    for run in runs:
        peer.wait(f"run/{run}", "parked")
    while not has_told(peer):
        pass
    tokens = told(worker.directory)
    untold = [run for run in runs if run not in tokens]
    repeated = {run: found for run, found in tokens.items() if len(found) > 1}
    score.n, score.violations = len(runs), len(untold) + len(repeated)
    assert not untold, f"FORGE_SEED={seed}: nobody was told of {untold}"
    assert not repeated, f"FORGE_SEED={seed}: told under several tokens: {repeated}"


@pytest.mark.row(1)
def test_each_parked_run_is_told_of_under_one_token(directory, score):
    chance = random.Random(SEED)
    worker = Worker(directory, CONFIGURATION)
    runs = []
    for number in range(KILLS):
        peer = Peer(worker.endpoint)
        for part in range(chance.randrange(1, 5)):
            attributes = {"reply": "accepted", "durability": "fsynced"}
            runs.append(peer.ask("RUN", "fails", attributes, id=f"{number}-{part}")[-1][2])
        # Somewhere between the acceptance and the end of what tells of it.
        if chance.random() < 0.5:
            peer.wait(f"run/{runs[-1]}", "parked")
        if chance.random() < 0.5:
            peer.ask("PING")
        worker.kill()
        worker.start()
    check(worker, runs, score, SEED)
    worker.stop()
