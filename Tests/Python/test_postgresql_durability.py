"""What a worker acknowledged as `fsynced` is in PostgreSQL after a crash, whatever `synchronous_commit` became meanwhile."""

import json
import os
import random
import threading

from forgebus_messages import write_request
from peer import Peer
from postgres import Postgres
from worker import PATIENCE, Worker

SEED = int(os.environ.get("FORGE_SEED") or random.randrange(1_000_000))
TRIALS = 40 if os.environ.get("FORGE_FULL") == "1" else 3
CONFIGURATION = 'worker: {{name: {name}}}\npipelines: {{deploy: {{actions: [{{id: approve, gate: {{signal: "deploy.{{run.id}}"}}}}]}}}}\n'
CUT_OFF = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'forgebus%'"
# By each way in which the setting of a worker's session becomes another: at once, or with its next connection.
WAYS = [
    ["ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()"],
    ["ALTER DATABASE forge SET synchronous_commit = off", CUT_OFF],
    ["ALTER ROLE postgres SET synchronous_commit = off", CUT_OFF],
]
BACK = [
    "ALTER SYSTEM RESET synchronous_commit",
    "ALTER DATABASE forge RESET synchronous_commit",
    "ALTER ROLE postgres RESET synchronous_commit",
    "SELECT pg_reload_conf()",
]


def change(server, statements):
    for statement in statements:
        server.sql(statement)


class Asker(threading.Thread):
    """Requests one run after the other, and counts those that were acknowledged as `fsynced`."""

    def __init__(self, endpoint):
        super().__init__()
        self.peer, self.acknowledged, self.is_over, self.news = Peer(endpoint), [], False, threading.Condition()

    def run(self):
        for number in range(1_000_000):
            self.peer.socket.send_multipart(write_request("RUN", "deploy", {"reply": "accepted"}, b"", f"r-{number}"))
            while not self.peer.socket.poll(20):
                if self.is_over:
                    return
            answer = [frame.decode() for frame in self.peer.socket.recv_multipart()]
            assert answer[0].endswith(" ACCEPTED") and json.loads(answer[3])["durability"] == "fsynced", answer
            with self.news:
                self.acknowledged.append(answer[2])
                self.news.notify()

    def wait_for(self, more):
        """Waits until so many more were acknowledged."""
        with self.news:
            goal = len(self.acknowledged) + more
            assert self.news.wait_for(lambda: len(self.acknowledged) >= goal, PATIENCE / 2), "the worker does not answer"

    def end(self):
        self.is_over = True
        self.join()


def test_nothing_acknowledged_is_lost_when_the_setting_is_turned_off_and_all_is_killed(directory):
    chance, acknowledged, lost = random.Random(SEED), 0, []
    environment = {"XDG_STATE_HOME": str(directory)}
    # A commit that is not flushed by its own transaction stays in the server's memory for long, and a crash loses it.
    with Postgres(wal_writer_delay="10s", wal_writer_flush_after=0) as server:
        for trial in range(TRIALS):
            way, comes_first = chance.choice(WAYS), chance.randrange(4) == 0
            change(server, way if comes_first else [])
            worker = Worker(directory, CONFIGURATION.format(name=f"w{trial}"), server.url, environment)
            asker = Asker(worker.endpoint)
            try:
                asker.start()
                asker.wait_for(chance.randrange(1, 30))
                change(server, way)
                asker.wait_for(chance.randrange(1, 60))
                for kill in chance.sample([worker.process.kill, server.stop], 2):
                    kill()
            finally:
                worker.process.kill()
                worker.process.wait()
                asker.end()
            server.start()
            kept = server.sql(
                "SELECT forgebus.readable(key) FROM forgebus.records JOIN forgebus.workers ON workers.id = records.worker "
                f"WHERE kind = 2 AND name = 'w{trial}'"
            ).split()
            acknowledged += len(asker.acknowledged)
            lost += set(asker.acknowledged) - set(kept)
            change(server, BACK)
    print(f"{TRIALS} trials, {acknowledged} acknowledged, {len(lost)} lost")
    assert acknowledged > 2 * TRIALS and not lost, f"FORGE_SEED={SEED}: {len(lost)} of {acknowledged} lost: {lost[:5]}"
