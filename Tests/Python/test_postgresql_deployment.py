"""Two processes of one worker as a team runs them: deploy/kubernetes-postgresql and deploy/compose.yaml, checked and started."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest
import yaml

import manifests
from pod_security import violations
from postgres import Postgres
from worker import FORGEBUS, PATIENCE, ROOT, Worker, keyed

FOLDER = ROOT / "deploy" / "kubernetes-postgresql"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())
ACCESS = 'principals:\n  probe: {{keys: ["{probe}"]}}\n'
CONFIGURATION = 'monitors: {shelf: {topics: [stock.>], actions: [{id: look, run: ["true"]}]}}\n'


def patched(value, patch):
    """A value after a strategic merge, as far as these files need it: null removes."""
    if not isinstance(patch, dict) or not isinstance(value, dict):
        return patch
    merged = value | {key: patched(value.get(key), item) for key, item in patch.items()}
    return {key: item for key, item in merged.items() if item is not None}


def objects():
    """The objects that the folder makes, with those that it takes over from `deploy/kubernetes`."""
    made = manifests.objects()
    for name in KUSTOMIZATION["resources"]:
        if name != "../kubernetes":
            made += yaml.safe_load_all((FOLDER / name).read_text())
    for patch in (yaml.safe_load(each["patch"]) for each in KUSTOMIZATION["patches"]):
        (index,) = [
            index
            for index, each in enumerate(made)
            if (each["kind"], each["metadata"]["name"]) == (patch["kind"], patch["metadata"]["name"])
        ]
        made[index : index + 1] = [] if patch.pop("$patch", None) == "delete" else [patched(made[index], patch)]
    return made


DEPLOYMENT = manifests.of_kind("Deployment", objects())["worker"]["spec"]
POD = DEPLOYMENT["template"]["spec"]
(PROGRAM,) = POD["containers"]


def test_every_object_is_valid_and_refers_to_what_is_there():
    validator = pytest.importorskip("kubernetes_validate")
    for each in objects():
        validator.validate(each, validator.latest_version(), strict=True)
    # A base's images are not those of what is added to it.
    assert KUSTOMIZATION["images"] == manifests.KUSTOMIZATION["images"]
    names = [(each["kind"], each["metadata"]["name"]) for each in objects()]
    assert len(names) == len(set(names)) and ("StatefulSet", "worker") not in names
    assert manifests.dangling(objects()) == []
    assert violations(POD) == set()
    assert "clusterIP" not in manifests.of_kind("Service", objects())["worker"]["spec"]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed here")
def test_kubectl_makes_these_objects():
    text = subprocess.run(["kubectl", "kustomize", FOLDER], check=True, capture_output=True, text=True).stdout
    found = [(each["kind"], each["metadata"]["name"]) for each in yaml.safe_load_all(text)]
    assert sorted(re.sub(r"files-\w+", "files", str(each)) for each in found) == sorted(
        str((each["kind"], each["metadata"]["name"])) for each in objects()
    )


def test_the_page_names_the_files_of_the_secret_that_the_pods_mount():
    page = (FOLDER / "kustomization.yaml").read_text()
    (line,) = re.findall(r"create secret generic database (.+)$", page, re.MULTILINE)
    assert set(re.findall(r"--from-file=keys/(\S+)", line)) == manifests.secrets(objects())["database"]


@pytest.fixture(scope="module")
def server():
    with Postgres() as server:
        yield server


class Process(Worker):
    def start(self):
        self.launch()

    def says(self, words):
        deadline = time.monotonic() + PATIENCE / 2
        while words not in self.said():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.02)


@pytest.fixture
def two(directory, server):
    """Two processes with the arguments of the pods, but with places of this test: the first one works, the second one waits."""
    arguments, _ = keyed(directory, ACCESS, "probe")
    (directory / "worker.yaml").write_text(CONFIGURATION)
    moved = {
        "/etc/forgebus/worker.yaml": directory / "worker.yaml",
        "/etc/forgebus/access.yaml": directory / "access.yaml",
        "/run/forgebus/worker.key_secret": directory / "worker.key_secret",
    }
    words = [server.url if word.startswith("postgres://") else moved.get(word, word) for word in PROGRAM["args"]]
    both = []
    try:
        for number, name in (1, "one"), (2, "two"):
            (directory / name).mkdir()
            process = Process.__new__(Process)
            process.log = directory / name / "worker.log"
            # An address of the process's own: nothing else listens there.
            process.address = f"127.{os.getpid() >> 8 & 255}.{os.getpid() & 255}.{number}"
            process.endpoint = f"tcp://{process.address}:7717"
            process.environment = {"XDG_STATE_HOME": str(directory / name), "FORGEBUS_LEASE": "3s"}
            process.directory = directory / name
            process.arguments = [*words[1:], "--listen", process.endpoint]
            process.launch()
            both.append(process)
            process.says('"ready"' if name == "one" else "waiting to take it over")
        yield both
    finally:
        for process in both:
            process.process.send_signal(signal.SIGCONT)
            process.process.kill()
            process.process.wait(PATIENCE)


def probe(process, command, directory):
    """The exit status of a probe."""
    programs = directory / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "forgebus").exists():
        (programs / "forgebus").symlink_to(FORGEBUS.resolve())
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "FORGEBUS_ENDPOINT": process.endpoint,
        "FORGEBUS_SERVER_KEY": str(directory / "worker.key"),
        "FORGEBUS_CERTIFICATE": str(directory / "probe.key_secret"),
    }
    command = [word.replace("/dev/tcp/127.0.0.1/", f"/dev/tcp/{process.address}/") for word in command]
    return subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE).returncode


def test_the_probes_tell_who_works_who_waits_and_who_hangs(two, directory):
    first, second = two
    alive, ready = (PROGRAM[name]["exec"]["command"] for name in ("livenessProbe", "readinessProbe"))
    assert (probe(first, alive, directory), probe(first, ready, directory)) == (0, 0)
    assert probe(second, alive, directory) == 0 and probe(second, ready, directory) != 0
    first.process.send_signal(signal.SIGSTOP)
    assert probe(first, alive, directory) != 0 and probe(first, ready, directory) != 0
    second.says('"ready"')
    assert (probe(second, alive, directory), probe(second, ready, directory)) == (0, 0)
    first.process.send_signal(signal.SIGCONT)
    assert first.process.wait(PATIENCE) == 76


def test_the_deployment_never_waits_for_a_pod_that_waits():
    assert DEPLOYMENT["replicas"] == 2
    assert DEPLOYMENT["strategy"]["rollingUpdate"]["maxUnavailable"] == "100%"
    assert "startupProbe" not in PROGRAM
    # It would wait for both pods.
    assert "rollout status deployment/worker" not in (FOLDER / "kustomization.yaml").read_text()


def test_the_processes_of_the_compose_file_start(directory, server):
    one, two = (COMPOSE["services"][name] for name in ("one", "two"))
    assert one["command"] == two["command"] and one["stop_grace_period"] == "75s"
    assert {one["environment"]["FORGEBUS_LISTEN"], two["environment"]["FORGEBUS_LISTEN"]} == {
        f"ipc:///run/forgebus/{name}.ipc" for name in ("one", "two")
    }
    (directory / "worker.yaml").write_text(CONFIGURATION)
    words = {
        "/etc/forgebus/worker.yaml": directory / "worker.yaml",
        "deploys": "composed",
        "postgres://forgebus@database/forgebus": server.url,
    }
    command = [words.get(word, word) for word in one["command"]]
    assert set(words.values()) <= set(command)
    endpoint = f"ipc://{directory}/one.ipc"
    process = Process.__new__(Process)
    process.directory, process.log = directory, directory / "worker.log"
    process.environment = {"XDG_STATE_HOME": str(directory), "FORGEBUS_LISTEN": endpoint}
    process.arguments = command[1:]
    (health,) = one["healthcheck"]["test"][1:]
    environment = {"PATH": f"{FORGEBUS.resolve().parent}:{os.environ['PATH']}", "FORGEBUS_ENDPOINT": endpoint}

    def asked(text):
        return subprocess.run(["sh", "-c", text.replace("$$", "$")], env=environment, timeout=PATIENCE).returncode

    assert asked(health) == 0 and asked("forgebus ping --patience 1s") == 69
    process.launch()
    try:
        process.says("] ready")
        assert asked(health) == 0 and asked("forgebus ping") == 0
        assert asked(health.replace("ping", "pong")) == 1
    finally:
        process.process.terminate()
        assert process.process.wait(PATIENCE) == 0
