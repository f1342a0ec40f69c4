"""The messages of the ForgeBus protocol, as a client has them: writes requests and reads answers, without sockets.

Written from Protocol.md alone. An answer is a dictionary in the words of that document, as its section "Test vectors"
describes it: `{"answer": "VERDICT", "id": …, "signal": …, "verdict": "delivered", "durability": "memory", …}`. What
differs from the document is `bad_answer`, except what receivers are to ignore.
"""

import json
import math
import re
import unicodedata
import uuid

RETRYABLE = {"busy", "not_ready", "draining", "timeout", "unreachable", "closed"}
LEDGERED = {"RUN", "COMPLETE", "REJECT", "WITHDRAW", "CANCEL", "REDRIVE", "MODE", "PAUSE", "RESUME", "ADMIN"}
MAX_FRAME = 1 << 20
MAX_DEPTH = 64
MAX_KEYS = 4096
MAX_MARKS = 30
ID = re.compile(rb"[\x21-\x7e]{1,128}")
NAME = re.compile(rb"[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64})*")


class BusError(Exception):
    """The error of a request: a code for programs, and for people the cause and the next move.

    `retryable` says whether the same request, sent again under the same `id`, can succeed; `retry_after` is in seconds,
    or None if the sender may choose the time.
    """

    def __init__(self, code, cause, next, id=None, retry_after=None, details=None):
        super().__init__(f"{code}: {cause} {next}")
        self.code, self.cause, self.next, self.id = code, cause, next, id
        self.retryable, self.retry_after, self.details = code in RETRYABLE, retry_after, details or {}


class Malformed(ValueError):
    """Bytes that are not JSON within the protocol's limits, or that have unexpected content."""


# JSON, section "Bodies"


