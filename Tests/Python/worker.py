"""A real worker in a process of its own, at an endpoint of its own."""

import fcntl
import os
import pathlib
import signal
import subprocess
import time

import pytest
import zmq.auth

ROOT = pathlib.Path(__file__).parents[2]
FORGEBUS = pathlib.Path(os.environ.get("FORGEBUS", ROOT / ".build" / "debug" / "forgebus"))
PATIENCE = 120


class Worker:
    """`forgebus worker`, ready; with a configuration it serves that, without one the demonstration.

    Its store is a file of its own in its directory, or `memory`. What it says is in `log`.
    """

    program = FORGEBUS

    def __init__(self, directory, configuration=None, store=None, environment=None, arguments=(), endpoint=None):
        self.directory = directory
        self.endpoint = endpoint or f"ipc://{directory}/worker.ipc"
        self.store = store or directory / "worker.sqlite"
        self.log = directory / "worker.log"
        self.arguments = ["--listen", self.endpoint, "--store", self.store, *arguments]
        self.environment = environment or {}
        if configuration:
            self.configure(configuration)
            self.arguments += ["--config", directory / "worker.yaml"]
        self.start()

    def configure(self, configuration):
        """Has it serve something else from its next start on."""
        (self.directory / "worker.yaml").write_text(configuration)

    def start(self):
        """Starts it, again if need be, and returns when it is ready."""
        self.launch()
        if not self.is_ready():
            pytest.fail("the worker does not start:\n" + self.said())

    def launch(self):
        """Starts it and does not wait."""
        if not self.program.exists():
            pytest.fail(f"{self.program} is not there: `swift build --product forgebus` builds it, FORGEBUS names another")
        with open(self.log, "a") as log:
            self._launched = log.tell()
            self.process = self.spawn([self.program, "worker", *self.arguments], log)

    def spawn(self, command, log):
        """Starts its process, which logs there."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}
        return subprocess.Popen(
            command,
            env={**environment, "TMPDIR": str(self.directory), **self.environment},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )

    def is_ready(self):
        """Waits until it is ready, or is no more."""
        while self.process.poll() is None:
            if any(line.endswith("ready") for line in self.said().splitlines()):
                return True
            time.sleep(0.005)
        return False

    def said(self):
        """What it has said since it was started last."""
        with open(self.log) as log:
            log.seek(self._launched)
            return log.read()

    def kill(self):
        """Ends it at once, as a crash does."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self.await_heirs()

    def await_heirs(self):
        """Waits until no command that it was about to start has its lock: each does, from its fork to its program."""
        lock = pathlib.Path(f"{self.store}.lock")
        if lock.exists():
            with open(lock) as file:
                fcntl.flock(file, fcntl.LOCK_EX)

    def stop(self):
        """Has it drain and end, as it should: with 0."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, self.said()


def keyed(directory, access, *principals):
    """What a worker and its clients need to tell principals apart, who get a pair of keys each.

    `access` is the text of an access file, in which `{NAME}` stands for the public key of a principal. Returns the
    worker's arguments, and by name what a client's socket is given: the worker's public key, its own, and its secret key.
    """
    for name in ("worker", *principals):
        subprocess.run([FORGEBUS, "keygen", directory / name], check=True, stdout=subprocess.DEVNULL)
    pairs = {name: zmq.auth.load_certificate(directory / f"{name}.key_secret") for name in ("worker", *principals)}
    public = {name: pairs[name][0].decode() for name in principals}
    (directory / "access.yaml").write_text(access.format(**public))
    arguments = ["--access", directory / "access.yaml", "--certificate", directory / "worker.key_secret"]
    return arguments, {name: (pairs["worker"][0], *pairs[name]) for name in principals}
