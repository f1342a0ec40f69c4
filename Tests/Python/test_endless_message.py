"""What a message costs the worker that has many frames and no end: ZeroMQ puts it together before anybody sees it.

Protocol.md tells the cost, section "Known weaknesses". It is printed with `pytest -rP`.
"""

import socket
import sys

import pytest

from peer import Peer
from worker import PATIENCE, Worker

pytestmark = [
    pytest.mark.row(13),
    pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc"),
]

KEPT = 64  # bytes of ZeroMQ for each frame


def memory(worker, line):
    """How many bytes the worker has in memory, `VmRSS`, or had at most, `VmHWM`."""
    with open(f"/proc/{worker.process.pid}/status") as file:
        return next(int(text.split()[1]) for text in file if text.startswith(line)) << 10


def begin(worker):
    """A connection of ZMTP 3.0 without security, made without libzmq, as far as the first message."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(PATIENCE)
    connection.connect(str(worker.directory / "worker.ipc"))
    connection.sendall(b"\xff" + bytes(7) + b"\x01\x7f\x03\x00" + b"NULL" + bytes(16 + 32))
    ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
    connection.sendall(bytes([4, len(ready)]) + ready)
    greeting = b""
    while b"READY" not in greeting:
        greeting += connection.recv(4096)
    return connection


@pytest.mark.parametrize("size, count", [(1, 400_000), (200, 200_000)])
def test_costs_what_the_document_says_and_holds_up_nobody(directory, size, count):
    worker = Worker(directory, store="memory")
    try:
        connection, peer = begin(worker), Peer(worker.endpoint)
        peer.ask("PING")
        with open(f"/proc/{worker.process.pid}/clear_refs", "w") as file:
            file.write("5")  # From now on VmHWM is the most since now.
        before = memory(worker, "VmRSS")
        # Each says that another one follows.
        frame = bytes([1, size]) + bytes(size)
        connection.sendall(frame * count)
        assert peer.ask("PING", body=b"x")[-1][4] == "x"
        # It is closed when all of it was read.
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass
        cost = memory(worker, "VmHWM") - before
        sent = len(frame) * count
        print(f"{count} frames of {size} bytes: {sent >> 10} KiB sent, {cost >> 10} KiB taken, {cost / sent:.1f} times")
        expected = count * (KEPT + (size if size > 33 else 0))
        assert expected // 2 < cost < 2 * expected
        assert peer.ask("PING", body=b"x")[-1][4] == "x"
    finally:
        worker.stop()
