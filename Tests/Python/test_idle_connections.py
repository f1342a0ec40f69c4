"""Ten thousand connections that say nothing do not keep a gateway from serving others (`deploy/test --full`; else 1,000)."""

import os
import resource
import socket

import pytest

from gateway import Browser, Gateway
from worker import Worker

COUNT = 10_000 if os.environ.get("FORGE_FULL") == "1" else 1_000


def memory(process):
    """The memory of a process that is in RAM, in MiB."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


@pytest.fixture
def descriptors():
    """Enough descriptors for this process, and for those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] != resource.RLIM_INFINITY and before[1] < 2 * COUNT:
        pytest.skip(f"the limit of open files is {before[1]}, and {2 * COUNT} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * COUNT, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_idle_connections_do_not_keep_others_out(directory, descriptors):
    worker = Worker(directory, "worker: {store: memory}", store="memory", arguments=["--listen", "tcp://127.0.0.1:*"])
    gateway = Gateway(directory, worker.endpoint)
    browser = Browser(gateway.port)
    assert browser.get("/readyz").status == 200
    before = memory(gateway.process.pid)
    idle = []
    try:
        for _ in range(COUNT):
            connection = socket.socket()
            connection.setblocking(False)
            # The kernel may finish the connection later; the gateway takes so many at a time.
            connection.connect_ex(("127.0.0.1", gateway.port))
            idle.append(connection)
        # It comes after all of them.
        assert browser.get("/readyz").status == 200
        assert memory(gateway.process.pid) - before < 400
    finally:
        for connection in idle:
            connection.close()
    assert browser.get("/readyz").status == 200
    gateway.stop()
    worker.kill()
