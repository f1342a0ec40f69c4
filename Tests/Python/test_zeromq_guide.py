"""The guide's programs in `examples/zeromq`, a package of its own, with pyzmq at the other end."""

import contextlib
import os
import subprocess
import threading

import pytest
import zmq
import zmq.auth
from zmq.utils.monitor import recv_monitor_message

from worker import PATIENCE, ROOT

PACKAGE = ROOT / "examples" / "zeromq"
BUILD = ["swift", "build", "--package-path", str(PACKAGE), "--scratch-path", str(ROOT / ".build" / "guide")]


@pytest.fixture(scope="session")
def programs():
    """The folder of the programs, built without a warning of theirs. Several tests at once wait for one build."""
    environment = {name: value for name, value in os.environ.items() if name != "FORGE_TARGETS"}
    build = subprocess.run(BUILD, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert build.returncode == 0, build.stdout
    assert not [line for line in build.stdout.splitlines() if "warning:" in line and str(PACKAGE) in line]
    return ROOT / ".build" / "guide" / "debug"


@contextlib.contextmanager
def running(program, *arguments):
    """A program that serves until the end of the block."""
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
    try:
        yield
        assert process.poll() is None, "it ended by itself"
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def socket(kind, endpoint=None):
    with zmq.Context.instance().socket(kind) as socket:
        socket.linger, socket.rcvtimeo = 0, PATIENCE * 1000
        if endpoint:
            socket.connect(endpoint)
        yield socket


def test_lazy_pirate_survives_a_server_that_is_silent_and_gives_up_after_three_silences(programs, directory):
    endpoint = f"ipc://{directory}/server"
    with socket(zmq.ROUTER) as server:
        server.bind(endpoint)
        client = subprocess.Popen([programs / "lazy-pirate", endpoint, "3"], stdout=subprocess.PIPE, text=True)
        # Answers the first question; the second only when it comes again; the third never.
        for answered in (True, False, True, False, False, False):
            peer, empty, question = server.recv_multipart()
            if answered:
                server.send_multipart([peer, empty, b"answer to " + question])
        output, _ = client.communicate(timeout=PATIENCE)
    assert client.returncode == 0
    assert output.splitlines() == [
        "answer to question 1",
        "no answer, attempt 1",
        "answer to question 2",
        "no answer, attempt 1",
        "no answer, attempt 2",
        "no answer, attempt 3",
        "it gives up",
    ]


def test_broker_gives_each_question_to_a_worker_that_is_ready(programs, directory):
    answers, served = {}, []

    def work(back, number):
        with socket(zmq.REQ, back) as worker:
            worker.send(b"READY")
            while True:
                number_of_question, empty, question = worker.recv_multipart()
                served.append(number)
                worker.send_multipart([number_of_question, empty, question.upper()])

    def ask(front, number):
        with socket(zmq.REQ, front) as client:
            for index in range(50):
                client.send(f"question {number}.{index}".encode())
                answers[number, index] = client.recv()

    front, back = f"ipc://{directory}/front", f"ipc://{directory}/back"
    with running(programs / "broker", front, back):
        # More clients than workers: most questions wait at the front.
        clients = [threading.Thread(target=ask, args=(front, number), daemon=True) for number in range(12)]
        workers = [threading.Thread(target=work, args=(back, number), daemon=True) for number in range(2)]
        for thread in clients + workers:
            thread.start()
        for thread in clients:
            thread.join(timeout=PATIENCE)
        assert answers == {(n, i): f"QUESTION {n}.{i}".encode() for n in range(12) for i in range(50)}
        assert len(served) == 600 and set(served) == {0, 1}


def test_last_value_cache_tells_a_late_subscriber_the_latest_of_its_topics(programs, directory):
    front, back = f"ipc://{directory}/front", f"ipc://{directory}/back"
    with running(programs / "last-value-cache", front, back):
        with socket(zmq.XPUB, front) as publisher, socket(zmq.SUB, back) as early:
            early.subscribe(b"")
            assert publisher.recv() == b"\x01"
            for topic, value in ((b"a.1", b"old"), (b"b", b"b"), (b"a.2", b"two"), (b"a.1", b"new")):
                publisher.send_multipart([topic, value])
            # The early one hears all; then the cache has it.
            while early.recv_multipart() != [b"a.1", b"new"]:
                pass
            with socket(zmq.SUB, back) as late:
                late.subscribe(b"a.")
                assert sorted([late.recv_multipart(), late.recv_multipart()]) == [[b"a.1", b"new"], [b"a.2", b"two"]]
                publisher.send_multipart([b"b", b"not for it"])
                publisher.send_multipart([b"a.3", b"for both"])
                assert late.recv_multipart() == [b"a.3", b"for both"]


def test_ironhouse_answers_those_whose_certificates_it_has(programs, directory):
    server_public, server_secret = zmq.auth.create_certificates(directory, "server")
    os.chmod(server_secret, 0o600)
    certificates = {name: zmq.auth.create_certificates(directory, name) for name in ("known", "stranger")}
    endpoint = f"ipc://{directory}/house"

    @contextlib.contextmanager
    def client(name):
        with socket(zmq.DEALER) as dealer:
            dealer.curve_publickey, dealer.curve_secretkey = zmq.auth.load_certificate(certificates[name][1])
            dealer.curve_serverkey, _ = zmq.auth.load_certificate(server_public)
            yield dealer

    with running(programs / "ironhouse", endpoint, server_secret, certificates["known"][0]):
        with client("known") as known:
            known.connect(endpoint)
            known.send_multipart([b"one", b"two"])
            key, _ = zmq.auth.load_certificate(certificates["known"][0])
            assert known.recv() == key + b" asks 2 frames"
        with client("stranger") as stranger:
            events = stranger.get_monitor_socket(zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_HANDSHAKE_SUCCEEDED)
            events.rcvtimeo = PATIENCE * 1000
            stranger.connect(endpoint)
            assert recv_monitor_message(events)["event"] == zmq.EVENT_HANDSHAKE_FAILED_AUTH
            stranger.disable_monitor()


def test_the_programs_contain_no_package_but_zeromq(programs):
    for name in ("lazy-pirate", "broker", "last-value-cache", "ironhouse"):
        symbols = subprocess.run(["nm", programs / name], check=True, capture_output=True, text=True).stdout
        assert "zmq_msg_init" in symbols
        for other in ("GRDB", "sqlite3", "Yams", "yaml_parser", "NIOCore", "CNIO", "ForgeOrchestrator"):
            assert other not in symbols, (name, other)
