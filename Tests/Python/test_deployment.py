"""What a team runs: the units for systemd, the image, and the files for Kubernetes, checked and started for real."""

import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest
import yaml
import zmq.auth

import confinement
import manifests
from gateway import Browser, Gateway
from pod_security import violations
from worker import FORGEBUS, PATIENCE, ROOT, Worker, keyed

DEPLOY = ROOT / "deploy"
UNITS = ["forgebus.service", "forgebus-gateway.service"]
PAGE = (manifests.FOLDER / "kustomization.yaml").read_text()
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()


def source(path):
    return (ROOT / "Sources" / path).read_text()


def drain_time(path):
    """The default of a configuration, in seconds."""
    return int(re.search(r"drainTime: Duration = \.seconds\((\d+)\)", source(path))[1])


WORKER_DRAIN = drain_time("ForgeBusWorker/WorkerConfiguration.swift")
GATEWAY_DRAIN = drain_time("ForgeBusGateway/GatewayConfiguration.swift")

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here: `apt-get install systemd`"
)


def call(*words, **options):
    ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
    assert ended.returncode == 0, ended
    return ended.stdout


STARTED = []


@pytest.fixture(autouse=True)
def nothing_remains():
    """Ends what a failed test has left."""
    yield
    while STARTED:
        STARTED.pop().process.kill()


class Served(Worker):
    """The program with the arguments of a file that deploys it; its log is a pipe."""

    def __init__(self, directory, command, environment=None):
        self.directory, self.environment, self.log = directory, environment or {}, ""
        self.process = self.spawn([str(word) for word in command], subprocess.PIPE)
        STARTED.append(self)

    def hear(self, pattern):
        """Waits for a line of the log, and returns what it matches."""
        for line in self.process.stderr:
            self.log += line.decode()
            if found := re.search(pattern, line.decode()):
                return found
        pytest.fail(f"it ended without {pattern}:\n{self.log}")

    def said(self):
        return self.log

    def stop(self):
        super().stop()
        self.process.stderr.close()


def with_token(access, name):
    """Adds a token to the access file, as its text is printed once; the token."""
    made = json.loads(call(FORGEBUS, "token", name, "-o", "json"))
    rights = yaml.safe_load(access.read_text())
    rights["principals"][name].setdefault("tokens", []).append({"hash": made["hash"]})
    access.write_text(yaml.safe_dump(rights))
    return made["token"]


# What is written of the program's commands


@functools.cache
def options(subcommand):
    """What `forgebus help` knows of a subcommand; of one with further subcommands, what it knows of these."""
    text = call(FORGEBUS, "help", subcommand)
    found = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text))
    below = re.findall(r"^  (\w+) ", text.partition("SUBCOMMANDS:")[2], re.MULTILINE)
    return found.union(*(re.findall(r"(?<![\w-])--[a-z-]+", call(FORGEBUS, "help", subcommand, each)) for each in below))


def written_calls(text):
    """The calls of the program in a text, also in its comments and over several of its lines."""
    text = re.sub(r"\\\n#? *", " ", text)
    # After -n it is the namespace, and in /etc a folder.
    return [shlex.split(found) for found in re.findall(r"(?<!-n )(?<!/etc/)\bforgebus ([a-z]+ [^#`\n\"|&]*)", text)]


def listed_calls():
    """The calls of the program that are lists of words: the image's, and those of the pods."""
    for name in "CMD", "HEALTHCHECK":
        (words,) = re.findall(rf"^{name}[^\[]*(\[.*\])$", DOCKERFILE, re.MULTILINE)
        words = json.loads(words)
        yield words[words[0] == "forgebus" :]
    for name in manifests.templates():
        container = manifests.program(name)
        yield container["args"]
        for probe in probes(container).values():
            yield from written_calls(shlex.join(probe) + " ")


def probes(container):
    """The commands of a container's probes."""
    return {key: value["exec"]["command"] for key, value in container.items() if "exec" in value and "Probe" in key}


