"""A terminal that becomes narrower or wider while a run is drawn: each action has one row, and nothing stale stays."""

import fcntl
import os
import re
import shutil
import struct
import subprocess
import termios
import time

import pytest

from screen import Screen
from worker import FORGEBUS, PATIENCE, Worker

YAML = """
pipelines:
  deploy:
    seeds: {version: {type: string}}
    actions:
      - {id: begin, gate: {signal: "deploy.{seed.version}.begin"}}
      - {id: hold, gate: {signal: "deploy.{seed.version}.approve"}}
"""
WAITING = "for deploy.1.approve"


@pytest.fixture
def worker(directory):
    worker = Worker(directory, YAML)
    yield worker
    worker.kill()


def asked(worker, *arguments):
    command = [FORGEBUS, *arguments, "--endpoint", worker.endpoint]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def shown(worker, subcommand):
    """The command that shows a run which waits at its first gate."""
    if subcommand == "run":
        return [FORGEBUS, "run", "deploy", "version=1", "--endpoint", worker.endpoint]
    run = asked(worker, "run", "deploy", "version=1", "--detach").split()[1]
    return [FORGEBUS, "attach", run, "--endpoint", worker.endpoint]


class Terminal:
    """A pseudo-terminal with a program, and what stands on its screen."""

    def __init__(self, command, columns):
        self.reading, writing = os.openpty()
        self.writing = writing
        self.screen = Screen(columns)
        self.resize(columns)
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1"}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writing, env=environment)

    def resize(self, columns):
        fcntl.ioctl(self.writing, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.screen.resize(columns)

    def read(self):
        text = os.read(self.reading, 4096)
        self.screen.feed(text.decode())
        return text

    def until(self, is_there):
        while not is_there(self.screen.lines()):
            self.read()

    def redrawn(self):
        """Reads until the row was drawn a few times; the first may have been measured before."""
        text = b""
        while len(re.findall(rb"\r\x1b\[(?:J|2K)", text)) < 4:
            text += self.read()
        return self.screen.lines()

    def end(self):
        """Reads what comes until the program has ended."""
        os.close(self.writing)
        try:
            while self.read():
                pass
        except OSError:
            pass
        os.close(self.reading)
        assert self.process.wait(PATIENCE) == 0
        return self.screen.lines()


def is_waiting(lines):
    return any(text.startswith("◦ hold") and text.endswith(WAITING) for text, _ in lines)


@pytest.mark.parametrize("subcommand", ["run", "attach"])
def test_one_row_for_each_action_whatever_the_width_becomes(worker, subcommand):
    terminal = Terminal(shown(worker, subcommand), columns=100)
    try:
        # A command that attaches draws the changes from then on.
        terminal.until(lambda lines: any("deploy.1.begin" in text for text, _ in lines))
        asked(worker, "approve", "deploy.1.begin")
        terminal.until(is_waiting)
        before = [text for text, _ in terminal.screen.lines()][:-1]
        # From 30 on the row shows a time that changes, so that it is drawn again and again.
        for columns in 30, 120, 44, 34, 35, 100:
            terminal.resize(columns)
            lines = terminal.redrawn()
            assert [text for text, _ in lines[:-1]] == before, (columns, lines)
            row, height = lines[-1]
            assert height == 1 and row.startswith("◦ hold"), (columns, lines)
            assert row.endswith(WAITING) == (columns > 60), (columns, lines)
            assert len(row) < columns, (columns, lines)
        terminal.resize(36)
        asked(worker, "approve", "deploy.1.approve")
        lines = [text for text, _ in terminal.end()]
        assert lines[: len(before)] == before
        assert re.match(r"✓ hold", lines[len(before)]), lines
        assert re.match(r"completed +run-", lines[len(before) + 1]), lines
        assert sum("hold" in line for line in lines) == 1 + sum("hold" in line for line in before), lines
    finally:
        terminal.process.kill()


@pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed; the small terminal of the other test is")
def test_one_row_in_a_real_terminal(worker):
    """In tmux, which breaks its rows anew by itself."""
    def tmux(*arguments):
        command = ["tmux", "-f", "/dev/null", "-S", worker.directory / "tmux", *map(str, arguments)]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def rows():
        return [row.rstrip() for row in tmux("capture-pane", "-p", "-t", "0").splitlines() if row.strip()]

    def until(is_there):
        end = time.monotonic() + PATIENCE
        while not is_there(rows()):
            assert time.monotonic() < end, rows()

    tmux("new-session", "-d", "-x", 100, "-y", 40, "env", "NO_COLOR=1", *shown(worker, "run"))
    try:
        until(lambda shown: any("deploy.1.begin" in row for row in shown))
        asked(worker, "approve", "deploy.1.begin")
        until(lambda shown: shown and shown[-1].startswith("◦ hold") and shown[-1].endswith(WAITING))
        for columns in 30, 120, 44:
            tmux("resize-window", "-t", "0", "-x", columns, "-y", 40)
            until(
                lambda shown: sum(row.startswith("◦ hold") for row in shown) == 1
                and shown[-1].startswith("◦ hold") and len(shown[-1]) < columns
            )
    finally:
        tmux("kill-server")
