"""The state of the requests of forgebus_client.py until they are answered; this file uses no sockets."""

import math
import random
import time

from forgebus_messages import LEDGERED, BusError, error_of, write_request

LATER_ANSWERS = {"PROGRESS", "RESULT", "EVALUATED", "EVENT"}


class Call:
    """The state of one request until its last answer: when to send it again, and when to give up. Uses no socket."""

    def __init__(self, command, subject, attributes, body, id, patience):
        self.frames = write_request(command, subject, attributes, body, id)
        self.id, self.command, self.patience = self.frames[1].decode(), command, patience
        self.ends_with_accepted = "accepted" == (attributes.get("reply") or {"NOTIFY": "accepted"}.get(command))
        self.due = self.heard = time.monotonic()
        self.since = None  # since when it may be with the worker and nothing was heard of it
        self.is_taken = False
        # What is answered when it is over has no place in the window.
        self.is_counted = command != "ATTACH" or attributes.get("wait_ms") == 0
        self.retention, self.pause, self.backoff, self.refusal = 60.0, 1.0, 0.1, None
        self.run, self.sequence = None, 0

    @property
    def is_with_worker(self):
        """Whether a resend is useless or has a second effect, so that a PING checks whether the worker still runs."""
        return self.is_taken and self.command not in LEDGERED

    @property
    def safe_until(self):
        """The time until which a resend is safe; later, the worker may have forgotten the id and run the request again."""
        return self.since + self.retention / 2 if self.since and self.command in LEDGERED else math.inf

    def ends(self, worker_heard):
        return self.patience + (max(self.heard, worker_heard) if self.is_with_worker else self.heard)

    def sent(self, now):
        self.since, self.refusal = self.since or now, None
        self.is_taken = self.is_taken or self.command == "ATTACH"  # Its first answer may be days away.
        self.due = now + min(self.pause, max(0.1, min(self.retention / 10, self.patience / 4))) * random.uniform(0.5, 1)
        self.pause = min(self.pause * 2, 30.0)

    def received(self, answer, now):
        """Returns the answer if it is new; raises the error that ends the call."""
        if answer is None:
            if self.is_with_worker:
                self.is_taken, self.heard = False, now
            self.due = self.due if self.refusal else now
        elif isinstance(answer, BusError):
            answer.id = self.id
            raise answer
        elif answer["answer"] == "ERROR":
            self._refused(error_of(answer), now)
        else:
            self.heard = self.since = now
            self.backoff, self.refusal = 0.1, None
            self.retention = answer.get("retention_ms", self.retention * 1000) / 1000
            return answer if self._is_news(answer) else None

    def is_last(self, answer):
        return answer["answer"] != "PROGRESS" and (answer["answer"] != "ACCEPTED" or self.ends_with_accepted)

    def _is_news(self, answer):
        if answer["answer"] == "ACCEPTED":
            is_known = self.is_taken and self.run == answer.get("run") and "replayed" in answer
            self.is_taken, self.run, self.sequence = True, answer.get("run"), self.sequence if is_known else 0
            return not is_known
        told, self.sequence = self.sequence, max(self.sequence, answer.get("sequence", 0))
        return self.sequence > told or answer["answer"] != "PROGRESS"

    def _refused(self, error, now):
        if not error.retryable:
            raise error
        self.heard = now if self.is_taken else self.heard
        self.is_taken, self.refusal, self.since, self.pause = False, error, None, 1.0
        chance = random.random()
        self.due = now + (self.backoff * chance if error.retry_after is None else error.retry_after + 0.1 * chance)
        self.backoff = min(self.backoff * 2, 5.0)

    def failure(self):
        if self.refusal or not self.since:
            return self.refusal or unreachable(self.id)
        cause = f"No answer came in {self.patience:g} s: the outcome of {self.id} is unknown."
        return BusError("timeout", cause, "Send the request again with the same id, which is safe.", self.id)


class Window:
    """The requests of a connection that have no first answer yet, and the limit of their number.

    A worker refuses requests beyond the limit that its WELCOME calls `outstanding`. Few clients come near that limit, so
    a client assumes a low limit and sends HELLO only when it reaches that, once for each connection. `RESERVE` places
    are left for HELLO, PING and UNWATCH, which the client sends by itself and does not count.
    """

    ASSUMED, RESERVE = 256, 8

    def __init__(self):
        self.hello, self.is_asked = write_request("HELLO"), False
        self._most, self._unanswered = self.ASSUMED, set()

    def __contains__(self, id):
        return id in self._unanswered

    def admits(self, id):
        """Whether the request `id` may be sent: there is room for it, or this is a resend."""
        return id in self or len(self._unanswered) < max(1, self._most - self.RESERVE)

    def sent(self, id):
        self._unanswered.add(id)

    def ended(self, id):
        """Removes a request whose answer is no longer awaited."""
        self._unanswered.discard(id)

    def heard(self, id, answer):
        """Handles an answer to any request; `answer` is a BusError if the answer could not be read."""
        word = "ERROR" if isinstance(answer, BusError) else answer["answer"]
        if word not in LATER_ANSWERS:
            self._unanswered.discard(id)
        if word == "WELCOME":
            self._most = answer["limits"].get("outstanding", math.inf)
        # Who knows no HELLO has no such number; a refusal for now says nothing about it.
        elif id == self.hello[1] and not (isinstance(answer, BusError) or answer["retryable"]):
            self._most = math.inf


def unreachable(id):
    cause = f"The request {id} was not sent: there was no connection to the worker, or no room on it."
    return BusError("unreachable", cause, "Check the endpoint, and that the worker runs.", id)


def closed(id):
    cause = f"The client was closed: the outcome of {id} is unknown."
    return BusError("closed", cause, "Send the request again with the same id, with another client.", id)