def test_every_call_of_the_program_has_options_that_it_knows():
    texts = [DOCKERFILE, PAGE, *((DEPLOY / unit).read_text() for unit in UNITS)]
    calls = [words for text in texts for words in written_calls(text)] + list(listed_calls())
    assert {words[0] for words in calls} == {"worker", "gateway", "ping", "keygen", "token", "access"}
    assert len(calls) > 15
    for subcommand, *words in calls:
        named = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert named <= options(subcommand), (subcommand, words)


# The units


def moved_unit(unit, directory):
    """A unit whose program is the one that was built."""
    text = (DEPLOY / unit).read_text().replace("/usr/bin/forgebus", str(FORGEBUS.resolve()))
    (directory / unit).write_text(text)
    return directory / unit


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_understands_every_line_of_a_unit(unit, tmp_path):
    path = moved_unit(unit, tmp_path)
    verified = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, timeout=60)
    # It warns of what it ignores, and succeeds.
    assert verified.returncode == 0 and unit not in verified.stdout + verified.stderr, verified


@needs_systemd
@pytest.mark.parametrize("unit", UNITS)
def test_what_a_unit_leaves_open_has_a_reason_and_nothing_else_has_one(unit, tmp_path):
    path = moved_unit(unit, tmp_path)
    lines = json.loads(call("systemd-analyze", "security", "--offline=true", "--json=short", path))
    assert len(lines) > 70
    open_lines = {line["name"] for line in lines if line["exposure"] is not None}
    _, _, table = path.read_text().partition("# What `systemd-analyze security` still reports, and why it stays open:")
    reasons = dict(re.findall(r"^# ([A-Z]\w+=\S*): (.+)$", table, re.MULTILINE))
    assert open_lines == set(reasons)


def sandboxed(unit, directory, endpoint):
    """The start line of a unit, behind its filters for system calls, with places and ports of the test."""
    (line,) = confinement.values(DEPLOY / unit, "ExecStart")
    places = {"/etc/forgebus": str(directory), "${STATE_DIRECTORY}": str(directory), "127.0.0.1:7780": "127.0.0.1:0"}
    for place, own in (places | {"tcp://127.0.0.1:7717": endpoint}).items():
        line = line.replace(place, own)
    program, *arguments = shlex.split(line)
    assert program == "/usr/bin/forgebus"
    return [sys.executable, confinement.__file__, DEPLOY / unit, FORGEBUS, *arguments]


# What commands of a worker do, and a filter could refuse.
USUAL = """
set -e
touch own
cp -p own copy
install -o "$(id -u)" -g "$(id -g)" own installed
tar -cf own.tar own
nice -n 5 ionice -c 3 taskset 1 true
python3 - <<X
import ctypes, mmap, socket
mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
socket.if_nameindex()
assert ctypes.CDLL(None, use_errno=True).ptrace(0, 0, 0, 0) == 0, ctypes.get_errno()
X
"""
ACCESS = """
principals:
  gateway: {{keys: ["{gateway}"], act_as: [run.>, read.>]}}
  ada: {{keys: [], run: [usual], read: [">"]}}
"""


@needs_systemd
@pytest.mark.skipif(sys.platform != "linux", reason="filters for system calls are Linux's")
def test_a_worker_its_commands_and_a_gateway_work_behind_the_filters_of_their_units(directory):
    arguments, _ = keyed(directory, ACCESS, "gateway")
    (directory / "usual").write_text(USUAL)
    actions = [{"id": "usual", "run": ["sh", "usual"]}]
    (directory / "worker.yaml").write_text(yaml.safe_dump({"pipelines": {"usual": {"actions": actions}}}))
    token = with_token(directory / "access.yaml", "ada")

    # As a drop-in gives it keys and an endpoint for the gateway: deploy/README.md says so.
    start = [*sandboxed(UNITS[0], directory, ""), "--listen", "tcp://127.0.0.1:*", *arguments]
    worker = Served(directory, start)
    endpoint = worker.hear(r"listening  endpoints=(\S+)")[1]
    worker.hear("ready$")
    gateway = Served(directory, sandboxed(UNITS[1], directory, endpoint))
    browser = Browser(int(gateway.hear(r"the gateway listens  address=127.0.0.1:(\d+)")[1]), token)

    assert browser.get("/readyz").status == 200
    ended = browser.post("/v1/pipelines/usual/runs", Prefer=f"wait={PATIENCE}").json
    output = browser.get(f"/v1/runs/{ended['run']}/output").json["entries"]
    assert ended["state"] == "completed", output
    for served in gateway, worker:
        assert confinement.values(DEPLOY / UNITS[0], "ExecReload") == ["/bin/kill -HUP $MAINPID"]
        served.process.send_signal(signal.SIGHUP)
        served.hear("access replaced|has read its access file again")
        served.stop()


