"""A command whose reader has left ends quietly, with 141; what it asked for goes on."""

import os
import subprocess

import pytest

from worker import FORGEBUS, PATIENCE, Worker

CONFIGURATION = """
pipelines:
  two-steps:
    actions:
      - {id: first, gate: {signal: first.gate}}
      - {id: second, gate: {signal: second.gate}}
"""
UNREAD = 141


def ask(worker, *arguments, **options):
    environment = {**os.environ, "FORGEBUS_ENDPOINT": worker.endpoint}
    return subprocess.Popen([FORGEBUS, *arguments], env=environment, stderr=subprocess.PIPE, **options)


def unread(worker, *arguments):
    """How a command ends that nobody ever listened to."""
    reader, writer = os.pipe()
    os.close(reader)
    process = ask(worker, *arguments, stdout=writer)
    os.close(writer)
    _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors.decode()


@pytest.fixture(scope="module")
def worker(tmp_path_factory):
    worker = Worker(tmp_path_factory.mktemp("pipe"), CONFIGURATION)
    yield worker
    worker.stop()


@pytest.mark.parametrize(
    "arguments",
    [
        ["ping"],
        ["hello", "-o", "json"],
        ["list", "pipelines", "-o", "jsonl"],
        ["show", "pipeline", "two-steps"],
        ["store", "stats"],
        ["notify", "nothing"],
        ["help", "run"],
        ["completion", "bash"],
        ["schema", "worker"],
    ],
    ids=" ".join,
)
def test_a_command_whose_result_nobody_reads_says_nothing(worker, arguments):
    assert unread(worker, *arguments) == (UNREAD, "")


def test_a_command_about_files_does_so_too(worker, tmp_path):
    assert unread(worker, "keygen", tmp_path / "own") == (UNREAD, "")
    assert (tmp_path / "own.key_secret").exists()
    assert unread(worker, "worker", "--check", "--config", worker.directory / "worker.yaml") == (UNREAD, "")


def test_a_failure_is_told_as_if_somebody_read(worker):
    code, errors = unread(worker, "show", "run", "nobody", "-o", "json")
    assert code == 65 and errors.startswith("forgebus: unknown_run: ")


@pytest.mark.row(8)
def test_a_reader_who_leaves_ends_the_command_and_not_the_run(worker):
    process = ask(worker, "run", "two-steps", "--id", "watched", stdout=subprocess.PIPE)
    run = process.stdout.readline().decode().split()[1]
    assert b"first" in process.stdout.readline()
    process.stdout.close()
    # The command has something to say, and waits for the second gate then. Early: the gates may open a little later.
    assert ask(worker, "complete", "first.gate", "--early", stdout=subprocess.DEVNULL).wait(PATIENCE) == 0
    assert process.wait(PATIENCE) == UNREAD
    assert process.stderr.read() == b""
    assert ask(worker, "complete", "second.gate", "--early", stdout=subprocess.DEVNULL).wait(PATIENCE) == 0
    assert ask(worker, "attach", run, stdout=subprocess.DEVNULL).wait(PATIENCE) == 0
