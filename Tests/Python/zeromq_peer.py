"""A ZeroMQ peer for the Swift tests, made of pyzmq alone.

    zeromq_peer.py socket KIND (--bind=ENDPOINT | --connect=ENDPOINT) [more options]
    zeromq_peer.py create-certificate DIRECTORY NAME
    zeromq_peer.py load-certificate PATH

Every line, in and out, is a JSON array of texts; a frame is written in base64. A socket first says its endpoint, then
answers each line: what to do, and the frames to do it with. What takes too long ends the process with a traceback.
"""

import argparse
import base64
import contextlib
import json
import os
import sys

import zmq
import zmq.auth
from zmq.auth.thread import ThreadAuthenticator
from zmq.utils.monitor import recv_monitor_message

PATIENCE_IN_MILLISECONDS = 120_000


def say(*texts):
    print(json.dumps(texts), flush=True)


class Peer:
    """One socket, and what it can be asked."""

    def __init__(self, arguments):
        self.socket = zmq.Context.instance().socket(getattr(zmq, arguments.kind))
        self.socket.set_hwm(0)
        self.socket.linger = 0
        self.socket.rcvtimeo = self.socket.sndtimeo = PATIENCE_IN_MILLISECONDS
        self.socket.reconnect_ivl = 20
        self.monitor = self.socket.get_monitor_socket()
        self.monitor.rcvtimeo = PATIENCE_IN_MILLISECONDS
        if arguments.heartbeat_interval:
            self.socket.heartbeat_ivl = arguments.heartbeat_interval
            self.socket.heartbeat_timeout = arguments.heartbeat_timeout
        if arguments.curve_secret:
            self.encrypt(arguments)
        if arguments.bind:
            self.socket.bind(arguments.bind)
        else:
            self.socket.connect(arguments.connect)

    def encrypt(self, arguments):
        """Makes it a CURVE client of a server, or the server of those whose public keys are in a directory."""
        secret = arguments.curve_secret.encode()
        self.socket.curve_secretkey = secret
        self.socket.curve_publickey = zmq.curve_public(secret)
        if arguments.curve_server_key:
            self.socket.curve_serverkey = arguments.curve_server_key.encode()
        else:
            self.socket.curve_server = True
            self.authenticator = ThreadAuthenticator(self.socket.context)
            self.authenticator.start()
            self.authenticator.configure_curve(domain="*", location=arguments.curve_clients)

    def serve(self):
        say(self.socket.last_endpoint.rstrip(b"\0").decode())
        for line in sys.stdin:
            verb, *texts = json.loads(line)
            if verb == "event":
                say(self.event(*texts))
                continue
            frames = [base64.b64decode(text) for text in texts]
            say(*(base64.b64encode(frame).decode() for frame in getattr(self, verb)(frames)))

    def send(self, frames):
        self.socket.send_multipart(frames)
        return []

    def offer(self, frames):
        """Sends it if there is a connection to send it on, which one that is refused has not for long."""
        with contextlib.suppress(zmq.Again):
            self.socket.send_multipart(frames, zmq.DONTWAIT)
        return []

    def receive(self, _):
        return self.socket.recv_multipart()

    def skip(self, frames):
        """Receives the next message that is not this one."""
        while (received := self.socket.recv_multipart()) == frames:
            pass
        return received

    def subscribe(self, topics):
        for topic in topics:
            if self.socket.type == zmq.XSUB:
                self.socket.send(b"\1" + topic)
            else:
                self.socket.subscribe(topic)
        return []

    def event(self, name):
        """Waits for an event of the socket and returns its value; events before it are gone."""
        while True:
            report = recv_monitor_message(self.monitor)
            if report["event"] == zmq.Event[name]:
                return str(report["value"])


def create_certificate(arguments):
    # As most systems have it, so that others may read what is written.
    os.umask(0o022)
    say(*zmq.auth.create_certificates(arguments.directory, arguments.name, {"name": "A peer of pyzmq"}))


def load_certificate(arguments):
    say(*(key.decode() for key in zmq.auth.load_certificate(arguments.path) if key))


def parser():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)

    socket = commands.add_parser("socket")
    socket.add_argument("kind")
    place = socket.add_mutually_exclusive_group(required=True)
    place.add_argument("--bind")
    place.add_argument("--connect")
    socket.add_argument("--heartbeat-interval", type=int)
    socket.add_argument("--heartbeat-timeout", type=int)
    socket.add_argument("--curve-secret")
    socket.add_argument("--curve-server-key", help="the server to be a client of")
    socket.add_argument("--curve-clients", help="a directory of public keys, to be the server of their holders")
    socket.set_defaults(run=lambda arguments: Peer(arguments).serve())

    create = commands.add_parser("create-certificate")
    create.add_argument("directory")
    create.add_argument("name")
    create.set_defaults(run=create_certificate)

    load = commands.add_parser("load-certificate")
    load.add_argument("path")
    load.set_defaults(run=load_certificate)
    return parser


if __name__ == "__main__":
    arguments = parser().parse_args()
    arguments.run(arguments)
