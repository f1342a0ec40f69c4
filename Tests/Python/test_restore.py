"""The page about backups, executed: its commands restore a store, and what it says happens twice does."""

import os
import re
import subprocess

import pytest
from worker import FORGEBUS, ROOT, Worker

PAGE = ROOT / "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/RestoreAndUpgrade.md"
BACKUP, RESTORE = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.S)
YAML = """
pipelines:
  deploy:
    seeds: {version: {type: string}}
    actions:
      - {id: build, run: [sh, -c, 'echo "$FORGE_TOKEN $FORGE_ATTEMPT" >> built']}
      - {id: approve, gate: {signal: "deploy.{seed.version}.approve"}}
      - {id: push, run: [sh, -c, 'echo "$FORGE_TOKEN" >> pushed']}
monitors:
  stock:
    topics: [stock.>]
    actions:
      - {id: check, run: [sh, -c, 'echo >> checked']}
"""


@pytest.fixture
def worker(tmp_path):
    worker = Worker(tmp_path, YAML, store=tmp_path / "deployer.sqlite")
    yield worker
    worker.kill()


def shell(worker, script, check=True):
    """Runs the page's commands in the worker's directory, as somebody who has the program in PATH."""
    script = script.replace("/var/lib/forgebus", str(worker.directory))
    path = f"{FORGEBUS.resolve().parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "FORGEBUS_ENDPOINT": worker.endpoint}
    ended = subprocess.run(
        ["sh", "-e", "-c", script], cwd=worker.directory, env=environment, capture_output=True, text=True, timeout=120
    )
    assert not check or ended.returncode == 0, ended
    return ended


def lines(worker, name):
    path = worker.directory / name
    return path.read_text().splitlines() if path.exists() else []


def begun(worker, version):
    """Begins a run, and returns its id when it waits at its gate."""
    run = shell(worker, f"forgebus run deploy version={version} --detach").stdout.split()[1]
    while f"deploy.{version}.approve" not in shell(worker, "forgebus list signals").stdout:
        pass
    return run


def finish(worker, run, version):
    shell(worker, f"forgebus approve deploy.{version}.approve --id {worker.process.pid}-{version}")
    assert "completed" in shell(worker, f"forgebus attach {run}").stdout


def test_a_store_is_restored_by_the_commands_of_the_page_and_what_came_later_happens_twice(worker):
    run = begun(worker, "1")
    shell(worker, BACKUP)
    finish(worker, run, "1")
    later = begun(worker, "2")
    assert lines(worker, "pushed") == [f"{run}/push"]
    worker.kill()

    shell(worker, RESTORE)
    cycles = len(lines(worker, "checked"))
    worker.start()
    # The decision is lost, and the gate waits again.
    assert "deploy.1.approve" in shell(worker, "forgebus list signals").stdout
    finish(worker, run, "1")
    assert lines(worker, "pushed") == [f"{run}/push"] * 2
    # What had ended at the backup did not execute again.
    assert lines(worker, "built")[0].startswith(f"{run}/build ") and len(lines(worker, "built")) == 2
    assert "unknown_run" in shell(worker, f"forgebus show run {later}", check=False).stderr
    again = begun(worker, "2")
    assert again != later and len(lines(worker, "built")) == 3
    while len(lines(worker, "checked")) == cycles:
        pass


def test_a_backup_that_is_copied_over_a_store_beside_its_old_log_is_refused(worker):
    begun(worker, "1")
    shell(worker, BACKUP)
    begun(worker, "2")
    worker.kill()
    assert (worker.directory / "deployer.sqlite-wal").stat().st_size > 0
    shell(worker, "cp monday.sqlite deployer.sqlite")
    worker.launch()
    assert not worker.is_ready()
    assert worker.process.wait(60) != 0
    shell(worker, RESTORE)
    worker.start()
    assert "deploy.1.approve" in shell(worker, "forgebus list signals").stdout