def write_json(value):
    """Returns the bytes of a value in the form that Protocol.md requires: equal values are equal bytes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("\x7f", "\\u007f")
    return re.sub(r"\\.", lambda pair: {"\\b": "\\u0008", "\\f": "\\u000c"}.get(pair[0], pair[0]), text).encode()


def parse_json(frame):
    """Returns the value of a frame, or raises Malformed; Protocol.md is stricter than the json module."""
    count = 0

    def as_object(pairs):
        nonlocal count
        count += len(pairs)
        if count > MAX_KEYS or len({unicodedata.normalize("NFC", key) for key, _ in pairs}) != len(pairs):
            raise Malformed("an object has too many keys, or a key that occurs twice")
        return dict(pairs)

    try:
        value = json.loads(
            frame.decode(),
            object_pairs_hook=as_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_number,
        )
        _check(value, 0)
    except (ValueError, RecursionError) as flaw:
        raise Malformed(str(flaw)) from flaw
    return value


def _integer(digits):
    if len(digits) <= 20 and -(2**63) <= int(digits) < 2**63:
        return int(digits)
    return _number(digits)


def _number(digits):
    """Returns a finite double; NaN and infinite numbers are not JSON."""
    if not math.isfinite(float(digits)):
        raise Malformed(f"{digits[:20]} is not a number of JSON")
    return float(digits)


def _check(value, depth):
    """Refuses what the json module accepts: deep nesting, half surrogate pairs and rows of combining marks."""
    if isinstance(value, str):
        value.encode()
        row = 0
        for character in "" if value.isascii() else value:
            row = row + 1 if unicodedata.combining(character) else 0
            if row > MAX_MARKS:
                raise Malformed("a string has too many combining marks in a row")
    elif isinstance(value, (list, dict)):
        if depth == MAX_DEPTH:
            raise Malformed("arrays and objects nest too deep")
        for item in value if isinstance(value, list) else [*value.keys(), *value.values()]:
            _check(item, depth + 1)


# Requests


def write_request(command, subject="", attributes=None, body=b"", id=None):
    """The five frames of a request; attributes that are None are left out; a body that is not bytes becomes JSON."""
    id = id or uuid.uuid4().hex
    attributes = {name: value for name, value in (attributes or {}).items() if value is not None}
    frames = [
        f"FORGE/1 {command}".encode(),
        id.encode(),
        subject.encode(),
        write_json(attributes) if attributes else b"",
        body if isinstance(body, bytes) else write_json(body),
    ]
    if not ID.fullmatch(frames[1]):
        raise BusError("bad_id", "The id is not 1 to 128 bytes of 0x21 to 0x7E.", "Choose another id.", id)
    if max(map(len, frames)) > MAX_FRAME:
        raise BusError("too_large", "A frame has more than 1 MiB.", "Send less data, or a reference to the data.", id)
    return frames


def milliseconds(seconds):
    """Returns a time in seconds as milliseconds for an attribute; None stays None."""
    return None if seconds is None else round(seconds * 1000)


# Answers. A kind is a type, a reader, words (each with what it brings, or not), or a list of one kind.


def _fit(value, kind):
    """Returns the value if it is of that kind; otherwise raises Malformed."""
    if isinstance(kind, list):
        return [_fit(item, kind[0]) for item in _fit(value, list)]
    if isinstance(kind, (tuple, dict)):
        if _fit(value, str) not in kind:
            raise Malformed(f"{value!r} is not a word of this version")
    elif not isinstance(kind, type):
        return kind(value)
    elif not isinstance(value, kind) or isinstance(value, bool):
        raise Malformed(f"{value!r} is not of type {kind.__name__}")
    return value


def _members(source, schema):
    """The members that `schema` knows; `?` behind a key: it may be absent, `=`: it is empty then."""
    value = {}
    for key, kind in schema.items():
        name = key.rstrip("?=")
        outer = str if isinstance(kind, (tuple, dict)) else list if isinstance(kind, list) else kind
        if name == key or (isinstance(source.get(name), outer) and not isinstance(source[name], bool)):
            value[name] = _fit(source[name], kind)
            if isinstance(kind, dict):
                value |= _members(source, kind[value[name]])
        elif key.endswith("="):
            value[name] = outer()
    return value


def _object(**schema):
    return lambda value: _members(_fit(value, dict), schema)


def _name(value, most=256):
    if len(value) > most or not NAME.fullmatch(_fit(value, str).encode()):
        raise Malformed(f"{value!r} is not a name")
    return value


def _limits(value):
    return {name: _fit(limit, int) for name, limit in _fit(value, dict).items()}


WORTH = ("memory", "fsynced", "replicated")
STATES = ("starting", "ready", "draining")
RESULTS = {"completed": {}, "skipped": {}, "failed": {"reason": str}}
CHANGES = {
    "started": {},
    "finished": {"result": RESULTS},
    "waiting": {"signal": _name},
    "resumed": {"signal": _name},
    "retrying": {"attempt": int, "after_ms": int, "reason?": str},
    "parked": {"reason": str},
    "redriven": {},
}
ENDS = ("completed", "failed", "timed_out", "cancelled", "lost")
CYCLES = ("ran", "failed", "overdue", "excluded")
VERDICTS = {
    "delivered": {"run_state?": str, "reason?": str},
    "counted": {"have": int, "need": int},
    "buffered": {"keep_ms": int},
    "duplicate": {},
    "conflict": {"standing": ("approved", "rejected"), "by": str, "via?": str, "at_ms": int},
    "expired": {},
    "closed": {"why": str},
    "forbidden": {"why": str},
    "unknown": {"why?": str},
}
STANDS = ("queued", "running", "waiting", "retrying", "parked", "stopping")
WITHDRAWALS = ("withdrawn", "nothing", "decided")
OK = (*STANDS, *ENDS, "credit_ended", "unwatched", *WITHDRAWALS, "set", "paused", "resumed", "done")

ACTION = _object(action=str, result=RESULTS, start_us=int, duration_us=int)
MONITOR = _object(**{"monitor": _name, "cycle?": int, "state": CYCLES, "actions": [ACTION]})
WHO = {"worker": str, "state": STATES}
WELCOME = WHO | {
    "versions": [int],
    "durability": WORTH,
    "retention_ms": int,
    "store?": str,
    "features?": [str],
    "limits": _limits,
}
RESULT = _object(**{"actions": [ACTION], "outputs=": dict, "abandoned?": [str]})
# Of each answer: what its subject is called, its attributes, and what its body is called (or nothing) and is.
ANSWERS = {
    "WELCOME": ("", WELCOME, None),
    "ACCEPTED": ("run?", {"durability": WORTH, "monitors?": int, "retention_ms?": int}, None),
    "PROGRESS": ("run", {"sequence": int, "state": CHANGES, "action": str}, None),
    "RESULT": ("run", {"state": ENDS, "reason=": str}, ("", RESULT)),
    "EVALUATED": ("", {"pending=": [_name]}, ("monitors", [MONITOR])),
    "VERDICT": ("signal", {"verdict": VERDICTS, "durability": WORTH, "retention_ms": int}, None),
    "OK": ("run?", {"state": OK, "durability?": WORTH, "retention_ms?": int}, None),
    "SHOWN": ("", {}, ("item", dict)),
    "PAGE": ("", {"cursor?": str}, ("items", [dict])),
    "EVENT": ("subject", {"sequence": int, "lost=": int}, ("body", dict)),
    "PONG": ("", WHO, ("body", bytes)),
    "ERROR": ("", {"code": str, "message": str, "next": str, "retry_after_ms?": int}, None),
}


def read_answer(frames):
    """Returns a worker's answer as a dictionary; raises BusError with `bad_answer` if the answer is malformed."""
    try:
        return _answer(*frames)
    except (ValueError, KeyError, TypeError) as flaw:
        cause = f"An answer was not understood ({flaw!r:.200}): the outcome of its request is unknown."
        raise BusError("bad_answer", cause, "Use a client of the worker's version.") from flaw


