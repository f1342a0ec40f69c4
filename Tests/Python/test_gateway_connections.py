"""One address opens connections without end, silent, trickling and reopening: probes and other addresses are served.

Six hundred connections for three seconds. With FORGE_FULL=1 20,000 for a minute, each probe is answered at its first
connection and within a second, and it prints figures: that is for a program for release on a machine of its own. In the
ordinary run, a client whose connection was closed before its first bytes were there connects again, and nothing is timed."""

import os
import resource
import selectors
import socket
import subprocess
import sys
import time

from gateway import Gateway
from worker import PATIENCE, Worker

IS_FULL = os.environ.get("FORGE_FULL") == "1"
COUNT, SECONDS = (20_000, 60) if IS_FULL else (600, 3)
LIMIT = 512 if IS_FULL else 64


def attack(port, count):
    """Keeps `count` connections of 127.0.0.1: a third silent, a third with a trickling header, a third with a trickling body.

    Each that is closed is opened again at once. Runs until its input ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(count, hard - 100)
    body = b"POST /v1/topics/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
    parts = [(b"", b""), (b"GET /v1/runs HTTP/1.1\r\nHost: local", b"h"), (body, b"{")]
    wake = selectors.DefaultSelector()
    wake.register(sys.stdin, selectors.EVENT_READ)
    connections, opened, turn = {}, 0, 0

    def begin():
        nonlocal opened
        connection = socket.socket()
        connection.setblocking(False)
        connection.bind(("127.0.0.1", 0))
        first, more = parts[opened % 3]
        opened += 1
        if connection.connect_ex(("127.0.0.1", port)) not in (0, 115):
            connection.close()
            return
        connections[connection] = (first, more)
        wake.register(connection, selectors.EVENT_READ | (selectors.EVENT_WRITE if first else 0))

    def end(connection):
        wake.unregister(connection)
        del connections[connection]
        connection.close()

    trickle = time.monotonic()
    while True:
        # The system has no more than some 28,000 ports for one address.
        while len(connections) < count and turn < 500:
            begin()
            turn += 1
        turn = 0
        for key, events in wake.select(0.05):
            if key.fileobj is sys.stdin:
                print(opened)
                return
            connection, (first, _) = key.fileobj, connections[key.fileobj]
            try:
                if events & selectors.EVENT_WRITE:
                    connection.send(first)
                    wake.modify(connection, selectors.EVENT_READ)
                elif not connection.recv(4096):
                    end(connection)
            except OSError:
                end(connection)
        if time.monotonic() - trickle > 1:
            trickle = time.monotonic()
            for connection, (_, more) in list(connections.items()):
                try:
                    if more:
                        connection.send(more)
                except OSError:
                    end(connection)


def ask(port, path, source):
    """The status at a path for a client at an address of this machine, and how long the answer took."""
    began = time.monotonic()
    while True:
        try:
            address = ("127.0.0.1", port)
            with socket.create_connection(address, timeout=PATIENCE, source_address=(source, 0)) as connection:
                connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                answer = connection.recv(65536)
        except (ConnectionResetError, BrokenPipeError):
            answer = b""
        if answer or IS_FULL or time.monotonic() - began > PATIENCE:
            return int(answer.split()[1]) if answer else 0, time.monotonic() - began


def test_one_address_cannot_take_the_gateway_from_the_others(directory):
    worker = Worker(directory, "worker: {store: memory}", store="memory")
    gateway = Gateway(directory, worker.endpoint, ["--connections-per-address", str(LIMIT)])
    attacker = subprocess.Popen(
        [sys.executable, __file__, str(gateway.port), str(COUNT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        while "connections_per_address" not in gateway.said():
            assert attacker.poll() is None
            time.sleep(0.01)
        probes, other, begin = [], [], time.monotonic()
        while time.monotonic() - begin < SECONDS:
            # The probe of the attacked address itself, that of another one, and a request of another one.
            for source in ("127.0.0.1", "127.0.0.2"):
                probes.append(ask(gateway.port, "/livez", source))
            other.append(ask(gateway.port, "/v1/runs", "127.0.0.3"))
            time.sleep(0.02)
        said, open_files = gateway.said(), len(os.listdir(f"/proc/{gateway.process.pid}/fd"))
    finally:
        opened = int(attacker.communicate(timeout=PATIENCE)[0])
    if IS_FULL:
        slowest = max(took for _, took in probes + other)
        assert slowest < 1
        print(f"{opened} connections opened; {len(probes)} probes, the slowest {slowest * 1000:.0f} ms; {open_files} open files")
    assert {status for status, _ in probes} == {200}, probes
    assert {status for status, _ in other} == {401}, "it was asked for a token"
    assert open_files < LIMIT + 200
    assert said.count("connections_per_address") == 1, said
    assert opened > COUNT
    # When the attack is over, so is the limit.
    while gateway.said().count("connections_per_address") != 2:
        assert gateway.process.poll() is None
        time.sleep(0.05)
    gateway.stop()
    worker.stop()


if __name__ == "__main__":
    attack(int(sys.argv[1]), int(sys.argv[2]))
