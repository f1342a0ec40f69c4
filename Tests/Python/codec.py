"""Reads what a worker reads of the ForgeBus protocol, version 1: what is asked and what is published, without sockets.

Written from Protocol.md alone, so that the document is held against two readers that share no code. Values are plain
dictionaries in the words of the document, as its section "Test vectors" describes them. What a client reads and writes
is in examples/python/forgebus_messages.py, and JSON with it.
"""

import re
import struct

from forgebus_messages import ID, NAME, Malformed, parse_json

KINDS = ("runs", "signals", "early", "monitors", "pipelines")
PAUSABLE = ("pipeline", "monitor")
ITEM_KINDS = ("run", "signal", "monitor", "pipeline", "history", "output")
DURABILITIES = ("memory", "fsynced", "replicated")

YEAR_MS = 365 * 24 * 3600 * 1000
WEEK_MS = 7 * 24 * 3600 * 1000
MAX_ATTRIBUTES = 65536
MAX_DECISION = 65536
MAX_SCREEN = 256
MAX_PAUSE = 1024

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


def is_name(value):
    return isinstance(value, str) and len(value) <= 256 and bool(NAME.fullmatch(value.encode("utf-8", "surrogatepass")))


def is_flag(value):
    return isinstance(value, bool)


PUBLISHED = {}
# What every request takes, and what changes its effect.
AGENCY = {"as": is_name}
COMMON = {"source": at_most(128), "traceparent": at_most(128)}


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
    if command not in VERBS:
        raise Refused("unknown_command")
    verb = MANY.get(command, VERBS[command]) if subject == b">" else VERBS[command]
    value = {"command": command, "id": read_id(id_frame)}
    value |= verb.subject(subject)
    attributes = read_attributes(attributes_frame, verb.attributes | AGENCY)
    if "action" in attributes and value.get("kind") != "output":
        raise Refused("bad_attribute", "only an output is of an action")
    if command == "LIST":
        taken = {"runs": LISTED, "signals": OF_LISTED_WAITS}.get(value["kind"], {})
        if attributes.keys() & (OF_LISTED_RUNS | OF_LISTED_WAITS).keys() - taken.keys():
            raise Refused("bad_attribute", "not for this kind")
        if attributes.get("order") == "oldest":
            del attributes["order"]
    required = {"ttl_ms"} if command == "PAUSE" and value["kind"] == "monitor" else verb.required
    if not attributes.keys() >= required:
        raise Refused("bad_attribute", "a required attribute is missing")
    if verb.filters and not attributes.keys() & verb.filters:
        raise Refused("bad_attribute", "no filter")
    if (verb.filters or command == "LIST") and "id" in attributes:
        attributes["id_prefix"] = attributes.pop("id")
    if not attributes.get("progress", True):
        del attributes["progress"]
    return value | verb.defaults | attributes | verb.body(body)


# What the frames of a request hold


def nothing(frame):
    """A subject or body that is not read."""
    return {}


def kind(subject):
    if shown(subject) not in KINDS:
        raise Refused("unknown_kind")
    return {"kind": shown(subject)}


def item(subject):
    if subject == b"worker":
        return {"kind": "worker", "name": "worker"}
    kind, _, name = subject.partition(b"/")
    if shown(kind) not in ITEM_KINDS:
        raise Refused("unknown_kind")
    return {"kind": shown(kind), "name": read_name(name)}


def pausable(subject):
    kind, _, name = subject.partition(b"/")
    if shown(kind) not in PAUSABLE:
        raise Refused("unknown_kind")
    return {"kind": shown(kind), "name": read_name(name)}


def name_of(what):
    return lambda subject: {what: read_name(subject)}


def pattern(subject):
    return {"pattern": read_pattern(subject)}


def anything(body):
    return {"body": shown(body)}


def object_of(what):
    return lambda body: {what: read_object(body)}


def read_object(body):
    return body_json(body, dict) if body else {}


def body_json(body, kind):
    try:
        value = parse_json(body)
    except Malformed as flaw:
        raise Refused("bad_body", flaw) from flaw
    if not isinstance(value, kind):
        raise Refused("bad_body", "another type")
    return value


