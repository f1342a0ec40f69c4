"""Reads what a worker reads of the ForgeBus protocol, version 1: what is asked and what is published, without sockets.

Written from Protocol.md alone, so that the document is held against two readers that share no code. Values are plain
dictionaries in the words of the document, as its section "Test vectors" describes them. What a client reads and writes
is in examples/python/forgebus_messages.py, and JSON with it.
"""

import re
import struct

from forgebus_messages import ID, NAME, Malformed, parse_json

COMMANDS = (
    "HELLO",
    "NOTIFY",
    "RUN",
    "ATTACH",
    "CANCEL",
    "REDRIVE",
    "COMPLETE",
    "REJECT",
    "SHOW",
    "LIST",
    "WATCH",
    "UNWATCH",
    "MODE",
    "ADMIN",
    "PING",
)
KINDS = ("runs", "signals", "monitors", "pipelines")
ITEM_KINDS = ("run", "signal", "monitor", "pipeline", "history")
DURABILITIES = ("memory", "fsynced")

YEAR_MS = 365 * 24 * 3600 * 1000
WEEK_MS = 7 * 24 * 3600 * 1000
DAY_MS = 24 * 3600 * 1000
MAX_ATTRIBUTES = 65536
MAX_DECISION = 65536
MAX_SCREEN = 256

TOKEN = re.compile(rb"[A-Za-z0-9_-]{1,64}")


class Refused(Exception):
    """A message that is not taken; `code` is one of the error catalogue."""

    def __init__(self, code, cause=""):
        super().__init__(f"{code}: {cause}")
        self.code = code


def is_integer(value):
    """Whether a parsed value is an integer of the protocol: bool is one for Python, not here."""
    return isinstance(value, int) and not isinstance(value, bool)


# Frames and names


def check_foreign(frames):
    if len(frames) != 5 or not frames[0].startswith(b"FORGE/"):
        raise Refused("not_forge")


def word_of(frame):
    if not frame.startswith(b"FORGE/"):
        raise Refused("not_forge")
    version, space, word = frame[len(b"FORGE/"):].partition(b" ")
    if not version or not space:
        raise Refused("unknown_command")
    if version != b"1":
        raise Refused("unsupported_version")
    return word.decode("utf-8", "replace")


def read_id(frame):
    if not ID.fullmatch(frame):
        raise Refused("bad_id")
    return frame.decode("ascii")


def read_name(frame):
    if len(frame) > 256 or not NAME.fullmatch(frame):
        raise Refused("bad_name")
    return frame.decode("ascii")


def read_pattern(frame):
    """A pattern: a name in which `*` stands for a token and a last `>` for the rest."""
    tokens = frame.split(b".")
    rest = tokens[:-1] if tokens[-1] == b">" else tokens
    if len(frame) > 256 or not all(token == b"*" or TOKEN.fullmatch(token) for token in rest):
        raise Refused("bad_pattern")
    return frame.decode("ascii")


def subscription(pattern):
    """The shortest subscription that misses nothing a pattern means."""
    tokens = []
    for token in pattern.split("."):
        if token in ("*", ">"):
            break
        tokens.append(token + ".")
    return "".join(tokens)


def shown(frame):
    """Bytes as a vector has them: a string where they are UTF-8, otherwise a hex piece."""
    try:
        return frame.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": frame.hex()}


# Attributes of requests, section "Attributes"


def one_of(*words):
    return lambda value: isinstance(value, str) and value in words


def between(least, most):
    return lambda value: is_integer(value) and least <= value <= most


def at_most(size):
    return lambda value: isinstance(value, str) and len(value.encode("utf-8")) <= size


def is_flag(value):
    return isinstance(value, bool)


DECISION = {"keep_ms": between(0, WEEK_MS), "durability": one_of(*DURABILITIES)}
DURABLE = {"durability": one_of(*DURABILITIES)}
TAKEN = {
    "HELLO": {},
    "NOTIFY": {
        "reply": one_of("accepted", "evaluated"),
        "deadline_ms": between(1, YEAR_MS),
        "durability": one_of(*DURABILITIES),
    },
    "RUN": {
        "reply": one_of("accepted", "result"),
        "deadline_ms": between(1, YEAR_MS),
        "durability": one_of(*DURABILITIES),
        "progress": is_flag,
    },
    "ATTACH": {"wait_ms": between(0, YEAR_MS), "progress": is_flag},
    "CANCEL": DURABLE,
    "REDRIVE": DURABLE,
    "COMPLETE": DECISION,
    "REJECT": DECISION,
    "SHOW": {},
    "LIST": {"limit": between(1, 500), "cursor": at_most(256)},
    "WATCH": {"credit": between(1, 10_000)},
    "UNWATCH": {},
    "MODE": {"ttl_ms": between(1, WEEK_MS)},
    "ADMIN": {},
    "PING": {},
}
REQUIRED = {"WATCH": "credit", "MODE": "ttl_ms"}
PUBLISHED = {}
COMMON = {"source": at_most(128), "traceparent": at_most(128)}
EFFECTIVE = {name for taken in TAKEN.values() for name in taken}


def edits(a, b):
    """The optimal string alignment distance of two words, in bytes."""
    a, b = a.encode("utf-8", "surrogatepass"), b.encode("utf-8", "surrogatepass")
    if abs(len(a) - len(b)) > 2:
        return 3
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def is_misspelt(name, known):
    for word in (name, name.lower()):
        if known in (word, word + "_ms"):
            return True
        if min(len(word.encode("utf-8")), len(known)) >= 4 and edits(word, known) <= 2:
            return True
    return False


