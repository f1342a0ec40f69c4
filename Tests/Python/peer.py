"""A socket that asks a worker, a worker with keys, and a clock that is ahead."""

import functools
import json
import pathlib
import subprocess
import tempfile
import time
import uuid

import zmq

from forgebus_messages import write_request
from worker import PATIENCE, ROOT, Worker

FINAL = {"WELCOME", "RESULT", "VERDICT", "OK", "ERROR", "SHOWN", "PAGE", "EVALUATED", "PONG"}


def wall_clock(shift):
    """The environment of a program whose clock on the wall is so many seconds ahead."""
    return {"LD_PRELOAD": str(_wall_clock_library()), "WALL_CLOCK_SHIFT": str(shift)}


@functools.cache
def _wall_clock_library():
    library = pathlib.Path(tempfile.mkdtemp()) / "wall_clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, ROOT / "Tests" / "Python" / "wall_clock.c"], check=True)
    return library


class Peer:
    """A DEALER that asks one thing after the other, and gives the frames of the answers as texts."""

    def __init__(self, endpoint, curve=None):
        self.socket = zmq.Context.instance().socket(zmq.DEALER)
        self.socket.linger, self.socket.rcvtimeo = 0, PATIENCE * 1000
        if curve:
            self.socket.curve_serverkey, self.socket.curve_publickey, self.socket.curve_secretkey = curve
        self.socket.connect(endpoint)

    def ask(self, command, subject="", attributes=None, body=b"", id=None):
        """All answers to one request, the final one last."""
        id = id or uuid.uuid4().hex
        self.socket.send_multipart(write_request(command, subject, attributes, body, id))
        final = FINAL
        if (attributes or {}).get("reply") == "accepted" or (command == "NOTIFY" and "reply" not in (attributes or {})):
            final = FINAL | {"ACCEPTED"}
        answers = []
        while not answers or answers[-1][0].split()[1] not in final:
            frames = [frame.decode() for frame in self.socket.recv_multipart()]
            if frames[1] == id:
                answers.append(frames)
        return answers

    def show(self, item):
        """What one thing is."""
        return json.loads(self.ask("SHOW", item)[-1][4])

    def wait(self, item, state):
        """Waits until a run or monitor is in that state."""
        while self.show(item)["state"] != state:
            time.sleep(0.01)


class KeyedWorker(Worker):
    """A worker with keys: `ada` may do everything, `ben` and `eve` may complete and read."""

    principals = {
        "ada": ("notify", "run", "complete", "cancel", "read", "mode", "admin"),
        "ben": ("complete", "read"),
        "eve": ("complete", "read"),
    }

    def launch(self):
        if not hasattr(self, "keys"):
            self._make_keys()
        super().launch()

    def peer(self, who):
        """A connection with the key of `who`."""
        return Peer(self.endpoint, (self.keys["worker"][0], *self.keys[who]))

    def _make_keys(self):
        self.keys = {name: zmq.curve_keypair() for name in ("worker", *self.principals)}
        public, secret = (key.decode() for key in self.keys["worker"])
        certificate = self.directory / "worker.key_secret"
        certificate.write_text(f'metadata\ncurve\n    public-key = "{public}"\n    secret-key = "{secret}"\n')
        certificate.chmod(0o600)
        lines = ["principals:"]
        for name, rights in self.principals.items():
            lines += [f"  {name}:", f"    keys: [{json.dumps(self.keys[name][0].decode())}]"]
            lines += [f'    {right}: [">"]' for right in rights]
        access = self.directory / "access.yaml"
        access.write_text("\n".join(lines) + "\n")
        self.arguments += ["--access", access, "--certificate", certificate]
