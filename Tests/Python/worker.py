"""A real worker in a process of its own, at an endpoint of its own."""

import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FORGEBUS = pathlib.Path(os.environ.get("FORGEBUS", ROOT / ".build" / "debug" / "forgebus"))
PATIENCE = 30


class Worker:
    """`forgebus worker`, ready; with a configuration it serves that, without one the demonstration.

    Its store is a file of its own in its directory, or `memory`.
    """

    def __init__(self, directory, configuration=None, store=None):
        self.directory = directory
        self.endpoint = f"ipc://{directory}/worker.ipc"
        self.store = store or directory / "worker.sqlite"
        self.arguments = ["--listen", self.endpoint, "--store", self.store]
        if configuration:
            file = directory / "worker.yaml"
            file.write_text(configuration)
            self.arguments += ["--config", file]
        self.start()

    def start(self):
        """Starts it, again if need be, and returns when it is ready."""
        if not FORGEBUS.exists():
            pytest.fail(f"{FORGEBUS} is not there: `swift build --product forgebus` builds it, FORGEBUS names another")
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}
        self.process = subprocess.Popen(
            [FORGEBUS, "worker", *self.arguments],
            env={**environment, "TMPDIR": str(self.directory)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = []
        for line in self.process.stderr:
            said.append(line)
            if line.rstrip().endswith("ready"):
                return
        pytest.fail("the worker does not start:\n" + "".join(said))

    def kill(self):
        """Ends it at once, as a crash does."""
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def stop(self):
        """Has it drain and end, as it should: with 0."""
        self.process.send_signal(signal.SIGTERM)
        _, log = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, log