def screen(body):
    screen = read_object(body).get("screen", False)
    if screen is not None and not (isinstance(screen, str) and 1 <= len(screen.encode("utf-8")) <= MAX_SCREEN):
        raise Refused("bad_body", "no screen")
    return {"screen": screen}


def check_size(body, most=MAX_DECISION):
    if len(body) > most:
        raise Refused("too_large")


def value(body):
    check_size(body)
    if body:
        body_json(body, object)
    return {"value": shown(body)}


def reason(body, most=MAX_DECISION):
    check_size(body, most)
    return {"reason": body_json(body, str) if body else ""}


# Verbs, a line for each


class Verb:
    """What a verb takes: its subject, its attributes with their limits and defaults, and its body."""

    def __init__(self, subject=nothing, body=nothing, defaults=None, required=(), filters=(), **attributes):
        self.subject, self.body, self.attributes = subject, body, attributes
        self.defaults, self.required = defaults or {}, set(required)
        # One of these, whichever, is required.
        self.filters = set(filters)


DURABLE = {"durability": one_of(*DURABILITIES)}
RUN = name_of("run")
TIMED = {"deadline_ms": between(1, YEAR_MS)} | DURABLE
SIGNAL = name_of("signal")
DECISION = {"subject": SIGNAL, "keep_ms": between(0, WEEK_MS)} | DURABLE
EVALUATED, RESULT = one_of("accepted", "evaluated"), one_of("accepted", "result")
OF_RUNS = ("queued", "running", "waiting", "retrying", "parked")
WAITS = {"pipeline": is_name, "principal": at_most(256), "older_than_ms": between(0, YEAR_MS)}
# What only runs take, and what only runs and signals take.
OF_LISTED_RUNS = {"state": one_of(*OF_RUNS, "stopping", "completed", "failed", "timed_out", "cancelled", "lost")}
OF_LISTED_WAITS = {"order": one_of("oldest", "newest")} | WAITS
LISTED = OF_LISTED_RUNS | OF_LISTED_WAITS | {"id": at_most(256)}
VERBS = {
    "HELLO": Verb(),
    "NOTIFY": Verb(name_of("topic"), anything, {"reply": "accepted"}, reply=EVALUATED, **TIMED),
    "RUN": Verb(
        name_of("pipeline"), object_of("seeds"), {"reply": "result"}, reply=RESULT, progress=is_flag, **TIMED
    ),
    "ATTACH": Verb(RUN, wait_ms=between(0, YEAR_MS), progress=is_flag),
    "CANCEL": Verb(RUN, reason, **DURABLE),
    "REDRIVE": Verb(RUN, **DURABLE),
    "COMPLETE": Verb(body=value, **DECISION),
    "REJECT": Verb(body=reason, **DECISION),
    "WITHDRAW": Verb(SIGNAL, **DURABLE),
    "SHOW": Verb(item, action=at_most(256)),
    "LIST": Verb(kind, defaults={"limit": 100}, limit=between(1, 500), cursor=at_most(512), **LISTED),
    "WATCH": Verb(pattern, required=["credit"], credit=between(1, 10_000)),
    "UNWATCH": Verb(),
    "MODE": Verb(pattern, screen, required=["ttl_ms"], ttl_ms=between(1, WEEK_MS)),
    "ADMIN": Verb(name_of("verb"), object_of("arguments")),
    "PING": Verb(body=anything),
    "PAUSE": Verb(pausable, lambda body: reason(body, MAX_PAUSE), ttl_ms=between(1, WEEK_MS)),
    "RESUME": Verb(pausable),
}
FILTER = {"state": one_of(*OF_RUNS)} | WAITS | {"id": at_most(256)}
OF_MANY = {"filters": FILTER, "required": ["expect"], "expect": between(0, 10_000)} | FILTER | DURABLE
# What two verbs take whose subject is `>`: they are about all runs that match.
MANY = {"CANCEL": Verb(body=reason, **OF_MANY), "REDRIVE": Verb(**OF_MANY)}
EFFECTIVE = {name for verb in [*VERBS.values(), *MANY.values()] for name in verb.attributes} | set(AGENCY)


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
