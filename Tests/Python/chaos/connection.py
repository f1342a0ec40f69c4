"""A connection of a client that is never sure of its worker: it sends again until it is answered."""

import asyncio

import zmq
import zmq.asyncio

from forgebus_messages import read_answer, write_request

SILENCE = 0.3


class Connection:
    """One socket, on which one request at a time is asked; everything goes into the history."""

    def __init__(self, endpoint, history, name):
        self.history, self.name = history, name
        # Whoever asks again for another is the same sender.
        self.source = name.split("+")[0]
        self._socket = zmq.asyncio.Context.instance().socket(zmq.DEALER)
        # Not immediate: that ends a lost connection's queue, and libzmq the process where it is in the middle of a message
        # (`!_more`, fq.cpp).
        self._socket.linger = 0
        self._socket.reconnect_ivl, self._socket.reconnect_ivl_max = 10, 50
        self._socket.connect(endpoint)

    def close(self):
        self._socket.close()

    async def ask(self, command, subject="", attributes=None, body=None, *, id, on_news=None):
        """The last answer to a request; `on_news` is told of those before, and returns True to wait no longer."""
        attributes = {**(attributes or {}), "source": self.source}
        frames = _frames(command, subject, attributes, body, id)
        while True:
            await self._send(frames, command, subject, attributes, body, id)
            while await self._socket.poll(SILENCE * 1000):
                try:
                    answer = read_answer(await self._socket.recv_multipart(zmq.NOBLOCK))
                except zmq.Again:  # It went with its connection.
                    continue
                if answer["id"] != id:
                    continue
                self.history.heard(self.name, answer)
                if self._is_last(answer, command):
                    return answer
                if answer["answer"] != "ERROR" and on_news and on_news(answer):
                    return answer
                if answer["answer"] == "ERROR":
                    await asyncio.sleep(0.02)
                    break

    async def send(self, command, subject, attributes, body, id):
        """Sends a request and does not wait for what becomes of it."""
        attributes = {**attributes, "source": self.source}
        await self._send(_frames(command, subject, attributes, body, id), command, subject, attributes, body, id)

    async def _send(self, frames, command, subject, attributes, body, id):
        # First, so that nothing is sent that nobody knows of.
        self.history.sent(self.name, command, subject, attributes, body, id)
        await self._socket.send_multipart(frames)

    @staticmethod
    def _is_last(answer, command):
        if answer["answer"] == "ERROR":
            return not answer["retryable"]
        return answer["answer"] not in ("ACCEPTED", "PROGRESS") or command == "NOTIFY"


def _frames(command, subject, attributes, body, id):
    return write_request(command, subject, attributes, b"" if body is None else body, id)
