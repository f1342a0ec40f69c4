"""What a worker, a gateway and `forgebus dev` need to start, and what waits once they have."""

import json
import os
import re
import resource
import signal
import subprocess

import pytest

from gateway import Browser, served_port
from worker import FORGEBUS, PATIENCE, Worker


def started(*arguments, limits):
    """How the program ends with these soft and hard limits of open files."""
    return subprocess.run(
        [FORGEBUS, *arguments],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("limit", [8, 16, 24, 28, 127])
def test_too_few_open_files_are_an_error_that_names_both_numbers(directory, limit):
    endpoint = f"ipc://{directory}/worker.ipc"
    (directory / "worker.yaml").write_text("pipelines: {a: {actions: [{id: b, run: [\"true\"]}]}}")
    for call in (
        ["worker", "--config", directory / "worker.yaml", "--listen", endpoint, "--store", "memory", "--http", "0"],
        ["gateway", "--endpoint", endpoint, "--http", "0"],
    ):
        ended = started(*call, limits=(limit, limit))
        assert ended.returncode == 78, ended.stderr
        numbers = re.findall(r"\d+", ended.stderr)
        assert numbers[:2] == [str(limit), "128"], ended.stderr


def test_a_low_soft_limit_is_raised(directory):
    class Limited(Worker):
        def spawn(self, command, log):
            return super().spawn(["sh", "-c", 'ulimit -S -n 24; exec "$@"', "sh", *command], log)

    worker = Limited(directory, arguments=["--http", "127.0.0.1:0"])
    port = served_port(worker.said, lambda: worker.process.poll() is None)
    assert Browser(port).get("/livez").status == 200
    worker.stop()


class Dev:
    """`forgebus dev` in a directory; the directories of the user, for sockets and states, are `home`."""

    def __init__(self, directory, home):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}
        self.environment = environment | {"XDG_RUNTIME_DIR": str(home), "XDG_STATE_HOME": str(home)}
        self.process = subprocess.Popen(
            [FORGEBUS, "dev", "--http", "127.0.0.1:0"],
            cwd=directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        while "login?code=" not in (line := self.process.stdout.readline()):
            assert line, "it ended"

    def ask(self, *words):
        """The objects that a command prints."""
        ended = subprocess.run(
            [FORGEBUS, *words, "-o", "jsonl"], env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def gate(self):
        """The one gate that waits."""
        (gate,) = self.ask("gates", "--wait", "1m")
        assert all("failures" not in monitor for monitor in self.ask("list", "monitors"))
        return gate

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0


def test_a_gate_of_the_sample_waits_at_each_start_and_in_each_directory(directory):
    here, there = directory / "here", directory / "there"
    here.mkdir()
    there.mkdir()
    dev = Dev(here, directory)
    first = dev.gate()
    dev.stop()
    dev = Dev(here, directory)
    assert dev.gate()["run"] == first["run"], "what waited goes on waiting"
    dev.ask("approve", first["signal"])
    assert dev.ask("attach", first["run"])[-1]["state"] == "completed"
    dev.stop()
    dev = Dev(here, directory)
    second = dev.gate()
    assert second["run"] != first["run"]
    dev.ask("reject", second["signal"])
    dev.stop()
    for place in (there, here):
        dev = Dev(place, directory)
        assert dev.gate()["run"] not in (first["run"], second["run"])
        dev.stop()
        assert (place / "forgebus.sqlite").exists()
    assert not list(directory.glob("forgebus/*.sqlite"))