def test_a_gateway_has_time_to_end_and_descriptors_for_its_connections():
    unit = dict(confinement.settings(DEPLOY / UNITS[1]))
    assert int(unit["TimeoutStopSec"]) > GATEWAY_DRAIN
    (connections,) = re.findall(r"connections = (\d+)", source("ForgeBusGateway/GatewayConfiguration.swift"))
    assert int(unit["LimitNOFILE"]) > int(connections)


# The image


def test_the_health_check_of_a_gateway_in_a_container_says_whether_it_is_ready(directory):
    worker = Worker(directory, store="memory")
    gateway = Gateway(directory, worker.endpoint)
    STARTED.extend([worker, gateway])
    (check,) = re.findall(r"--health-cmd (\".*\") \\$", DOCKERFILE, re.MULTILINE)
    # First the shell of the user reads it, and then that of the container.
    check = call("sh", "-c", f"printf %s {check}").replace("/7780", f"/{gateway.port}")

    def is_healthy():
        return subprocess.run(["sh", "-c", check], stderr=subprocess.DEVNULL, timeout=PATIENCE).returncode == 0

    assert is_healthy()
    worker.kill()
    assert not is_healthy()
    gateway.stop()
    assert not is_healthy()


# Kubernetes: what the files say

PODS = list(manifests.templates())


@pytest.mark.parametrize("version", [re.search(r"Kubernetes (\d+\.\d+) or later", PAGE)[1], "latest"])
def test_every_object_is_valid_and_has_no_unknown_key(version):
    validator = pytest.importorskip("kubernetes_validate")
    version = validator.latest_version() if version == "latest" else version
    for each in manifests.objects():
        validator.validate(each, version, strict=True)
    wrong = manifests.of_kind("Deployment")["gateway"]
    wrong["spec"]["replica"] = 2
    with pytest.raises(validator.ValidationError):
        validator.validate(wrong, version, strict=True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed here")
def test_kubectl_makes_the_objects_that_these_tests_read():
    text = call("kubectl", "kustomize", manifests.FOLDER)
    (hashed,) = set(re.findall(r"\bname: (files-\w+)$", text, re.MULTILINE))
    (image,) = manifests.KUSTOMIZATION["images"]
    text = text.replace(hashed, "files").replace(f"{image['newName']}:{image['newTag']}", image["name"])
    made = list(yaml.safe_load_all(text))
    for each in made:
        assert each["metadata"].pop("namespace", manifests.NAMESPACE) == manifests.NAMESPACE
    assert sorted(made, key=repr_of_name) == sorted(manifests.objects(), key=repr_of_name)


def repr_of_name(each):
    return each["kind"], each["metadata"]["name"]


def changed(objects, path, value):
    """The objects with another value at a path such as `Deployment/gateway/spec/replicas`; `...` removes the value."""
    kind, name, *steps, last = path.split("/")
    place = manifests.of_kind(kind, objects)[name]
    for step in steps:
        place = place[int(step) if step.isdigit() else step]
    if value is ...:
        del place[last]
    else:
        place[int(last) if last.isdigit() else last] = value
    return objects


@pytest.mark.parametrize("name", PODS)
def test_the_pods_are_within_the_restricted_profile_which_the_namespace_demands(name):
    assert violations(manifests.pod(name)) == set()
    labels = manifests.of_kind("Namespace")[manifests.NAMESPACE]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    for container in manifests.containers(manifests.pod(name)):
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
    assert manifests.pod(name)["automountServiceAccountToken"] is False


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("hostNetwork", True, "Host Namespaces"),
        ("volumes/0/hostPath", {"path": "/"}, "Volume Types"),
        ("securityContext/runAsNonRoot", ..., "Running as Non-root"),
        ("securityContext/runAsUser", 0, "Running as Non-root user"),
        ("securityContext/seccompProfile", ..., "Seccomp"),
        ("securityContext/sysctls", [{"name": "kernel.msgmax", "value": "1"}], "Sysctls"),
        ("containers/0/securityContext/capabilities", {"drop": ["ALL"], "add": ["CHOWN"]}, "Capabilities"),
        ("initContainers/0/securityContext/capabilities", ..., "Capabilities"),
        ("initContainers/0/securityContext/allowPrivilegeEscalation", ..., "Privilege Escalation"),
        ("containers/0/securityContext/privileged", True, "Privileged Containers"),
        ("containers/0/ports/0/hostPort", 80, "Host Ports"),
        ("containers/0/livenessProbe/httpGet", {"host": "example", "port": 1}, "Host Probes / Lifecycle Hooks"),
    ],
)
def test_a_pod_outside_of_the_profile_is_noticed(path, value, rule):
    objects = changed(manifests.objects(), f"StatefulSet/worker/spec/template/spec/{path}", value)
    assert violations(manifests.templates(objects)["worker"]["spec"]) == {rule}


