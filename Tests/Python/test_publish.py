"""`forgebus publish`, and the page *Publish or send*, executed: real publishers and workers with keys, in processes."""

import os
import re
import signal
import subprocess
import time

import pytest
from worker import FORGEBUS, PATIENCE, ROOT, Worker, keyed

PAGE = ROOT / "Sources/ForgeBusWorker/ForgeBusWorker.docc/PublishOrSend.md"
SECTION = re.search(r"## Publish to workers with keys\n(.*?)\n## ", PAGE.read_text(), re.S)[1]
ACCESS, SETTINGS = re.findall(r"```yaml\n(.*?)```", SECTION, re.S)
KEYGEN, SERVE, PUBLISH = re.findall(r"```sh\n(.*?)```", SECTION, re.S)
TOPIC = "policy.password-age"
YAML = """
worker:
  publications:
    connect:
      - {{endpoint: "{endpoint}", principal: control, key: "{key}"}}
monitors:
  password-age:
    topics: [policy.>]
    minimum_gap: 0s
    actions:
      - {{id: check, run: [sh, -c, "cat >> causes; echo >> causes"]}}
"""
PRINCIPALS = """
principals:
  control: {{keys: ["{control}"], notify: ["policy.password-age", "policy.last.>"]}}
  stranger: {{keys: ["{stranger}"]}}
  operations: {{keys: ["{operations}"], read: [worker]}}
"""


class Member(Worker):
    """A worker with keys that connects to `control`, and writes down what each of its cycles was told."""

    def __init__(self, directory):
        self.causes = directory / "causes"
        self.publisher = f"ipc://{directory}/control.ipc"
        arguments, self.keys = keyed(directory, PRINCIPALS, "control", "stranger", "operations")
        key = self.keys["control"][1].decode()
        super().__init__(directory, YAML.format(endpoint=self.publisher, key=key), arguments=arguments)

    def told(self):
        return re.findall(r'"topic":"([^"]*)"', self.causes.read_text()) if self.causes.exists() else []

    def cycles(self):
        return self.causes.read_text().count("\n") if self.causes.exists() else 0

    def counter(self, name):
        arguments = ["-e", self.endpoint, "--server-key", self.directory / "worker.key"]
        arguments += ["--certificate", self.directory / "operations.key_secret", "-o", "json"]
        shown = forgebus("status", *arguments)
        found = re.search(rf'"{name}":(\d+)', shown.stdout)
        assert found, shown
        return int(found[1])

    def await_log(self, text):
        until(lambda: text in self.said(), f"the worker does not say {text}")

    def publish(self, topic, *arguments, key="control"):
        """Publishes from a process of its own, which binds where the worker connects."""
        return forgebus("publish", topic, *arguments, *self.binding(key))

    def publishing(self, *arguments):
        """A publisher that has not ended."""
        command = [FORGEBUS, "publish", *arguments]
        return subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def binding(self, key="control"):
        certificate = self.directory / f"{key}.key_secret"
        return "--bind", self.publisher, "--certificate", certificate, "--allow", self.directory / "worker.key"


def until(holds, message):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, message
        time.sleep(0.01)


def environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}