def error_of(answer):
    """Returns the BusError for an answer ERROR."""
    after = answer["retry_after_ms"] / 1000 if "retry_after_ms" in answer else None
    return BusError(answer["code"], answer["message"], answer["next"], answer["id"], after, answer["details"])


def _answer(command, id, subject, attributes, body):
    if not command.startswith(b"FORGE/1 ") or not ID.fullmatch(id or b"-"):
        raise Malformed("the frames are not an answer of version 1, or the id is invalid")
    word = command[len(b"FORGE/1 ") :].decode()
    subject_name, schema, content = ANSWERS[word]
    attributes = _fit(parse_json(attributes) if attributes else {}, dict)
    value = {"answer": word, "id": id.decode() or None} | _subject(subject_name, subject.decode("ascii", "replace"))
    value |= _members(attributes, schema)
    if content:
        name, kind = content
        body = _fit(body if kind is bytes else parse_json(body), kind)
        value |= {name: body} if name else body
    return _finished(value, attributes, {key.rstrip("?=") for key in schema})


def _subject(name, text):
    if not name or (name == "run?" and not text):
        return {}
    return {name.rstrip("?"): _name(text, most=520 if name == "subject" else 256)}


def _finished(value, attributes, known):
    """Applies the rules of Protocol.md for single answers."""
    if value["answer"] == "RESULT":
        value["reason"] = "" if value["state"] == "completed" else value["reason"]
        if not value.get("abandoned", True):
            del value["abandoned"]
    if value["answer"] in ("OK", "ERROR"):
        known |= {"replayed", "retryable"} if value["answer"] == "ERROR" else {"replayed"}
        value["details"] = {key: detail for key, detail in attributes.items() if key not in known}
    if value["answer"] == "ERROR":
        value["retryable"] = value["code"] in RETRYABLE
    if attributes.get("replayed") is True:
        value["replayed"] = True
    return value
