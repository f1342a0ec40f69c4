"""The files of `examples/fleet`, checked and started for real: the drop-in for systemd, and the DaemonSet for Kubernetes."""

import json
import re
import shlex
import shutil
import subprocess

import pytest
import yaml

from pod_security import violations
from test_deployment import DEPLOY, call, needs_systemd, options, written_calls
from worker import FORGEBUS, PATIENCE, ROOT, Worker

FOLDER = ROOT / "examples" / "fleet"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
SET = yaml.safe_load((FOLDER / "daemonset.yaml").read_text())
POD = SET["spec"]["template"]["spec"]
(KEYS,), (PROGRAM,) = POD["initContainers"], POD["containers"]


def drop_in():
    """The settings of the drop-in; of a setting that occurs twice, the last value."""
    return dict(re.findall(r"^(\w+)=(.*)$", (FOLDER / "fleet.conf").read_text(), re.MULTILINE))


def test_every_call_of_the_program_has_options_that_it_knows():
    _, *start = shlex.split(drop_in()["ExecStart"])
    calls = [start, PROGRAM["args"], *written_calls((FOLDER / "fleet.conf").read_text()), *written_calls(KEYS["command"][2])]
    assert [words[0] for words in calls if words[0] != "worker"] == ["keygen", "keygen"] and len(calls) >= 4
    for subcommand, *words in calls:
        named = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert named <= options(subcommand), (subcommand, words)


@needs_systemd
def test_systemd_understands_every_line_of_the_drop_in(tmp_path):
    unit = tmp_path / "forgebus.service"
    unit.write_text((DEPLOY / "forgebus.service").read_text().replace("/usr/bin/forgebus", str(FORGEBUS.resolve())))
    folder = tmp_path / "forgebus.service.d"
    folder.mkdir()
    text = (FOLDER / "fleet.conf").read_text().replace("/usr/bin/forgebus", str(FORGEBUS.resolve()))
    (folder / "fleet.conf").write_text(text)
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=60)
    assert verified.returncode == 0 and "forgebus.service" not in verified.stdout + verified.stderr, verified


def installed(directory):
    """A directory with what the drop-in's first lines install on a machine, and the keys of the operator."""
    for name in "worker.yaml", "minimum-kernel", "access.yaml", "kernel":
        shutil.copy(FOLDER / name, directory)
        (directory / name).chmod(0o755 if name == "kernel" else 0o644)
    for name in "worker", "operator":
        call(FORGEBUS, "keygen", directory / name)
    access = directory / "access.yaml"
    access.write_text(access.read_text().replace("the-public-key-of-operator.key----------", public_key(directory, "operator")))
    return directory


def public_key(directory, name):
    return re.search(r'public-key = "(.*)"', (directory / f"{name}.key").read_text())[1]


class Member(Worker):
    """A worker that is started as the drop-in does, with places of the test."""

    def launch(self):
        words = drop_in()["ExecStart"].replace("${STATE_DIRECTORY}", str(self.directory))
        _, *self.arguments = shlex.split(words.replace("/etc/forgebus", str(self.directory)))
        assert self.arguments.pop(0) == "worker"
        self.arguments += ["--listen", self.endpoint]
        name, _, value = drop_in()["Environment"].partition("=")
        assert (name, value) == ("FORGEBUS_NAME", "%l")
        self.environment = {name: "web-01"}
        super().launch()

    def ask(self, *words):
        """Asks it as the operator."""
        own = ["--endpoint", self.endpoint, "--server-key", self.directory / "worker.key"]
        own += ["--certificate", self.directory / "operator.key_secret"]
        return subprocess.run([FORGEBUS, *words, *own], capture_output=True, text=True, timeout=PATIENCE)


def test_a_worker_of_the_drop_in_checks_the_policy_of_its_file_whenever_the_operator_notifies(directory):
    worker = Member(installed(directory))
    try:
        assert json.loads(worker.ask("hello", "-o", "json").stdout)["worker"] == "web-01"
        assert worker.ask("notify", "policy.kernel", "--wait").returncode == 0
        (directory / "minimum-kernel").write_text("999\n")
        violated = worker.ask("notify", "policy.kernel", "--wait")
        assert violated.returncode == 1 and "999" in violated.stdout
        assert worker.ask("notify", "other", "--wait").returncode == 77
    finally:
        worker.stop()


# Kubernetes


def test_the_daemonset_is_valid_and_within_the_restricted_profile():
    validator = pytest.importorskip("kubernetes_validate")
    for version in "1.30", validator.latest_version():
        validator.validate(SET, version, strict=True)
    assert violations(POD) == set()
    for container in KEYS, PROGRAM:
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert "memory" in container["resources"]["limits"]
    assert POD["automountServiceAccountToken"] is False


