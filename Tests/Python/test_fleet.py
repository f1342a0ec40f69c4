"""A fleet of real workers with keys, asked by `forgebus fleet`: each is named rightly, and a roll-out survives its asker."""

import datetime
import hashlib
import json
import os
import random
import re
import secrets
import signal
import subprocess
import time

import pytest
import zmq.auth

from worker import FORGEBUS, PATIENCE, Worker

IS_FULL = os.environ.get("FORGE_FULL") == "1"
SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
KILLS = 100 if IS_FULL else 5
CONFIGURATION = """
worker: {{name: {name}}}
monitors:
  password-age: {{topics: ["policy.>"], interval: 5m, actions: [{{id: check, run: [./check]}}]}}
pipelines:
  remedy:
    actions: [{{id: set, run: [sh, -c, "echo $FORGE_TOKEN >>effects; sleep 0.02; echo 1 >age"]}}]
"""
ACCESS = """
principals:
  operator:
    keys: ["{operator}"]
    tokens: [{{hash: {hash}}}]
    notify: ["policy.>"]
    run: [remedy]
    read: [">"]
    mode: [">"]
  gateway: {{keys: ["{gateway}"], act_as: [notify.operator, read.operator]}}
"""
# The age of the machine's password, and the policy beside all machines.
CHECK = '#!/bin/sh\n[ "$(cat age)" -le "$(cat ../policy)" ] || {{ echo "age $(cat age)" >&2; exit 1; }}\n'.replace("{{", "{").replace("}}", "}")
CONTROL = """
worker: {name: control}
pipelines:
  roll-out:
    seeds: {change: {type: string}}
    actions: [{id: roll, run: [./roll], retry: {attempts: 20, backoff: 1ms}}]
"""


class Fleet:
    """Workers in directories of their own, their inventory, and an operator's keys and token."""

    def __init__(self, directory, names, monitored=None, make=Worker):
        self.directory = directory
        (directory / "policy").write_text("90\n")
        names, own = list(names), ["operator", "gateway"]
        self.keygen(*own, *names)
        self.key = {name: zmq.auth.load_certificate(directory / f"{name}.key")[0].decode() for name in own + names}
        self.token = secrets.token_hex(16)
        (directory / "access.yaml").write_text(ACCESS.format(hash=hashlib.sha256(self.token.encode()).hexdigest(), **self.key))
        self.workers = {}
        for name in names:
            home = directory / name
            home.mkdir()
            (home / "age").write_text("30\n")
            (home / "check").write_text(CHECK)
            (home / "check").chmod(0o755)
            text = CONFIGURATION.format(name=name)
            if monitored is not None and name not in monitored:
                text = text.replace("policy.>", "other.>")
            keys = ["--access", directory / "access.yaml", "--certificate", directory / f"{name}.key_secret"]
            self.workers[name] = make(home, text, arguments=keys)
        self.write({name: (worker.endpoint, self.key[name]) for name, worker in self.workers.items()})

    def keygen(self, *names):
        for name in names:
            subprocess.run([FORGEBUS, "keygen", self.directory / name], check=True, stdout=subprocess.DEVNULL)

    def write(self, workers):
        text = "workers:\n" + "".join(
            f'  {name}: {{endpoint: "{endpoint}", key: "{key}"}}\n' for name, (endpoint, key) in workers.items()
        )
        (self.directory / "fleet.yaml").write_text(text)
        (self.directory / "fleet.yaml").chmod(0o600)

    def command(self, *words):
        own = ["--fleet", self.directory / "fleet.yaml", "--certificate", self.directory / "operator.key_secret"]
        return [FORGEBUS, "fleet", *words, *own, "-o", "jsonl"]

    def ask(self, *words):
        """The exit code, the state of each worker's lines, and the numbers."""
        ended = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=PATIENCE)
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert lines, ended.stderr
        return ended.returncode, lines[:-1], lines[-1]["counts"]

    def stop(self):
        for worker in self.workers.values():
            if worker.process.poll() is None:
                worker.kill()


@pytest.fixture
def fleets():
    made = []
    yield lambda *arguments: made.append(Fleet(*arguments)) or made[-1]
    for fleet in made:
        fleet.stop()


def states(lines):
    return {line["worker"]: line["state"] for line in lines}