def forgebus(*arguments):
    return subprocess.run([FORGEBUS, *arguments], env=environment(), capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture
def member(directory):
    worker = Member(directory)
    yield worker
    worker.kill()


def test_the_page_makes_a_worker_hear_a_publisher(directory):
    def here(text):
        keys = re.search(r'public-key = "(.+)"', (directory / "control.key").read_text())
        text = text.replace('"CONTROL"', f'"{keys[1]}"')
        return re.sub(r"tcp://(control\.example|0\.0\.0\.0):7720", f"ipc://{directory}/control.ipc", text)

    shell = {"cwd": directory, "env": {**environment(), "PATH": f"{FORGEBUS.resolve().parent}:{os.environ['PATH']}"}}
    subprocess.run(["sh", "-e", "-c", KEYGEN], **shell, check=True, stdout=subprocess.DEVNULL)
    (directory / "access.yaml").write_text(here(ACCESS))
    (directory / "worker.yaml").write_text(here(SETTINGS))
    check = directory / "check-password-age"
    check.write_text("#!/bin/sh\ncat >> causes\n")
    check.chmod(0o755)
    command = f"exec {SERVE.strip()} --listen ipc://{directory}/worker.ipc --store memory"
    with open(directory / "log", "w") as log:
        worker = subprocess.Popen(["sh", "-c", command], **shell, stderr=log, stdout=subprocess.DEVNULL)
    try:
        # Until it is ready, it has no need of what is published: it evaluates every monitor then.
        until(lambda: (directory / "log").read_text().endswith("ready\n"), "the worker is not ready")
        published = subprocess.run(["sh", "-e", "-c", here(PUBLISH)], **shell, capture_output=True, text=True, timeout=PATIENCE)
        assert published.returncode == 0, published
        until(lambda: (directory / "causes").exists() and TOPIC in (directory / "causes").read_text(), "no cycle was told")
    finally:
        worker.terminate()
        worker.wait(PATIENCE)


def test_a_topic_of_the_principals_rights_is_heard_and_no_other(member):
    assert member.publish("policy.other").returncode == 0
    until(lambda: member.counter("publications_refused") == 1, "the worker does not count it")
    published = member.publish(TOPIC, "a hint", "-o", "json")
    assert published.returncode == 0 and '"subscribers":1' in published.stdout, published
    until(lambda: TOPIC in member.told(), "no cycle was told")
    assert set(member.told()) == {TOPIC}
    assert "a hint" in member.causes.read_text()


def test_a_publisher_that_nobody_hears_publishes_nothing_and_says_so(member):
    before = member.counter("publications")
    late = member.publish(TOPIC, "--for", "100ms", "--subscribers", "2")
    assert late.returncode == 75, late
    # One with a key that the worker's file does not name, then one that lets other keys in than that of the worker.
    other = [*member.binding()[:-1], member.directory / "stranger.key"]
    for arguments, line in (member.binding("stranger"), "during the handshake"), (other, "does not let this worker's key in"):
        with member.publishing(TOPIC, *arguments) as publisher:
            member.await_log(line)
            publisher.terminate()
            assert publisher.wait(PATIENCE) == 143
    assert member.counter("publications") == before and member.told() == []
    assert member.counter("publisher_handshakes_failed") > 1


def test_a_key_that_sighup_takes_away_is_not_heard_until_sighup_gives_it_back(member):
    access = member.directory / "access.yaml"
    whole = access.read_text()
    key = member.keys["control"][1].decode()
    for text, line in (whole.replace(f'keys: ["{key}"]', "keys: []"), "no longer has the key"), (whole, "of a publisher again"):
        access.write_text(text)
        member.process.send_signal(signal.SIGHUP)
        member.await_log(line)
        assert member.publish(TOPIC).returncode == 0
        if text is not whole:
            until(lambda: member.counter("publications_refused") == 1, "the worker does not count it")
            assert member.told() == []
    until(lambda: TOPIC in member.told(), "no cycle was told")


def test_a_publisher_that_is_killed_ten_times_is_heard_each_time_and_its_return_makes_up_for_the_rest(member):
    for life in range(10):
        published = member.publish(f"policy.last.{life}")
        assert published.returncode == 0, published
        until(lambda: f"policy.last.{life}" in member.told(), "no cycle was told")
        before = member.counter("publication_reconnects")
        with member.publishing(TOPIC, *member.binding(), "--subscribers", "2") as publisher:
            until(lambda: member.counter("publication_reconnects") > before, "the worker does not connect again")
            publisher.kill()
    assert TOPIC not in member.told()


def test_it_connects_to_the_endpoints_of_workers_without_keys(directory):
    endpoint = f"ipc://{directory}/publications.ipc"
    yaml = YAML.replace("connect:\n      - {{endpoint: \"{endpoint}\", principal: control, key: \"{key}\"}}", "bind: [\"{endpoint}\"]")
    worker = Worker(directory, yaml.format(endpoint=endpoint))
    try:
        published = forgebus("publish", TOPIC, "--endpoint", endpoint)
        assert published.returncode == 0, published
        causes = directory / "causes"
        until(lambda: causes.exists() and TOPIC in causes.read_text(), "no cycle was told")
    finally:
        worker.stop()
