"""Whatever the command line is called with, and whatever stands in its files, it ends by itself and says why.

A hundred or so calls in the ordinary run; 10,000 with odd arguments and 10,000 with odd files where FORGE_FULL is 1. A call
that fails is told with its number: FORGE_SEED and the number make the same call again.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess

import pytest

from worker import FORGEBUS

pytestmark = pytest.mark.row(23)
CALLS = 10_000 if os.environ.get("FORGE_FULL") == "1" else 80
SEED = int(os.environ.get("FORGE_SEED", "17"))
# Most take a twentieth of a second: what takes a minute hangs.
PATIENCE = 60
# The commands that serve HTTP until somebody stops them, and those that make a file.
SERVING = {"dev", "gateway"}
MAKING = {"dev", "gateway", "keygen"}

ODD_TEXTS = [
    b"", b" ", b"w", b".", b"..", b"~", b"~root", b"/", b"//", b"a//", b"a/b", b"./w", b"../../w", b"\n", b"\t", b"\\",
    b"-", b"--", b"---", b"-e", b"-o", b"--=", b"=", b":=", b"a=", b"a:=", b"a:=1", b"a:={", b"a=b\nc", b"*", b">",
    b"a.>", b"a..b", b".a", b"a.*", b"run.>", b"0", b"-1", b"1e308", b"1e309", b"-0.0", b"nan", b"inf", b"-inf", b"0x1p9",
    b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808", b"99999999999999999999999", b"1e-320",
    b"null", b"true", b'"', b'"\\ud800"', b"{}", b"[]", b'{"a":' * 70, b"[" * 5000, b"x" * 300, b"x." * 200, b"y" * 70_000,
    b"\x1b[2J", b"\x7f", b"\xff\xfe", b"\xc3", "\u202eabc".encode(), "\u2028".encode(), "e\u0301".encode() * 50,
    "\U0010ffff".encode(), "é".encode(), b"/proc/self/environ", b"/proc/self/mem", b"tcp://", b"tcp://*:*", b"tcp://:1",
    b"tcp://[::1]:0", b"tcp://[::1%]:1", b"tcp://127.0.0.1:65536", b"ipc://", b"ipc://@a", b"inproc://", b"udp://a:1",
    b"run/a", b"run/", b"/run", b"history/a.b", b"signal/x", b"%s%n", b"$(x)", b"local", b"memory", b"json", b"jsonl",
    b"worker.yaml", b"access.yaml", b"own.key", b"own.key_secret", b"runs", b"store.stats", b"help", b"zsh",
]
VARIABLES = [
    "HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "STATE_DIRECTORY", "TMPDIR", "NOTIFY_SOCKET", "TERM", "COLUMNS", "LANG", "TZ",
    "FORGEBUS_ENDPOINT", "FORGEBUS_SERVER_KEY", "FORGEBUS_CERTIFICATE", "FORGEBUS_NAME", "FORGEBUS_STORE", "FORGEBUS_LISTEN",
    "FORGEBUS_DRAIN", "FORGEBUS_LIMITS_QUEUED", "FORGEBUS_PUBLICATIONS_CONNECT",
]
WORKER = """
worker: {name: odd, drain: 30s, limits: {queued: 5}, listen: ["ipc:///tmp/forgebus-odd/w.ipc", "tcp://127.0.0.1:7717"]}
monitors:
  shelf:
    topics: [stock.>, "*.b"]
    interval: 1m
    debounce: {quiet: 200ms, at_most: 2s}
    excluded_screens: [Freeze]
    actions:
      - {id: restock, when: [./is-low], run: &program [./restock, "7", é], priority: high}
pipelines:
  deploy:
    slots: 4
    checkpoint: strict
    seeds:
      version: {type: string, required: true}
      replicas: {type: integer, default: 2}
      more: {type: object, default: {a: [1, 2.5, null], b: "\\u263a"}}
    outputs: [url]
    actions:
      - id: build
        run: *program
        timeout: 10m
        env: {STAGE: prod}
        retry: {attempts: 3, backoff: 1s}
      - {id: approve, gate: {signal: "deploy.{seed.version}.approve", deadline: 1d}}
      - {id: rollout, run: [sh, -c, "echo '{}'"], requires: [build, approve], on_failure: park}
