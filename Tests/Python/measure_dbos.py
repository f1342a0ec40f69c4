"""Durable runs a second of DBOS, with three steps each, as the worker's in `deploy/bench postgresql`: measure_dbos.py URL"""

import concurrent.futures
import logging
import statistics
import sys
import time

from dbos import DBOS, DBOSConfig

RUNS, WINDOW, ALONE = 2_000, 64, 200


@DBOS.step()
def load(user):
    return {"user": user, "limit": 20}


@DBOS.step()
def rank(page):
    return page | {"tags": ["swift", "messaging"]}


@DBOS.step()
def render(page):
    return f"{page['user']}: {len(page['tags'])}"


@DBOS.workflow()
def feed(user):
    return render(rank(load(user)))


def main(url):
    url = url.replace("postgres://", "postgresql://")
    DBOS(config=DBOSConfig(name="measure", system_database_url=url, log_level="ERROR", run_admin_server=False))
    logging.disable(logging.WARNING)
    DBOS.launch()
    for _ in range(50):
        DBOS.start_workflow(feed, "ada").get_result()
    # One thread for each outstanding workflow: to start one is a round trip to the server.
    with concurrent.futures.ThreadPoolExecutor(WINDOW) as threads:
        began = time.monotonic()
        list(threads.map(lambda _: DBOS.start_workflow(feed, "ada").get_result(), range(RUNS)))
        speed = RUNS / (time.monotonic() - began)
    accepted = []
    for _ in range(ALONE):
        before = time.monotonic()
        handle = DBOS.start_workflow(feed, "ada")
        accepted.append(time.monotonic() - before)
        handle.get_result()
    print("\nDBOS for Python, with the same server: workflows of three steps")
    print(f"{'workflows, 64 outstanding':<40}{speed:.1f} 1/s")
    print(f"{'a workflow is stored, one at a time, p50':<40}{statistics.median(accepted) * 1e6:.1f} µs")
    DBOS.destroy()


if __name__ == "__main__":
    main(sys.argv[1])
