"""Holds golden.json against readers, and a writer, that share no code with the Swift module.

A worker's side is read by codec.py; a client's side is what the Python client itself writes and reads.
"""

import json
import pathlib
import re

import pytest

import codec
import forgebus_messages

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = json.loads((ROOT / "Tests/ForgeBusProtocolTests/golden.json").read_text("utf-8"))
DOCUMENT = (ROOT / "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/Protocol.md").read_text("utf-8")
VECTORS = GOLDEN["vectors"]


def piece(value):
    """The bytes a piece stands for."""
    if isinstance(value, str):
        return value.encode("utf-8")
    (kind, content), = value.items()
    if kind == "hex":
        return bytes.fromhex(content)
    if kind == "repeat":
        text, count = content
        return text.encode("utf-8") * count
    assert kind == "join"
    return b"".join(piece(part) for part in content)


def expanded(value):
    """A value with every `repeat` and `join` written out."""
    if isinstance(value, list):
        return [expanded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() in ({"repeat"}, {"join"}):
        return codec.shown(piece(value))
    return {key: expanded(item) for key, item in value.items()}


def same(a, b):
    """Equality in which True is not 1: Python's own takes them for equal."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


def read_answer(frames):
    """An answer as the client reads it, its body as a vector has it."""
    value = forgebus_messages.read_answer(frames)
    if isinstance(value.get("body"), bytes):
        value["body"] = codec.shown(value["body"])
    return value


READERS = {"request": codec.read_request, "answer": read_answer, "publication": codec.read_publication}
SIDES = {"C": codec.read_request, "S": read_answer, "P": codec.read_publication}


def read(vector):
    frames = [piece(frame) for frame in vector["frames"]]
    return READERS[vector["direction"]](frames)


def type_name(value):
    names = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_vector_is_read_as_it_is_meant(vector):
    if "error" in vector:
        with pytest.raises((codec.Refused, forgebus_messages.BusError)) as refused:
            read(vector)
        assert refused.value.code == vector["error"]
        return
    value = read(vector)
    assert same(value, expanded(vector["value"])), value
    if "seed_types" in vector:
        assert {key: type_name(seed) for key, seed in value["seeds"].items()} == vector["seed_types"]


# Under which names a vector has the subject and the body of a request.
SUBJECTS = ("kind", "topic", "pipeline", "run", "signal", "pattern", "verb")
BODIES = ("body", "seeds", "value", "reason", "screen", "arguments")
CANONICAL = [
    vector
    for vector in VECTORS
    if vector["direction"] == "request" and "value" in vector and vector.get("canonical", True)
]


def bytes_of(value):
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode("utf-8")


@pytest.mark.parametrize("vector", CANONICAL, ids=[vector["name"] for vector in CANONICAL])
def test_the_client_writes_the_request_byte_for_byte(vector):
    value = expanded(vector["value"])
    command, id = value.pop("command"), value.pop("id")
    subject = ">" if "expect" in value else next((value.pop(name) for name in SUBJECTS if name in value), "")
    if "id_prefix" in value:
        # Where it stands among the filters.
        value = {"id" if name == "id_prefix" else name: item for name, item in value.items()}
    if command in ("SHOW", "PAUSE", "RESUME"):
        name = value.pop("name")
        subject += "" if subject == "worker" else "/" + name
    key = next((name for name in BODIES if name in value), None)
    content = value.pop(key, None)
    if key in ("body", "value"):
        body = bytes_of(content)
    else:
        body = {"screen": content} if key == "screen" else content or b""
    defaults = codec.VERBS[command].defaults
    attributes = {name: item for name, item in value.items() if defaults.get(name) != item}
    frames = forgebus_messages.write_request(command, subject, attributes, body, id)
    assert frames == [piece(frame) for frame in vector["frames"]]


@pytest.mark.parametrize(
    "id, body, code", [("a b", b"", "bad_id"), ("x" * 129, b"", "bad_id"), ("1", bytes((1 << 20) + 1), "too_large")]
)
def test_the_client_writes_no_request_that_a_worker_would_not_read(id, body, code):
    with pytest.raises(forgebus_messages.BusError) as refused:
        forgebus_messages.write_request("NOTIFY", "orders", {}, body, id)
    assert refused.value.code == code and not refused.value.retryable


def test_every_command_and_answer_is_met():
    values = [vector["value"] for vector in VECTORS if "value" in vector and vector["direction"] != "publication"]
    met = {value.get("command") or value["answer"] for value in values}
    known = set(codec.VERBS) | set(forgebus_messages.ANSWERS)
    assert met == known, f"without a vector: {known - met}; not read here: {met - known}"


def test_codes_and_their_retryability_are_those_of_the_document():
    rows = re.findall(r"^\| `([a-z_]+)` \| [^|]+ \| (yes|no) \|", DOCUMENT, re.MULTILINE)
    assert {code for code, retryable in rows if retryable == "yes"} == forgebus_messages.RETRYABLE
    assert {vector["error"] for vector in VECTORS if "error" in vector} <= {code for code, _ in rows}


def test_the_client_knows_which_requests_are_done_once():
    """The ledger of the document, whose words the Swift tests hold against the verbs."""
    kept = re.search(r"keeps a \*\*ledger\*\* of ([^.]+)\.", DOCUMENT)[1]
    assert set(re.findall(r"[A-Z]+", kept)) == forgebus_messages.LEDGERED
    assert forgebus_messages.LEDGERED <= set(codec.VERBS)


def examples():
    """The messages of the document's examples."""
    for block in re.findall(r"^```text\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL):
        for message in re.split(r"^(?=[CSP]: )", block, flags=re.MULTILINE)[1:]:
            first, *rest = message.splitlines()
            yield first[0], [first[3:], *(re.sub(r"^ \| ?", "", line) for line in rest)]


@pytest.mark.parametrize("side, frames", list(examples()))
def test_example_of_the_document_is_a_message(side, frames):
    frames = [frame.encode("utf-8") for frame in frames]
    value = SIDES[side](frames)
    if side == "P":
        assert value["topic"].encode() + b"." == frames[0]
    else:
        assert f"FORGE/1 {value.get('command') or value['answer']}".encode() == frames[0]


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 100_000, '"' * 100_000])
def test_hostile_text_is_refused_and_nothing_worse(text):
    with pytest.raises(codec.Refused) as refused:
        codec.read_request([b"FORGE/1 RUN", b"1", b"feed", b"", text.encode()])
    assert refused.value.code == "bad_body"


@pytest.mark.parametrize(
    "pattern, prefix",
    [(">", ""), ("*.paid", ""), ("orders.>", "orders."), ("orders.*.paid", "orders."), ("orders.42", "orders.42.")],
)
def test_subscription_is_the_tokens_before_the_first_wildcard(pattern, prefix):
    assert codec.subscription(pattern) == prefix