def test_everything_that_an_object_refers_to_is_there():
    assert manifests.dangling(manifests.objects()) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("ConfigMap/files/metadata/name", "file"),
        ("ConfigMap/files/data", {"worker.yaml": ""}),
        ("Service/worker/metadata/name", "workers"),
        ("Service/worker/spec/selector", {"app": "worker"}),
        ("Service/gateway/spec/ports/0/targetPort", "https"),
        ("NetworkPolicy/worker/spec/podSelector", {"matchLabels": {"app": "worker"}}),
        ("NetworkPolicy/gateway/spec/egress/0/to/0/podSelector", {"matchLabels": {"app": "worker"}}),
        ("PodDisruptionBudget/gateway/spec/selector", {"matchLabels": {"app": "gateway"}}),
        ("StatefulSet/worker/spec/volumeClaimTemplates", []),
        ("StatefulSet/worker/spec/template/spec/volumes/2/name", "runtime"),
        ("StatefulSet/worker/spec/template/spec/containers/0/args/2", "/etc/forgebus/workers.yaml"),
        ("StatefulSet/worker/spec/template/spec/containers/0/env/2/value", "/keys/probe.key_secret"),
        ("Deployment/gateway/spec/template/spec/initContainers/0/command/4", "/keys/worker.key"),
        ("Deployment/gateway/spec/template/spec/containers/0/readinessProbe/httpGet/port", "web"),
    ],
)
def test_a_reference_to_nothing_is_noticed(path, value):
    assert manifests.dangling(changed(manifests.objects(), path, value)) != []


def test_names_and_ports_are_the_same_everywhere():
    arguments = manifests.program("gateway")["args"]
    services = manifests.of_kind("Service")
    ports = {name: service["spec"]["ports"][0]["port"] for name, service in services.items()}
    assert manifests.option(arguments, "--endpoint") == [f"tcp://worker:{ports['worker']}"]
    listened = yaml.safe_load((manifests.FOLDER / "etc/worker.yaml").read_text())["worker"]["listen"]
    assert listened == [f"tcp://*:{ports['worker']}"]
    assert manifests.option(arguments, "--http") == [f"0.0.0.0:{ports['gateway']}"]
    for name, port in ports.items():
        assert [each["containerPort"] for each in manifests.program(name)["ports"]] == [port]
        assert services[name]["spec"]["ports"][0]["targetPort"] == manifests.program(name)["ports"][0]["name"]
    # By each name that the cluster has for a Service.
    suffixes = ["", f".{manifests.NAMESPACE}", f".{manifests.NAMESPACE}.svc", f".{manifests.NAMESPACE}.svc.cluster.local"]
    assert {f"gateway{suffix}" for suffix in suffixes} <= set(manifests.option(arguments, "--host"))


