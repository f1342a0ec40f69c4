"""Prints the median time of a round trip between a REQ and a REP of pyzmq, in microseconds: see deploy/bench."""

import statistics
import sys
import threading
import time

import zmq

# As in the other measures: five frames.
FRAMES = [b"FORGE/1 NOTIFY", b"i" * 36, b"config.changed.eu-west-1", b"a" * 88, b"x" * 64]


def reply(rep, count):
    for _ in range(count):
        rep.send_multipart(rep.recv_multipart())


def main(count):
    context = zmq.Context.instance()
    with context.socket(zmq.REP) as rep, context.socket(zmq.REQ) as req:
        port = rep.bind_to_random_port("tcp://127.0.0.1")
        req.connect(f"tcp://127.0.0.1:{port}")
        server = threading.Thread(target=reply, args=(rep, count))
        server.start()
        times = []
        for _ in range(count):
            start = time.perf_counter()
            req.send_multipart(FRAMES)
            assert len(req.recv_multipart()) == len(FRAMES)
            times.append(time.perf_counter() - start)
        server.join()
    print(statistics.median(times) * 1e6)


main(int(sys.argv[1]))
