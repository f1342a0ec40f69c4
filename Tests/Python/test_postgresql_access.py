"""How a worker is let in to its database: TLS that checks the server, and a password from a file."""

import asyncio
import shutil
import socket
import subprocess
import time

import pytest

from forgebus_client import Client
from loops import asynchronous
from postgres import Postgres
from worker import PATIENCE, Worker

CONFIGURATION = 'worker: {name: deploys}\nmonitors: {shelf: {topics: [stock.>], actions: [{id: look, run: ["true"]}]}}\n'
PASSWORD = "correct-horse-1"

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed here")


class Process(Worker):
    def start(self):
        self.launch()

    def says(self, words):
        deadline = time.monotonic() + PATIENCE / 2
        while words not in self.said():
            assert self.process.poll() is None and time.monotonic() < deadline, self.said()
            time.sleep(0.02)


def certificate(directory, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        + ["-addext", "subjectAltName=DNS:localhost", "-keyout", directory / f"{name}.key", "-out", directory / f"{name}.crt"],
        check=True,
        capture_output=True,
    )


class Guarded(Postgres):
    """A server that lets nobody in but over TLS, with a password."""

    def __enter__(self):
        try:
            self.guard()
        except Exception:
            self.__exit__()
            raise
        return self

    def guard(self):
        certificate(self.directory, "server")
        if self.user:
            for suffix in ".key", ".crt":
                shutil.chown(self.directory / f"server{suffix}", "postgres")
        self.sql(f"CREATE ROLE forgebus LOGIN PASSWORD '{PASSWORD}'")
        self.sql("ALTER DATABASE forge OWNER TO forgebus")
        # A port that nobody has now; if another process takes it meanwhile, the server says so and the test fails.
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            self.port = unused.getsockname()[1]
        hba = self.directory / "data" / "pg_hba.conf"
        hba.write_text("local all postgres trust\nhostssl all all all scram-sha-256\n")
        self.settings |= {"listen_addresses": "localhost", "port": self.port, "ssl": "on"}
        self.settings |= {f"ssl_{kind}_file": self.directory / f"server.{end}" for kind, end in (("cert", "crt"), ("key", "key"))}
        self.restart()


@pytest.fixture(scope="module")
def server():
    with Guarded() as server:
        yield server


@pytest.fixture
def start(directory, server):
    started = []

    def start(**options):
        passwords = directory / "pgpass"
        passwords.write_text(f"localhost:{server.port}:forge:forgebus:{PASSWORD}\n")
        passwords.chmod(0o600)
        options = {"sslmode": "verify-full", "sslrootcert": server.directory / "server.crt", "passfile": passwords} | options
        words = "&".join(f"{key}={value}" for key, value in options.items())
        url = f"postgres://forgebus@localhost:{server.port}/forge?{words}"
        started.append(Process(directory, CONFIGURATION, url, {"XDG_STATE_HOME": str(directory)}))
        return started[-1]

    yield start
    for process in started:
        process.process.kill()
        process.process.wait(PATIENCE)


@asynchronous
async def test_a_worker_is_let_in_over_tls_with_a_password_that_it_never_logs(start):
    worker = start()
    await asyncio.to_thread(worker.says, "] ready")
    async with Client(worker.endpoint) as client:
        assert (await client.notify("stock.a", wait=True))["monitors"][0]["state"] == "ran"
    assert PASSWORD not in worker.said()


def test_a_server_that_cannot_prove_its_name_is_refused(directory, start):
    certificate(directory, "other")
    worker = start(sslrootcert=directory / "other.crt")
    assert worker.process.wait(PATIENCE) == 75
    assert "certificate verify failed" in worker.said()


def test_a_wrong_password_is_said_and_not_shown(directory, start):
    wrong = directory / "wrong"
    wrong.write_text(f"*:*:*:*:wrong-{PASSWORD}\n")
    wrong.chmod(0o600)
    worker = start(passfile=wrong)
    assert worker.process.wait(PATIENCE) == 75
    assert "password authentication failed" in worker.said() and PASSWORD not in worker.said()