startup:
  - id: migrate
    run:
      - |
        one
        two
"""
ACCESS = """
roles:
  reader: {read: [">"]}
principals:
  shop:
    keys: ["KEY"]
    roles: [reader]
    run: {allow: [deploy, "a.*"], deny: [b]}
    notify: [stock.>]
"""
ODD_PIECES = [
    b"", b"\n", b"\r", b"\t", b"\0", b"\x85", b"\xff", "\u2028".encode(), "\ufeff".encode(), "\u202e".encode(), b"&a ", b"*a",
    b"!!str ", b"!x ", b"<<: *a\n", b"? ", b"[", b"]" * 3, b"{" * 40, b"[" * 900, b"- " * 300, b"---\n", b"...\n",
    b"%YAML 9.9\n", b"|", b">9-", b"\"\\x00\"", b"'", b"#", b": ", b"~", b"null", b".inf", b"-1", b"1e999", b"0x7f",
    b"9223372036854775807", b"9223372036854775808", b"{seed.}", b"{run.id}", b"{", b"x" * 5000, b"e\xcc\x81" * 60, b"\x1b[2J",
]


class Place:
    """A directory with the files that a call may name, in which it runs."""

    def __init__(self, directory):
        self.directory = directory
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(directory),
            "XDG_STATE_HOME": "/dev/null",
            "FORGEBUS_ENDPOINT": f"ipc://{directory}/nobody.ipc",
            # Writing down where it crashed would take a second and more.
            "SWIFT_BACKTRACE": "enable=no",
        }
        # What serves HTTP ends at once if its port is taken.
        self.taken = socket.create_server(("127.0.0.1", 0))
        assert self.run(["keygen", "own"]).returncode == 0
        key = re.search('public-key = "(.*)"', (directory / "own.key").read_text())[1]
        self.write("worker.yaml", WORKER.encode())
        self.write("access.yaml", ACCESS.replace("KEY", key).encode())

    def write(self, name, content):
        path = self.directory / name
        path.write_bytes(content)
        path.chmod(0o600)

    def run(self, arguments, environment={}):
        return subprocess.run(
            [FORGEBUS, *arguments],
            cwd=self.directory,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
        )


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def vocabulary(place):
    """The subcommands, each with its options, as the help tells them."""
    subcommands = re.findall(r"^  ([a-z]+) +\w", place.run(["--help"]).stdout.decode(), re.M)
    assert {"worker", "run", "access"} <= set(subcommands)
    return {subcommand: re.findall(r"--[a-z-]+", place.run(["help", subcommand]).stdout.decode()) for subcommand in subcommands}


def flaw(outcome):
    """What must not become of a call."""
    if isinstance(outcome, subprocess.TimeoutExpired):
        return "it hangs"
    if outcome.returncode < 0:
        return f"it ended by {signal.Signals(-outcome.returncode).name}"
    if b"Fatal error" in outcome.stderr or b"Fatal error" in outcome.stdout:
        return "it says Fatal error"
    if outcome.returncode == 0 or outcome.stderr or outcome.stdout:
        return None
    return f"it ended with {outcome.returncode} and says nothing"


def try_all(score, call):
    """Makes every call, two at a time; `call` takes the generator of its number, and tells the arguments and the end."""

    def attempt(number):
        try:
            arguments, outcome = call(random.Random(f"{SEED}/{number}"), number)
        except subprocess.TimeoutExpired as overdue:
            arguments, outcome = overdue.cmd[1:], overdue
        found = flaw(outcome)
        return found and f"call {number} of seed {SEED}: {found}: {arguments!r}"[:2000]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        flaws = [found for found in pool.map(attempt, range(CALLS)) if found]
    score.take(CALLS, len(flaws), seed=SEED)
    assert not flaws, f"{len(flaws)} of {CALLS}:\n" + "\n".join(flaws[:20])


def odd_arguments(chance, vocabulary, port):
    subcommand = chance.choice(["worker", "access", *vocabulary])
    known = vocabulary[subcommand] if chance.random() < 0.8 else sum(vocabulary.values(), [])
    words = [subcommand.encode()]
    if subcommand == "store":
        words.append(chance.choice([b"verify", b"stats", b"backup", chance.choice(ODD_TEXTS)]))
    if subcommand == "access":
        words += [b"check", chance.choice(ODD_TEXTS)]
    # Without --check a worker would serve; the others wait for nobody.
    if subcommand == "worker":
        words += [b"--check", b"--config", chance.choice([b"worker.yaml", chance.choice(ODD_TEXTS)])]
    for _ in range(chance.choice([0, 1, 1, 2, 3, 5])):
        text = chance.choice(ODD_TEXTS)
        if chance.random() < 0.1:
            text = bytes(chance.randrange(1, 256) for _ in range(chance.randrange(12)))
        option = chance.choice(known or ["--help"]).encode()
        words += chance.choice([[text], [option, text], [option + b"=" + text], [option]])
    if "--patience" in vocabulary[subcommand] and subcommand != "worker":
        words += [b"--patience", b"0.02"]
    if subcommand in SERVING:
        words += [b"--http", b"127.0.0.1:%d" % port]
    if chance.random() < 0.05:
        words.pop(0) if subcommand != "worker" else words.insert(2, b"--help")
    # A file that is made must not lie outside the place.
    return [word for word in words if subcommand not in MAKING or not re.search(rb"\.\.|^/|=/", word)]


def test_odd_arguments_end_the_command_with_a_reason(place, vocabulary, score):
    def call(chance, number):
        arguments = odd_arguments(chance, vocabulary, place.taken.getsockname()[1])
        environment = {chance.choice(VARIABLES): chance.choice(ODD_TEXTS)} if chance.random() < 0.3 else {}
        return [environment, *arguments], place.run(arguments, environment)

    try_all(score, call)


def mutated(chance, content):
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + chance.choice([0, 0, 1, 4, 40]))
        lines = content.split(b"\n")
        piece = chance.choice(
            [
                chance.choice(ODD_PIECES),
                chance.choice(ODD_PIECES),
                chance.choice(ODD_TEXTS),
                bytes([chance.randrange(256)]),
                content[end : end + chance.randrange(60)],
                chance.choice(lines) + b"\n",
            ]
        )
        content = content[:start] + piece + content[end:]
    return content


def test_odd_files_end_the_command_with_a_reason(place, score):
    names = ["worker.yaml", "access.yaml", "own.key_secret", "own.key"]
    originals = {name: (place.directory / name).read_bytes() for name in names}
    secret, key = place.directory / "own.key_secret", place.directory / "own.key"

    def call(chance, number):
        name = chance.choice(["worker.yaml", "worker.yaml", *names])
        odd = f"odd-{number}"
        place.write(odd, mutated(chance, originals[name]))
        ask = ["ping", "--patience", "0.02"]
        arguments = chance.choice(
            {
                "worker.yaml": [["worker", "--check", "--config", odd]],
                "access.yaml": [
                    ["access", "check", odd],
                    ["worker", "--check", "--config", "worker.yaml", "--access", odd, "--certificate", secret],
                ],
                "own.key_secret": [
                    [*ask, "--server-key", key, "--certificate", odd],
                    ["worker", "--check", "--config", "worker.yaml", "--access", "access.yaml", "--certificate", odd],
                ],
                "own.key": [[*ask, "--server-key", odd, "--certificate", secret]],
            }[name]
        )
        outcome = place.run(arguments)
        if not flaw(outcome):
            (place.directory / odd).unlink()
        return arguments, outcome

    try_all(score, call)


def test_a_path_of_one_character_is_a_path(place):
    for name in ["w", "~"]:
        (place.directory / name).write_text("pipelines: {p: {actions: [{id: a, run: ['true']}]}}\n")
        shutil.copy(place.directory / "access.yaml", place.directory / f"{name}a")
    for arguments in [["worker", "--check", "--config", "w"], ["worker", "--check", "--config", "~"], ["access", "check", "~a"]]:
        outcome = place.run(arguments)
        assert outcome.returncode == 0, outcome
    for path in [".", "..", "/", "~x", "", "a//"]:
        for arguments in [["worker", "--check", "--config", path], ["access", "check", path]]:
            outcome = place.run(arguments)
            assert (outcome.returncode, b"cannot be read" in outcome.stderr) == (78, True), (path, outcome)