def test_the_daemonset_refers_to_what_is_there():
    assert KUSTOMIZATION["resources"] == ["daemonset.yaml"]
    (files,) = KUSTOMIZATION["configMapGenerator"]
    volumes = {each["name"]: each for each in POD["volumes"]}
    assert volumes["files"]["configMap"]["name"] == files["name"]
    assert all((FOLDER / name).is_file() for name in files["files"])
    for container in KEYS, PROGRAM:
        assert {each["name"] for each in container["volumeMounts"]} <= set(volumes)
    named = re.findall(r"/etc/forgebus/(\S+)", " ".join(PROGRAM["args"]))
    assert named and set(named) <= set(files["files"])
    assert SET["spec"]["selector"]["matchLabels"].items() <= SET["spec"]["template"]["metadata"]["labels"].items()
    assert {each["image"] for each in (KEYS, PROGRAM)} == {each["name"] for each in KUSTOMIZATION["images"]}


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed here")
def test_kubectl_makes_the_objects():
    made = list(yaml.safe_load_all(call("kubectl", "kustomize", FOLDER)))
    assert sorted(each["kind"] for each in made) == ["ConfigMap", "DaemonSet"]
    assert {each["metadata"]["namespace"] for each in made} == {KUSTOMIZATION["namespace"]}


def started(directory):
    """Runs the container that makes the keys, with places of the test; its message."""
    command = KEYS["command"].copy()
    assert command[:2] == ["sh", "-c"]
    message = directory / "termination-log"
    moved = command[2].replace("/run/forgebus", str(directory)).replace("/dev/termination-log", str(message))
    call("sh", "-c", moved.replace("forgebus keygen", f"{shlex.quote(str(FORGEBUS.resolve()))} keygen"))
    return message.read_text()


def listed(directory, pods, status=0):
    """What the script `pods` prints, where `kubectl` prints these pods, and its exit status."""
    (directory / "pods.json").write_text(json.dumps({"kind": "List", "items": pods}))
    kubectl = directory / "kubectl"
    kubectl.write_text(f'#!/bin/sh\necho "$*" >"{directory}/arguments"\ncat "{directory}/pods.json"\nexit {status}\n')
    kubectl.chmod(0o755)
    path = f"{directory}:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin"
    ended = subprocess.run(["sh", FOLDER / "pods"], env={"PATH": path}, capture_output=True, text=True, timeout=PATIENCE)
    return ended.returncode, ended.stdout


def pod(node, address, message):
    """A pod as the cluster shows it: what it is told of the template, and its status."""
    state = {"running": {}} if message is None else {"terminated": {"exitCode": 0, "message": message}}
    status = {"phase": "Running", "initContainerStatuses": [{"name": KEYS["name"], "state": state}]}
    if address:
        status["podIP"] = address
    labels = SET["spec"]["template"]["metadata"]["labels"]
    return {"metadata": {"name": f"policy-{node}", "labels": labels}, "spec": {"nodeName": node}, "status": status}


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed here: `apt-get install jq`")
def test_the_keys_that_a_pod_makes_are_in_the_inventory_that_the_script_prints(directory):
    message = started(directory)
    assert message.strip() == public_key(directory, "worker")
    # The container starts again after a restart of the node's kubelet, and keeps the keys.
    assert started(directory) == message

    status, text = listed(directory, [pod("node-1.example", "10.2.0.1", message)])
    (port,) = PROGRAM["ports"]
    worker = {"endpoint": f"tcp://10.2.0.1:{port['containerPort']}", "key": message.strip(), "labels": {"role": "node"}}
    assert (status, yaml.safe_load(text)) == (0, {"workers": {"node-1.example": worker}})
    labels = ",".join(f"{key}={value}" for key, value in SET["spec"]["selector"]["matchLabels"].items())
    arguments = (directory / "arguments").read_text().split()
    assert arguments[arguments.index("--namespace") + 1] == KUSTOMIZATION["namespace"]
    assert arguments[arguments.index("--selector") + 1] == labels

    assert listed(directory, [pod("node-1", None, message)])[0] != 0
    assert listed(directory, [pod("node-1", "10.2.0.1", None)])[0] != 0
    assert listed(directory, [pod("node-1", "10.2.0.1", message)], status=1)[0] != 0
    # Two workers with one name, which the reader of the inventory refuses.
    both = listed(directory, [pod("node-1", "10.2.0.1", message), pod("node-1", "10.2.0.2", message)])[1]
    assert len(re.findall('"node-1":', both)) == 2
