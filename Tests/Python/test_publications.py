"""Publishes to a real worker with pyzmq alone: six frames, as the section "Publishing" of Protocol.md lays them down."""

import re
import struct
import time

import zmq

from worker import PATIENCE, Worker

CONFIGURATION = """
worker:
  publications: {{{publications}}}
monitors:
  m:
    topics: [stock.*.sold]
    minimum_gap: 0s
    actions:
      - {{id: look, run: [sh, -c, "cat >> causes; echo >> causes"]}}
"""


class Listener(Worker):
    """A worker with one monitor, which writes down what each of its cycles was told."""

    def __init__(self, directory, publications):
        self.causes = directory / "causes"
        super().__init__(directory, CONFIGURATION.format(publications=publications))

    def await_cause(self, topic):
        """Waits until a cycle was told of the topic."""
        deadline = time.monotonic() + PATIENCE
        while not (self.causes.exists() and f'"{topic}"' in self.causes.read_text()):
            assert time.monotonic() < deadline, f"no cycle was told of {topic}"
            time.sleep(0.01)

    def topics(self):
        return re.findall(r'"topic":"([^"]*)"', self.causes.read_text().replace(" ", ""))


def publication(topic, origin=b""):
    return [f"{topic}.".encode(), b"FORGE/1 NOTIFY", b"an-id", origin, b'{"source":"test"}', b"7"]


def test_a_plain_pub_that_the_worker_connects_to_causes_a_cycle(directory):
    publisher = zmq.Context.instance().socket(zmq.PUB)
    publisher.linger = 0
    endpoint = f"ipc://{directory}/publisher.ipc"
    publisher.bind(endpoint)
    worker = Listener(directory, f'connect: ["{endpoint}"]')
    try:
        # A PUB never learns when it is heard, so it says the first thing until it is.
        deadline = time.monotonic() + PATIENCE
        while not (worker.causes.exists() and "stock.first.sold" in worker.causes.read_text()):
            assert time.monotonic() < deadline, "nothing that was published caused a cycle"
            publisher.send_multipart(publication("stock.first.sold"))
            time.sleep(0.01)
        for number, topic in enumerate(("stock.a", "stock.a.sold.b", "stocks.a.sold", "stock.a.sold"), start=1):
            publisher.send_multipart(publication(topic, struct.pack(">QQ", 64, number)))
        worker.await_cause("stock.a.sold")
        assert set(worker.topics()) == {"stock.first.sold", "stock.a.sold"}
    finally:
        publisher.close()
        worker.stop()


def test_an_xpub_that_connects_to_the_worker_hears_what_it_follows(directory):
    endpoint = f"ipc://{directory}/publications.ipc"
    worker = Listener(directory, f'bind: ["{endpoint}"]')
    publisher = zmq.Context.instance().socket(zmq.XPUB)
    publisher.linger = 0
    publisher.rcvtimeo = PATIENCE * 1000
    try:
        publisher.connect(endpoint)
        assert publisher.recv() == b"\x01stock."
        publisher.send_multipart(publication("stock.a.sold", struct.pack(">QQ", 2**64 - 1, 1)))
        worker.await_cause("stock.a.sold")
    finally:
        publisher.close()
        worker.stop()