@pytest.mark.parametrize("name", PODS)
def test_a_pod_runs_the_image_as_its_user(name):
    (user,) = re.findall(r"useradd --uid (\d+)", DOCKERFILE)
    context = manifests.pod(name)["securityContext"]
    assert {context["runAsUser"], context["runAsGroup"], context["fsGroup"]} == {int(user)}
    assert {each["image"] for each in manifests.containers(manifests.pod(name))} == {"forgebus"}
    (image,) = manifests.KUSTOMIZATION["images"]
    assert image["name"] == "forgebus" and f"forgebus {image['newTag']}," in call(FORGEBUS, "--version")


def test_a_worker_is_alone_and_keeps_its_store():
    worker = manifests.of_kind("StatefulSet")["worker"]["spec"]
    assert worker["replicas"] == 1
    (claim,) = worker["volumeClaimTemplates"]
    assert claim["spec"]["accessModes"] == ["ReadWriteOncePod"]
    (store,) = manifests.option(manifests.program("worker")["args"], "--store")
    (place,) = [each["mountPath"] for each in manifests.program("worker")["volumeMounts"] if each["name"] == "state"]
    assert store.startswith(f"{place}/")
    assert worker["persistentVolumeClaimRetentionPolicy"] == {"whenDeleted": "Retain", "whenScaled": "Retain"}


