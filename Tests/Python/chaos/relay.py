"""A relay in front of a database, which cuts connections around a COMMIT."""

import pathlib
import random
import select
import shutil
import socket
import tempfile
import threading


class Relay:
    """Leads to a server's socket; a connection that is to be cut breaks before or after the server gets a COMMIT.

    cuts: how many were cut so far.
    """

    def __init__(self, server, seed):
        self.server = server
        self.cuts, self._wanted, self._lock = 0, 0, threading.Lock()
        self._chance = random.Random(f"{seed} relay")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="forge-relay-", dir="/tmp"))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.directory / ".s.PGSQL.5432"))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return self.server.url.replace(str(self.server.directory), str(self.directory))

    def cut(self, count):
        """Cuts the connections of the next commits."""
        with self._lock:
            self._wanted += count

    def spare(self):
        """Cuts no further commit."""
        with self._lock:
            self._wanted = 0

    def end(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        shutil.rmtree(self.directory)

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = socket.socket(socket.AF_UNIX)
        with client, server:
            try:
                server.connect(str(self.server.directory / ".s.PGSQL.5432"))
                while self._passes(client, server):
                    pass
            except OSError:
                pass  # The server restarts, or the worker was killed.

    def _passes(self, client, server):
        """Hands on what has come; whether the connection goes on."""
        ready, _, _ = select.select([client, server], [], [])
        if server in ready:
            answer = server.recv(1 << 16)
            client.sendall(answer)
            if not answer:
                return False
        if client in ready:
            request = client.recv(1 << 16)
            if not request:
                return False
            if b"COMMIT\0" in request and self._is_to_be_cut():
                if self._chance.random() < 0.7:
                    server.sendall(request)
                    server.settimeout(5)
                    server.recv(1 << 16)
                return False
            server.sendall(request)
        return True

    def _is_to_be_cut(self):
        with self._lock:
            if self._wanted == 0:
                return False
            self._wanted -= 1
            self.cuts += 1
            return True
