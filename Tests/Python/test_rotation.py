"""The page about a worker's own key, executed: its commands replace the key, and clients change one after another."""

import os
import re
import shlex
import subprocess

import pytest
from worker import FORGEBUS, ROOT, Worker, keyed

PAGE = ROOT / "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/TheAccessFile.md"
SECTION = re.search(r"### Replacing the key of a worker\n(.*?)\n### ", PAGE.read_text(), re.S)[1]
(SETTINGS,) = re.findall(r"```yaml\n(.*?)```", SECTION, re.S)
PREPARE, BOTH, NEW, LAST = re.findall(r"```sh\n(.*?)```", SECTION, re.S)
YAML = """
pipelines:
  feed:
    actions:
      - {id: serve, run: [echo, '{"fed": true}']}
"""
ACCESS = """
principals:
  shop: {{keys: ["{shop}"], run: [feed], read: [worker]}}
  cafe: {{keys: ["{cafe}"], run: [feed]}}
"""


@pytest.fixture
def worker(directory):
    """A worker with its first key, at the endpoint that its clients know."""
    arguments, _ = keyed(directory, ACCESS, "shop", "cafe")
    worker = Worker(directory, YAML, arguments=arguments)
    yield worker
    worker.kill()


def here(worker, text):
    """The page's text with endpoints of this test in place of its ports."""
    for host in "0.0.0.0", "worker.example":
        text = text.replace(f"tcp://{host}:7717", worker.endpoint)
        text = text.replace(f"tcp://{host}:7718", f"ipc://{worker.directory}/new.ipc")
    assert "tcp://" not in text
    return text


def shell(worker, script):
    """Runs the page's commands in the worker's directory, as somebody who has the program in PATH."""
    path = f"{FORGEBUS.resolve().parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "XDG_STATE_HOME": str(worker.directory)}
    return subprocess.run(
        ["sh", "-e", "-c", here(worker, script)],
        cwd=worker.directory, env=environment, capture_output=True, text=True, timeout=120,
    )


def restart(worker, command, configuration):
    """Restarts the worker by a command of the page, in whose place only its store is named."""
    worker.stop()
    worker.configure(here(worker, configuration))
    program, subcommand, *arguments = shlex.split(command)
    assert (program, subcommand) == ("forgebus", "worker")
    files = [worker.directory / word if not word.startswith("--") else word for word in arguments]
    worker.arguments = [*files, "--store", worker.store]
    worker.start()


def feed(worker, endpoint, server, name, patience="120s"):
    """Asks for a run as somebody who knows this key of the worker."""
    keys = f"--server-key {server}.key --certificate {name}.key_secret"
    return shell(worker, f"forgebus run feed --endpoint {endpoint} {keys} --patience {patience}")


OLD, OTHER = "tcp://worker.example:7717", "tcp://worker.example:7718"


@pytest.mark.row(15)
def test_a_worker_changes_its_key_by_the_commands_of_the_page_while_its_clients_change_one_by_one(worker):
    assert feed(worker, OLD, "worker", "shop").returncode == 0

    worker.configure(here(worker, SETTINGS + YAML))
    checked = shell(worker, PREPARE)
    assert checked.returncode == 0, checked
    assert re.search(rf"^previous +{worker.endpoint} \(with the previous key\)$", checked.stdout, re.M), checked

    restart(worker, BOTH, SETTINGS + YAML)
    assert "listening with the previous key" in worker.said()
    # One has changed, the other has not, and the rights are the same.
    for endpoint, server, name in (OLD, "worker", "cafe"), (OTHER, "worker-2", "shop"):
        assert feed(worker, endpoint, server, name).returncode == 0
        forbidden = shell(
            worker,
            f"forgebus notify x -e {endpoint} --server-key {server}.key --certificate {name}.key_secret",
        )
        assert forbidden.returncode == 77, forbidden
    assert shell(worker, NEW).returncode == 0
    (told,) = {line.split("notice")[-1] for line in worker.said().splitlines() if "still uses" in line}
    assert "cafe" in told and "shop" not in told
    shown = shell(
        worker,
        f"forgebus status -o json -e {OTHER} --server-key worker-2.key --certificate shop.key_secret",
    )
    assert re.search(r'"previous_key_uses": ?[1-9]', shown.stdout), shown

    restart(worker, LAST, SETTINGS.split("  previous:")[0] + YAML)
    assert feed(worker, OTHER, "worker-2", "cafe").returncode == 0
    late = feed(worker, OLD, "worker", "cafe", patience="3s")
    assert late.returncode == 69 and worker.endpoint in late.stderr, late
    assert "that a worker runs there" in late.stderr, late
    confused = feed(worker, OTHER, "worker", "cafe", patience="8s")
    assert confused.returncode == 69 and " was not sent. The connection to " in confused.stderr, confused
    assert "Check the worker's public key" in confused.stderr, confused


def test_endpoints_of_a_previous_key_need_that_key_and_the_previous_key_needs_endpoints(worker):
    worker.configure(here(worker, SETTINGS + YAML))
    refused = shell(worker, PREPARE.splitlines()[1].split(" --previous-certificate")[0].replace("worker-2", "worker"))
    assert refused.returncode == 78, refused
    assert "worker.yaml:4:14: worker.previous.listen[0]:" in refused.stderr, refused
    assert "Remove the endpoint, or give the worker its previous key: with --previous-certificate" in refused.stderr, refused
    worker.configure(YAML)
    refused = shell(worker, PREPARE)
    assert refused.returncode == 78, refused
    assert "The worker has a previous key, but no endpoint for it." in refused.stderr, refused
