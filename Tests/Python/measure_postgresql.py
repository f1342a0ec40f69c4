"""Calls forgebus-bench with a PostgreSQL server of its own, and measures DBOS with the same server: see deploy/bench."""

import os
import pathlib
import subprocess
import sys

from postgres import Postgres, programs

HERE = pathlib.Path(__file__).parent
DBOS = HERE.parents[1] / ".build" / "dbos" / "bin" / "python"


def main(bench, *words):
    # As a server is set up: everything that is acknowledged is on the disk.
    with Postgres(shared_buffers="256MB", max_wal_size="4GB") as server:
        environment = {**os.environ, "FORGE_POSTGRESQL": server.url, "FORGE_POSTGRESQL_PROGRAMS": str(programs())}
        status = subprocess.run([bench, *words], env=environment).returncode
        if status == 0 and (not words or "postgresql" in words):
            status = subprocess.run([DBOS, HERE / "measure_dbos.py", server.url]).returncode
        return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
