"""Reads messages of the ForgeBus protocol, version 1: asked, answered and published, without sockets.

Written from Protocol.md alone, so that the document is held against two readers that share no code. Values are plain
dictionaries in the words of the document, as its section "Test vectors" describes them. One file, so that it can be
taken along whole.
"""

import json
import re
import struct
import unicodedata

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
RETRYABLE = {"busy", "not_ready", "draining", "timeout", "unreachable", "closed"}
KINDS = ("runs", "signals", "monitors", "pipelines")
ITEM_KINDS = ("run", "signal", "monitor", "pipeline")
DURABILITIES = ("memory", "fsynced")

YEAR_MS = 365 * 24 * 3600 * 1000
WEEK_MS = 7 * 24 * 3600 * 1000
DAY_MS = 24 * 3600 * 1000
MAX_DEPTH = 64
MAX_KEYS = 4096
MAX_ATTRIBUTES = 65536
MAX_DECISION = 65536
MAX_SCREEN = 256

ID = re.compile(rb"[\x21-\x7e]{1,128}")
TOKEN = re.compile(rb"[A-Za-z0-9_-]{1,64}")
NAME = re.compile(rb"[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64})*")


class Refused(Exception):
    """A message that is not taken; `code` is one of the error catalogue."""

    def __init__(self, code, cause=""):
        super().__init__(f"{code}: {cause}")
        self.code = code


# JSON, section "Bodies"


class Malformed(ValueError):
    """Bytes that are not JSON within the protocol's bounds."""


class _Keys:
    """Counts the keys of one frame and refuses one that stands twice in an object."""

    def __init__(self):
        self.count = 0

    def __call__(self, pairs):
        self.count += len(pairs)
        if self.count > MAX_KEYS:
            raise Malformed("too many keys")
        if len({unicodedata.normalize("NFC", key) for key, _ in pairs}) != len(pairs):
            raise Malformed("a key stands twice")
        return dict(pairs)


def _integer(digits):
    if len(digits) <= 20 and -(2**63) <= int(digits) < 2**63:
        return int(digits)
    return _number(digits)


def _number(digits):
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise Malformed("out of range")
    return number


def _no_constant(word):
    raise Malformed(f"{word} is no JSON")


def _check(value, depth):
    """Refuses what the json module lets pass: deep nesting and half surrogate pairs."""
    if isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, (list, dict)):
        if depth == MAX_DEPTH:
            raise Malformed("too deep")
        for item in value if isinstance(value, list) else [*value.keys(), *value.values()]:
            _check(item, depth + 1)


def parse_json(frame):
    """The value of a frame, or Malformed."""
    try:
        value = json.loads(
            frame.decode("utf-8"),
            object_pairs_hook=_Keys(),
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_no_constant,
        )
        _check(value, 0)
    except (ValueError, RecursionError) as flaw:
        raise Malformed(str(flaw)) from flaw
    return value


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


def read_affected(frame):
    """What an event happened to: as a name, but longer."""
    if len(frame) > 520 or not NAME.fullmatch(frame):
        raise Refused("bad_name")
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
    if name.lower() == known or name + "_ms" == known:
        return True
    return min(len(name.encode("utf-8")), len(known)) >= 4 and edits(name, known) <= 2


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


# Answers


def read_answer(frames):
    """What a worker answers, as a dictionary; Refused with `bad_answer`."""
    try:
        return _answer(*frames)
    except (Refused, Malformed, KeyError, TypeError) as flaw:
        raise Refused("bad_answer", flaw) from flaw


def _answer(command_frame, id_frame, subject, attributes_frame, body):
    word = word_of(command_frame)
    attributes = expect(parse_json(attributes_frame) if attributes_frame else {}, dict)
    value = {"answer": word} | ANSWERS[word](attributes, subject, body)
    value["id"] = read_id(id_frame) if id_frame else None
    if attributes.get("replayed") is True:
        value["replayed"] = True
    return value


def expect(value, kind):
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Refused("bad_answer", f"no {kind.__name__}")
    return value


def choose(value, *words):
    if expect(value, str) not in words:
        raise Refused("bad_answer", "an unknown word")
    return value


def optional(source, key, kind):
    """One member, left out where it is absent or of another type."""
    value = source.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        return {}
    return {key: value}


def member(source, key, kind):
    return {key: expect(source[key], kind)}


def _outcome(source):
    """How an action ended: `result`, and why if it failed."""
    result = choose(source["result"], "completed", "skipped", "failed")
    return {"result": result} | (member(source, "reason", str) if result == "failed" else {})


def _actions(values):
    actions = []
    for action in expect(values, list):
        expect(action, dict)
        fields = member(action, "action", str) | _outcome(action)
        actions.append(fields | member(action, "start_us", int) | member(action, "duration_us", int))
    return actions


STATES = ("starting", "ready", "draining")


def _welcome(attributes, subject, body):
    value = member(attributes, "worker", str) | {"state": choose(attributes["state"], *STATES)}
    value["durability"] = choose(attributes["durability"], *DURABILITIES)
    value |= member(attributes, "retention_ms", int)
    value["versions"] = [expect(version, int) for version in expect(attributes["versions"], list)]
    value["limits"] = {name: expect(limit, int) for name, limit in expect(attributes["limits"], dict).items()}
    return value


