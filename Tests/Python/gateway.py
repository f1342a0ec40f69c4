"""A gateway in a process of its own, and what asks it over HTTP."""

import http.client
import json
import os
import re
import signal
import subprocess
import time

import pytest

from worker import FORGEBUS, PATIENCE


def served_port(said, is_alive):
    """The port of a gateway, from what its process says, once it listens."""
    while True:
        if found := re.search(r"the gateway listens  address=\S+:(\d+)", said()):
            return int(found[1])
        if not is_alive():
            pytest.fail("the gateway does not start:\n" + said())
        time.sleep(0.005)


class Gateway:
    """`forgebus gateway` for a worker's endpoint, or without one for a fleet alone, which listens."""

    def __init__(self, directory, endpoint, arguments=(), environment=None):
        self.directory, self.endpoint, self.arguments = directory, endpoint, list(arguments)
        self.environment = {"XDG_RUNTIME_DIR": str(directory), **(environment or {})}
        self.log = directory / "gateway.log"
        self.port = 0
        self.start()

    def start(self):
        """Starts it, again if need be at the same port."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}
        worker = ["--endpoint", self.endpoint] if self.endpoint else []
        with open(self.log, "a") as log:
            self._launched = log.tell()
            self.process = subprocess.Popen(
                [FORGEBUS, "gateway", *worker, "--http", f"127.0.0.1:{self.port}", *self.arguments],
                env={**environment, **self.environment},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        self.port = served_port(self.said, lambda: self.process.poll() is None)

    def said(self):
        with open(self.log) as log:
            log.seek(self._launched)
            return log.read()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self):
        """Has it end as it should: with 0."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0, self.said()


class Reply:
    """The answer to an HTTP request."""

    def __init__(self, response):
        self.status, self.headers = response.status, response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"


class Browser:
    """What asks a gateway, with a connection for each request."""

    def __init__(self, port, token=None):
        self.port = port
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, **headers):
        """Asks; a body that is no bytes is sent as JSON. `Name_Of_Header` stands for `Name-Of-Header`."""
        headers = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        connection = self.connect()
        try:
            connection.request(method, path, body, headers)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.ask("POST", path, body, **headers)

    def wait(self, path, **wanted):
        """Asks again until the answer has these members."""
        while True:
            reply = self.get(path)
            if reply.status == 200 and all(reply.json.get(key) == value for key, value in wanted.items()):
                return reply.json
            time.sleep(0.01)

    def events(self, path, **headers):
        """The server-sent events of a path, one after another, each as (name, id, data); comments are left out."""
        connection = self.connect()
        connection.request("GET", path, headers=self.headers | {"Accept": "text/event-stream"} | headers)
        response = connection.getresponse()
        assert response.status == 200, Reply(response)
        assert response.headers["Content-Type"] == "text/event-stream"
        event = {}
        for line in response:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
            elif "event" in event:
                yield event["event"], event.get("id"), json.loads(event["data"])
                event = {}
            else:
                event = {}
