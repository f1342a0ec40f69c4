"""A PostgreSQL server of a test's own."""

import os
import pathlib
import shutil
import subprocess
import tempfile


def programs():
    """Where the server's programs are: Debian has them in a folder for each version."""
    debian = pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(debian, key=lambda path: float(path.parts[4])) or [shutil.which("initdb")]
    assert found[-1], "install postgresql, as deploy/test does"
    return pathlib.Path(found[-1]).parent


class Postgres:
    """A server in a directory of its own, with an empty database; it ends with its `with`.

    url: how a worker reaches the database.
    """

    def __init__(self, **settings):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="forge-pg-", dir="/tmp"))
        self.url = f"postgres://postgres@/forge?host={self.directory}"
        self.programs = programs()
        # The server refuses to be root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.directory, "postgres")
        self.call("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        self.settings = {"listen_addresses": "''", "max_connections": 100, "shared_buffers": "32MB", **settings}
        self.start()
        try:
            self.run("createdb", "-h", self.directory, "-U", "postgres", "forge")
        except Exception:
            self.__exit__()
            raise

    def run(self, program, *arguments):
        command = [*self.user, self.programs / program, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd="/", stdin=subprocess.DEVNULL).stdout

    def call(self, program, *arguments):
        # A server that goes on must not hold the pipes of the program that starts it.
        command = [*self.user, self.programs / program, "-D", self.directory / "data", *arguments]
        with open(os.devnull, "w") as nothing:
            subprocess.run(command, check=True, stdout=nothing, stderr=nothing, cwd="/", stdin=subprocess.DEVNULL)

    def start(self):
        options = " ".join(f"-c {key}={value}" for key, value in self.settings.items())
        self.call("pg_ctl", "-w", "-l", self.directory / "log", "-o", f"-k {self.directory} {options}", "start")

    def stop(self, mode="immediate"):
        self.call("pg_ctl", "-w", "-m", mode, "stop")

    def restart(self):
        """Crashes, and starts again."""
        self.stop()
        self.start()

    def sql(self, text):
        """What psql prints of a query."""
        arguments = ["-h", self.directory, "-U", "postgres", "-AtqX", "-v", "ON_ERROR_STOP=1", "-c", text, "forge"]
        return self.run("psql", *arguments).strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        except subprocess.CalledProcessError:
            pass  # A test has stopped it.
        finally:
            shutil.rmtree(self.directory)