def read_attributes(frame, taken):
    """The attributes that mean something where `taken` has a rule for each."""
    if not frame:
        return {}
    if len(frame) > MAX_ATTRIBUTES:
        raise Refused("too_large")
    try:
        attributes = parse_json(frame)
    except Malformed as flaw:
        raise Refused("bad_attribute", flaw) from flaw
    if not isinstance(attributes, dict):
        raise Refused("bad_attribute", "no object")
    rules = taken | COMMON
    for name, value in attributes.items():
        if name in rules:
            if not rules[name](value):
                raise Refused("bad_attribute", f"{name} is malformed")
        elif name in EFFECTIVE or any(is_misspelt(name, known) for known in taken):
            raise Refused("bad_attribute", f"{name} is misplaced or misspelt")
    return {name: value for name, value in attributes.items() if name in rules}


# Requests


def read_request(frames):
    """What a client asks, as a dictionary; Refused with the code of the first flaw."""
    check_foreign(frames)
    command_frame, id_frame, subject, attributes_frame, body = frames
    command = word_of(command_frame)
    if command not in COMMANDS:
        raise Refused("unknown_command")
    value = {"command": command, "id": read_id(id_frame)}
    value |= SUBJECTS[command](subject)
    attributes = read_attributes(attributes_frame, TAKEN[command])
    if command in REQUIRED and REQUIRED[command] not in attributes:
        raise Refused("bad_attribute", "a required attribute is missing")
    if not attributes.get("progress", True):
        del attributes["progress"]
    return value | DEFAULTS.get(command, {}) | attributes | BODIES[command](body)


def _kind(subject):
    if shown(subject) not in KINDS:
        raise Refused("unknown_kind")
    return {"kind": shown(subject)}


def _item(subject):
    kind, _, name = subject.partition(b"/")
    if shown(kind) not in ITEM_KINDS:
        raise Refused("unknown_kind")
    return {"kind": shown(kind), "name": read_name(name)}


def _run(subject):
    return {"run": read_name(subject)}


SUBJECTS = {
    "HELLO": lambda subject: {},
    "NOTIFY": lambda subject: {"topic": read_name(subject)},
    "RUN": lambda subject: {"pipeline": read_name(subject)},
    "ATTACH": _run,
    "CANCEL": _run,
    "REDRIVE": _run,
    "COMPLETE": lambda subject: {"signal": read_name(subject)},
    "REJECT": lambda subject: {"signal": read_name(subject)},
    "SHOW": _item,
    "LIST": _kind,
    "WATCH": lambda subject: {"pattern": read_pattern(subject)},
    "UNWATCH": lambda subject: {},
    "MODE": lambda subject: {"pattern": read_pattern(subject)},
    "ADMIN": lambda subject: {"verb": read_name(subject)},
    "PING": lambda subject: {},
}
DEFAULTS = {
    "NOTIFY": {"reply": "accepted"},
    "RUN": {"reply": "result"},
    "COMPLETE": {"keep_ms": DAY_MS},
    "REJECT": {"keep_ms": DAY_MS},
    "LIST": {"limit": 100},
}


def _body_json(body, kind):
    try:
        value = parse_json(body)
    except Malformed as flaw:
        raise Refused("bad_body", flaw) from flaw
    if not isinstance(value, kind):
        raise Refused("bad_body", "another type")
    return value


def _object(body):
    return _body_json(body, dict) if body else {}


def _screen(body):
    content = _object(body)
    screen = content.get("screen", False)
    if screen is not None and not (isinstance(screen, str) and 1 <= len(screen.encode("utf-8")) <= MAX_SCREEN):
        raise Refused("bad_body", "no screen")
    return {"screen": screen}


def _decision_size(body):
    if len(body) > MAX_DECISION:
        raise Refused("too_large")


def _value(body):
    _decision_size(body)
    if body:
        _body_json(body, object)
    return {"value": shown(body)}


def _reason(body):
    _decision_size(body)
    return {"reason": _body_json(body, str) if body else ""}


def _unread(body):
    return {}


BODIES = {
    "HELLO": _unread,
    "NOTIFY": lambda body: {"body": shown(body)},
    "RUN": lambda body: {"seeds": _object(body)},
    "ATTACH": _unread,
    "CANCEL": _reason,
    "REDRIVE": _unread,
    "COMPLETE": _value,
    "REJECT": _reason,
    "SHOW": _unread,
    "LIST": _unread,
    "WATCH": _unread,
    "UNWATCH": _unread,
    "MODE": _screen,
    "ADMIN": lambda body: {"arguments": _object(body)},
    "PING": lambda body: {"body": shown(body)},
}


# What is published, section "Publishing"


def read_publication(frames):
    """What a process publishes, as a dictionary; Refused with the code of the first flaw."""
    if len(frames) != 6:
        raise Refused("not_forge")
    topic, command, id_frame, origin, attributes, body = frames
    if word_of(command) != "NOTIFY":
        raise Refused("unknown_command")
    if not topic.endswith(b"."):
        raise Refused("bad_name")
    value = {"topic": read_name(topic[:-1]), "id": read_id(id_frame)}
    value |= _origin(origin)
    return value | read_attributes(attributes, PUBLISHED) | {"body": shown(body)}


def _origin(frame):
    if not frame:
        return {}
    if len(frame) != 16 or not any(frame[8:]):
        raise Refused("bad_origin")
    epoch, sequence = struct.unpack(">QQ", frame)
    return {"origin": {"epoch": str(epoch), "sequence": str(sequence)}}
