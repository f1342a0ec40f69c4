"""`forgebus reject` on a terminal: it shows the gate, and asks before it decides."""

import os
import subprocess

import pytest
from worker import FORGEBUS, Worker

YAML = """
pipelines:
  deploy:
    title: "Deploy {seed.version}"
    seeds: {version: {type: string, required: true}}
    actions:
      - {id: approve, gate: {message: "Deploy {seed.version}?"}}
"""


@pytest.fixture
def worker(directory):
    worker = Worker(directory, YAML)
    yield worker
    worker.kill()


class Terminal:
    """A program with a terminal for its input and output."""

    def __init__(self, worker, *words):
        self.reading, terminal = os.openpty()
        environment = {**os.environ, "TERM": "xterm", "FORGEBUS_ENDPOINT": worker.endpoint}
        self.process = subprocess.Popen([FORGEBUS, *words], stdin=terminal, stdout=terminal, stderr=terminal, env=environment)
        os.close(terminal)
        self.text = ""

    def read(self, until=None):
        """Reads until the text has come, or the program has ended."""
        while until is None or until not in self.text:
            try:
                self.text += os.read(self.reading, 4096).decode()
            except OSError:
                assert until is None, self.text
                return self

        return self

    def answer(self, text):
        os.write(self.reading, text.encode())
        return self

    def end(self):
        code = self.read().process.wait()
        os.close(self.reading)
        return code


def waiting(worker):
    process = subprocess.run(
        [FORGEBUS, "run", "deploy", "version=7", "--wait", "30", "--endpoint", worker.endpoint], capture_output=True, text=True
    )
    assert process.returncode == 75, process.stderr
    return process.stdout.split()[1]


@pytest.mark.parametrize("answer", ["\n", "n\n", "x\n", "\x04"])
def test_nothing_is_decided_without_a_yes(worker, answer):
    run = waiting(worker)
    terminal = Terminal(worker, "reject", run, "not today").read(until="[y/N]")
    assert "Deploy 7?" in terminal.text
    assert terminal.answer(answer).end() == 2
    gates = subprocess.run([FORGEBUS, "gates", "--endpoint", worker.endpoint], capture_output=True, text=True).stdout
    assert run in gates


def test_nothing_is_decided_after_an_interruption(worker):
    run = waiting(worker)
    terminal = Terminal(worker, "reject", run).read(until="[y/N]")
    terminal.process.send_signal(2)
    assert terminal.end() in (2, 130)
    gates = subprocess.run([FORGEBUS, "gates", "--endpoint", worker.endpoint], capture_output=True, text=True).stdout
    assert run in gates


def test_a_yes_and_the_option_reject(worker):
    assert Terminal(worker, "reject", waiting(worker)).read(until="[y/N]").answer("y\n").end() == 0
    terminal = Terminal(worker, "reject", waiting(worker), "--yes")
    assert terminal.end() == 0 and "[y/N]" not in terminal.text


def test_an_error_on_a_terminal_breaks_at_spaces(worker):
    terminal = Terminal(worker, "show", "run", "run-0")
    assert terminal.end() == 65
    piped = subprocess.run([FORGEBUS, "show", "run", "run-0", "--endpoint", worker.endpoint], capture_output=True, text=True)
    assert any(len(line) > 80 for line in piped.stderr.splitlines())
    assert all(len(line) <= 80 for line in terminal.text.splitlines())
    assert terminal.text.split() == piped.stderr.split()