def _accepted(attributes, subject, body):
    value = {"durability": choose(attributes["durability"], *DURABILITIES)}
    if subject:
        value["run"] = read_name(subject)
    return value | optional(attributes, "monitors", int) | optional(attributes, "retention_ms", int)


CHANGES = ("started", "finished", "waiting", "resumed", "retrying", "parked", "redriven")


def _progress(attributes, subject, body):
    state = choose(attributes["state"], *CHANGES)
    value = {"run": read_name(subject), "state": state}
    value |= member(attributes, "sequence", int) | member(attributes, "action", str)
    if state == "finished":
        value |= _outcome(attributes)
    if state in ("waiting", "resumed"):
        value["signal"] = read_name(expect(attributes["signal"], str).encode("utf-8"))
    if state == "retrying":
        value |= member(attributes, "attempt", int) | member(attributes, "after_ms", int)
    if state == "parked":
        value |= member(attributes, "reason", str)
    return value


def _result(attributes, subject, body):
    state = choose(attributes["state"], "completed", "failed", "timed_out", "cancelled", "lost")
    content = expect(parse_json(body), dict)
    reason = optional(attributes, "reason", str).get("reason", "")
    abandoned = [expect(action, str) for action in optional(content, "abandoned", list).get("abandoned", [])]
    return {
        "run": read_name(subject),
        "state": state,
        "reason": "" if state == "completed" else reason,
        "actions": _actions(content["actions"]),
        "outputs": optional(content, "outputs", dict).get("outputs", {}),
    } | ({"abandoned": abandoned} if abandoned else {})


def _evaluated(attributes, subject, body):
    monitors = []
    for monitor in expect(parse_json(body), list):
        fields = {"monitor": read_name(expect(monitor["monitor"], str).encode("utf-8"))}
        fields |= optional(monitor, "cycle", int)
        fields["state"] = choose(monitor["state"], "ran", "failed", "overdue", "excluded")
        fields["actions"] = _actions(monitor["actions"])
        monitors.append(fields)
    names = optional(attributes, "pending", list).get("pending", [])
    pending = [read_name(expect(name, str).encode("utf-8")) for name in names]
    return {"monitors": monitors, "pending": pending}


VERDICTS = {
    "delivered": {},
    "counted": {"have": int, "need": int},
    "buffered": {"keep_ms": int},
    "duplicate": {},
    "conflict": {"standing": str, "by": str, "at_ms": int},
    "expired": {},
    "closed": {"why": str},
    "forbidden": {"why": str},
    "unknown": {},
}


def _verdict(attributes, subject, body):
    value = {"signal": read_name(subject), "verdict": choose(attributes["verdict"], *VERDICTS)}
    value["durability"] = choose(attributes["durability"], *DURABILITIES)
    value |= member(attributes, "retention_ms", int)
    for key, kind in VERDICTS[value["verdict"]].items():
        value |= member(attributes, key, kind)
    return value


CONFIRMED = (
    *("queued", "running", "waiting", "retrying", "parked", "stopping"),
    *("completed", "failed", "timed_out", "cancelled", "lost"),
    *("credit_ended", "unwatched", "set", "done"),
)


def _ok(attributes, subject, body):
    value = {"state": choose(attributes["state"], *CONFIRMED)}
    if subject:
        value["run"] = read_name(subject)
    if isinstance(attributes.get("durability"), str):
        value["durability"] = choose(attributes["durability"], *DURABILITIES)
    value |= optional(attributes, "retention_ms", int)
    value["details"] = _details(attributes, "state", "durability", "retention_ms")
    return value


def _details(attributes, *own):
    return {key: detail for key, detail in attributes.items() if key not in (*own, "replayed")}


def _shown(attributes, subject, body):
    return {"item": expect(parse_json(body), dict)}


def _event(attributes, subject, body):
    value = {"subject": read_affected(subject)} | member(attributes, "sequence", int)
    value["lost"] = optional(attributes, "lost", int).get("lost", 0)
    return value | {"body": expect(parse_json(body), dict)}


def _page(attributes, subject, body):
    items = [expect(item, dict) for item in expect(parse_json(body), list)]
    return {"items": items} | optional(attributes, "cursor", str)


def _pong(attributes, subject, body):
    state = choose(attributes["state"], *STATES)
    return member(attributes, "worker", str) | {"state": state, "body": shown(body)}


def _error(attributes, subject, body):
    value = {}
    for key in ("code", "message", "next"):
        value |= member(attributes, key, str)
    value["retryable"] = value["code"] in RETRYABLE
    value |= optional(attributes, "retry_after_ms", int)
    value["details"] = _details(attributes, "code", "message", "next", "retryable", "retry_after_ms")
    return value


ANSWERS = {
    "WELCOME": _welcome,
    "ACCEPTED": _accepted,
    "PROGRESS": _progress,
    "RESULT": _result,
    "EVALUATED": _evaluated,
    "VERDICT": _verdict,
    "OK": _ok,
    "SHOWN": _shown,
    "PAGE": _page,
    "EVENT": _event,
    "PONG": _pong,
    "ERROR": _error,
}