def test_a_pod_has_time_to_end():
    # After its drain time, a worker takes up to 30 s to end commands and to send answers.
    assert manifests.pod("worker")["terminationGracePeriodSeconds"] > WORKER_DRAIN + 30
    pause = manifests.program("gateway")["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert manifests.pod("gateway")["terminationGracePeriodSeconds"] > GATEWAY_DRAIN + pause
    gateways = manifests.of_kind("Deployment")["gateway"]["spec"]["replicas"]
    assert manifests.of_kind("PodDisruptionBudget")["gateway"]["spec"]["minAvailable"] < gateways
    for name in PODS:
        for probe, command in probes(manifests.program(name)).items():
            (patience,) = re.findall(r"--patience (\d+)s", shlex.join(command))
            assert int(patience) < manifests.program(name)[probe]["timeoutSeconds"]


WORKER, GATEWAY = ((manifests.NAMESPACE, manifests.templates()[name]["metadata"]["labels"]) for name in ("worker", "gateway"))
CLIENT = {"forgebus-client": "true"}
STRANGER, NAMES = (manifests.NAMESPACE, {}), ("kube-system", {"k8s-app": "kube-dns"})


@pytest.mark.parametrize(
    ("sender", "receiver", "port", "allowed"),
    [
        (GATEWAY, WORKER, 7717, True),
        (("shop", CLIENT), WORKER, 7717, True),
        (("shop", {}), WORKER, 7717, False),
        (STRANGER, WORKER, 7717, False),
        (("shop", CLIENT), WORKER, 22, False),
        (("ingress-nginx", {}), WORKER, 7717, False),
        (("ingress-nginx", {}), GATEWAY, 7780, True),
        (("ingress-nginx", {}), GATEWAY, 22, False),
        (("shop", CLIENT), GATEWAY, 7780, False),
        (WORKER, GATEWAY, 7780, False),
        (GATEWAY, NAMES, 53, True),
        (WORKER, NAMES, 53, True),
        (GATEWAY, NAMES, 443, False),
        (GATEWAY, ("shop", {}), 443, False),
        (WORKER, ("shop", {}), 443, False),
        (WORKER, WORKER, 7717, False),
    ],
)
def test_only_wanted_connections_pass_the_network(sender, receiver, port, allowed):
    assert manifests.is_allowed(sender, receiver, port) == allowed


# Kubernetes: what the files do

KUBECTL = """#!/bin/sh
for word in "$@"; do
    case "$word" in --from-file=*) test -r "${word#*=}" || exit 1 ;; esac
done
printf '%s\\n' "$*" >>kubectl.log
"""


class Cluster:
    """A directory in which the commands of the page were called, and which has what the volumes of the pods have."""

    def __init__(self, directory):
        self.directory = directory
        self.files = shutil.copytree(manifests.FOLDER, directory / "deploy" / "kubernetes") / "etc"
        programs = directory / "bin"
        programs.mkdir()
        (programs / "forgebus").symlink_to(FORGEBUS.resolve())
        (programs / "kubectl").write_text(KUBECTL)
        (programs / "kubectl").chmod(0o755)
        self.path = {"PATH": f"{programs}:{os.environ['PATH']}"}
        self.steps = re.findall(r"^#   (.+)$", PAGE, re.MULTILINE)
        call("sh", "-e", "-c", "\n".join(self.steps), cwd=directory, env={**os.environ, **self.path})
        self.calls = (directory / "kubectl.log").read_text().splitlines()
        self._fill_in()
        self.token = with_token(self.files / "access.yaml", "ada")
        self.endpoint = "tcp://127.0.0.1:*"

    def _fill_in(self):
        """Writes the public keys into the access file, and has the worker listen at a port of this test."""
        text = (self.files / "access.yaml").read_text()
        for name in "gateway", "probe":
            public, _ = zmq.auth.load_certificate(self.directory / "keys" / f"{name}.key")
            (placeholder,) = re.findall(rf'"(the-public-key-of-keys/{name}\.key-+)"', text)
            text = text.replace(f'"{placeholder}"', json.dumps(public.decode()))
        (self.files / "access.yaml").write_text(text)
        self.configure(lambda text: text.replace("tcp://*:7717", "tcp://127.0.0.1:*"))

    def configure(self, change):
        path = self.files / "worker.yaml"
        path.write_text(change(path.read_text()))

    def moved(self, pod, word):
        """A word of a pod's command with the places and ports of this test."""
        places = {"/etc/forgebus-keys": "keys", "/etc/forgebus": "deploy/kubernetes/etc", "/run/forgebus": f"{pod}-run"}
        for place, own in (places | {"/var/lib/forgebus": "state"}).items():
            word = re.sub(rf"{place}(?![\w-])", str(self.directory / own), word)
        for endpoint in "tcp://worker:7717", "tcp://127.0.0.1:7717":
            word = word.replace(endpoint, self.endpoint)
        return word.replace("0.0.0.0:7780", "127.0.0.1:0")

    def environment(self, pod):
        return {each["name"]: self.moved(pod, each["value"]) for each in manifests.program(pod).get("env", [])}

    def prepare(self, pod):
        """Does what the pod does before its program starts."""
        for place in f"{pod}-run", "state":
            (self.directory / place).mkdir(exist_ok=True)
        for container in manifests.pod(pod)["initContainers"]:
            call(*(self.moved(pod, word) for word in container["command"]))

    def start(self, pod):
        self.prepare(pod)
        arguments = [self.moved(pod, word) for word in manifests.program(pod)["args"]]
        return Served(self.directory, [FORGEBUS, *arguments], self.environment(pod))

    def start_worker(self):
        """The worker, once it listens."""
        worker = self.start("worker")
        self.endpoint = worker.hear(r'"listening".*"endpoints":"([^"]+)"')[1]
        return worker

    def probe(self, pod, name):
        """The exit status of a probe of the pod."""
        command = [self.moved(pod, word) for word in probes(manifests.program(pod))[name]]
        environment = {**os.environ, **self.path, **self.environment(pod)}
        return subprocess.run(command, env=environment, capture_output=True, timeout=PATIENCE).returncode


@pytest.fixture
def cluster(directory):
    return Cluster(directory)


def test_the_commands_of_the_page_make_the_secrets_that_the_pods_mount(cluster):
    made = {}
    for words in map(str.split, cluster.calls):
        if "secret" in words:
            assert words[:5] == ["-n", manifests.NAMESPACE, "create", "secret", "generic"]
            made[words[5]] = {word.rpartition("/")[2] for word in words[6:]}
    assert made == manifests.secrets()
    assert not manifests.of_kind("Secret"), "keys never belong into a repository"
    for words in map(str.split, cluster.calls):
        named = [cluster.directory / value for key in ("-f", "-k") for value in manifests.option(words, key)]
        assert all(path.exists() for path in named), words
        started = [word for word in words if "/" in word and words[2:4] == ["rollout", "status"]]
        assert all(word.partition("/")[2] in PODS for word in started)
    assert cluster.calls[-3].endswith("apply -k deploy/kubernetes")


def test_the_files_of_the_config_map_are_accepted(cluster):
    cluster.prepare("worker")
    arguments = [cluster.moved("worker", word) for word in manifests.program("worker")["args"]]
    told = call(FORGEBUS, *arguments, "--check")
    assert re.search("^pipelines +deploy$", told, re.MULTILINE)
    told = call(FORGEBUS, "access", "check", cluster.files / "access.yaml")
    assert re.search("^  gateway +1 key$", told, re.MULTILINE)
    # As they are in the repository, too, with placeholders for keys.
    call(FORGEBUS, "access", "check", manifests.FOLDER / "etc" / "access.yaml")


def test_a_worker_and_a_gateway_serve_with_the_arguments_of_their_pods(cluster):
    worker = cluster.start_worker()
    worker.hear('"ready"')
    gateway = cluster.start("gateway")
    port = int(gateway.hear(r'"the gateway listens".*"address":"127.0.0.1:(\d+)"')[1])
    browser = Browser(port, cluster.token)
    for secret in cluster.directory.glob("*-run/*"):
        assert secret.stat().st_mode & 0o777 == 0o600, secret

    probe = manifests.program("gateway")
    for name in "livenessProbe", "readinessProbe":
        # The kubelet asks by the address of the pod, without a token.
        assert Browser(port).get(probe[name]["httpGet"]["path"], Host=f"10.1.2.3:{port}").status == 200
    assert {name: cluster.probe("worker", name) for name in probes(manifests.program("worker"))} == {
        "startupProbe": 0, "livenessProbe": 0, "readinessProbe": 0,
    }  # fmt: skip

    run = browser.post("/v1/pipelines/deploy/runs", {"version": "1.2.3"}).json["run"]
    assert browser.get(f"/v1/runs/{run}").status == 200
    browser.wait(f"/v1/runs/{run}", state="waiting")
    for host in manifests.option(probe["args"], "--host"):
        (gate,) = browser.get("/v1/gates", Host=f"{host}:7780").json["items"]
        assert gate["message"] == "Deploy 1.2.3 to production? Tests: 132 passed"
    assert browser.get("/v1/gates", Host=f"10.1.2.3:{port}").status == 421
    assert Browser(port).get("/v1/gates").status == 401
    assert browser.post("/v1/gates/deploy.1-2-3.approve/approve").json["verdict"] == "delivered"
    assert browser.get(f"/v1/runs/{run}", Prefer=f"wait={PATIENCE}").json["state"] == "completed"
    assert (cluster.directory / "state" / "forgebus.sqlite").exists()
    gateway.stop()
    worker.stop()


def test_a_worker_whose_startup_actions_run_is_alive_and_not_ready(cluster):
    os.mkfifo(cluster.files / "permission")
    cluster.configure(lambda text: text + "startup: [{id: migrate, run: [cat, permission]}]\n")
    worker = cluster.start_worker()
    asked = {name: cluster.probe("worker", name) for name in probes(manifests.program("worker"))}
    assert asked == {"startupProbe": 0, "livenessProbe": 0, "readinessProbe": 75}
    (cluster.files / "permission").write_text("")
    worker.hear('"ready"')
    assert cluster.probe("worker", "readinessProbe") == 0
    worker.stop()
    assert cluster.probe("worker", "startupProbe") != 0