def test_each_worker_that_is_not_as_it_should_be_is_named_and_the_rest_converge(directory, fleets):
    names = ["dead", "good", "idle", "late", "misnamed", "paused", "strange", "violates"]
    fleet = fleets(directory, names, {*names} - {"idle"})
    (directory / "violates" / "age").write_text("95\n")
    pause = [FORGEBUS, "pause", "monitor", "password-age", "CHG-1182", "--for", "1h", "-e", fleet.workers["paused"].endpoint]
    keys = ["--server-key", fleet.key["paused"], "--certificate", directory / "operator.key_secret"]
    subprocess.run([*pause, *keys], check=True, stdout=subprocess.DEVNULL)
    fleet.workers["dead"].kill()
    fleet.workers["late"].process.send_signal(signal.SIGSTOP)
    # Its access file does not have the operator any more, and another worker answers under a name.
    (directory / "strange.yaml").write_text(f'principals: {{other: {{keys: ["{fleet.key["good"]}"], read: [">"]}}}}\n')
    stranger = fleet.workers["strange"]
    stranger.kill()
    stranger.arguments[stranger.arguments.index("--access") + 1] = directory / "strange.yaml"
    stranger.start()
    inventory = {name: (worker.endpoint, fleet.key[name]) for name, worker in fleet.workers.items()}
    inventory["renamed"] = inventory.pop("misnamed")
    fleet.write(inventory)
    # Longer than a handshake may take: one that nobody answers is silence, too.
    code, lines, counts = fleet.ask("notify", "policy.password-age", "--patience", "12s")
    assert states(lines) == {
        "dead": "silent",
        "good": "converged",
        "idle": "no monitor",
        "late": "silent",
        "renamed": "wrong worker",
        "paused": "waived",
        "strange": "refused",
        "violates": "failed",
    }
    assert code == 1 and sum(counts.values()) == len(names)
    paused = next(line for line in lines if line["worker"] == "paused")["paused"]
    assert paused["by"] == "operator" and paused["until_ms"] and paused["reason"] == "CHG-1182"
    # Nobody has failed any more, then nobody is silent, then nobody is refused.
    chosen = ["--patience", "5s", "--on"]
    assert fleet.ask("notify", "policy.password-age", *chosen, "good,dead")[0] == 75
    assert fleet.ask("notify", "policy.password-age", *chosen, "good,strange")[0] == 77
    assert fleet.ask("notify", "policy.password-age", *chosen, "idle")[0] == 3
    assert fleet.ask("notify", "policy.password-age", *chosen, "good")[0] == 0
    # Back again, it is asked again.
    asking = subprocess.Popen(fleet.command("notify", "policy.password-age", "--on", "late,good", "--until", "2m"), stdout=subprocess.PIPE)
    fleet.workers["late"].process.send_signal(signal.SIGCONT)
    assert asking.wait(PATIENCE) == 0
    asking.stdout.close()


def test_a_change_of_which_nobody_was_told_is_seen_as_not_evaluated(directory, fleets):
    fleet = fleets(directory, ["web-01", "web-02", "web-03"])
    assert fleet.ask("notify", "policy.password-age")[::2] == (0, {"converged": 3})
    changed = f"{time.time_ns() // 1_000_000}"
    (directory / "policy").write_text("20\n")
    assert fleet.ask("monitors")[::2] == (0, {"ok": 3})
    assert fleet.ask("monitors", "--since", changed)[::2] == (75, {"not yet": 3})
    assert fleet.ask("notify", "policy.password-age")[::2] == (1, {"failed": 3})
    code, lines, counts = fleet.ask("workers")
    assert code == 0 and counts == {"here": 3}
    assert len({(line["details"]["access"], line["details"]["definitions"]) for line in lines}) == 1


def test_what_a_notification_prints_still_proves_it_when_clocks_have_gone_apart(directory, fleets):
    fleet = fleets(directory, ["web-01", "web-02"])
    begun = time.time()
    told = subprocess.run(fleet.command("notify", "policy.password-age")[:-2], capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0
    since = re.search(r"--since (\S+)", told.stdout + told.stderr)[1]
    # Clocks go apart by 0.1 % of the time since: for a day, that is 86.4 s.
    assert begun - datetime.datetime.fromisoformat(since).timestamp() > 86.4
    assert fleet.ask("monitors", "--topic", "policy.password-age", "--since", since)[::2] == (0, {"converged": 2})
    # Where somebody has not evaluated it, the moment of the notification counts.
    (directory / "policy").write_text("20\n")
    begun = time.time()
    told = subprocess.run(fleet.command("notify", "policy.password-age")[:-2], capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 1
    since = re.search(r"--since (\S+)", told.stdout + told.stderr)[1]
    assert datetime.datetime.fromisoformat(since).timestamp() > begun - 1


def test_a_roll_out_whose_asker_is_killed_again_and_again_has_each_effect_once(directory, fleets, score):
    """The asker is the action of a pipeline; its worker is killed at random moments, and goes on when it starts again."""
    names = [f"web-{number:02}" for number in range(4)]
    fleet = fleets(directory, names)
    home = directory / "control"
    home.mkdir()
    roll = " ".join(f"'{word}'" for word in fleet.command("run", "remedy", "--batch", "1,100%", "--patience", "60s")[:-2])
    (home / "roll").write_text(f'#!/bin/sh\nexec {roll} --id "$FORGE_RUN"\n')
    (home / "roll").chmod(0o755)
    chance, times = random.Random(SEED), []
    control = Worker(home, CONTROL)
    try:
        for trial in range(KILLS):
            run = [FORGEBUS, "run", "roll-out", f"change=CHG-{trial}", "--id", f"change-{trial}", "-e", control.endpoint]
            subprocess.run([*run, "--detach"], check=True, stdout=subprocess.DEVNULL)
            begun = time.monotonic()
            # Where it is killed is drawn: before the first machine, between two, or after the last one.
            time.sleep(chance.uniform(0, 0.4))
            control.kill()
            control.start()
            ended = subprocess.run([*run, "--patience", "60s"], capture_output=True, text=True, timeout=PATIENCE)
            assert ended.returncode == 0, f"FORGE_SEED={SEED}\n{ended.stdout}{ended.stderr}"
            times.append(time.monotonic() - begun)
            for name in names:
                effects = (directory / name / "effects").read_text().split()
                assert len(effects) == len(set(effects)) == trial + 1, f"{name}, FORGE_SEED={SEED}: {effects}"
    finally:
        control.kill()
    score.take(KILLS, 0, times, SEED)


def test_an_inventory_with_an_error_asks_nobody(directory, fleets):
    fleet = fleets(directory, ["web-01"])
    fleet.write({"web-01": (fleet.workers["web-01"].endpoint, fleet.key["web-01"]), "web-02": ("tcp://10.1.0.1:7717", "short")})
    ended = subprocess.run(fleet.command("monitors"), capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 78 and json.loads(ended.stdout)["line"] == 3
