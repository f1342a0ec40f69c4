"""The table of verdicts of Protocol.md, row by row, as a Python client learns them: before, during and after the wait.

Gates alone, which is what a file can define. Rows that need more are tested in Swift: `counted` and `forbidden`, which
need principals and so keys; and the plain signal of an action in Swift, which no file has, and which takes no rejection.
"""

import asyncio
import re
from unittest.mock import ANY

import pytest

from forgebus_client import Client
from forgebus_messages import VERDICTS, BusError
from loops import asynchronous, waiting_run
from worker import ROOT, Worker

CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string, required: true}}
    outputs: [approve]
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
      - {id: roll-out, run: ["true"]}
  hurry:
    seeds: {name: {type: string, required: true}}
    actions:
      - {id: approve, gate: {signal: "hurry.{seed.name}", deadline: 1ms}}
"""
HOUR, DAY = 3600, 24 * 3600
IN_SWIFT = {"counted", "forbidden"}


@pytest.fixture
def worker(directory):
    worker = Worker(directory, CONFIGURATION)
    try:
        yield worker
    finally:
        worker.stop()


async def outcome(answer):
    """A verdict, and what belongs to it."""
    verdict = await answer
    members = {}
    for key in VERDICTS[verdict["verdict"]]:
        name = key.rstrip("?")
        if name != "at_ms" and (name == key or name in verdict):
            members[name] = verdict[name]
    return verdict["verdict"], members


STANDS_APPROVED = ("conflict", {"standing": "approved", "by": "local"})
STANDS_REJECTED = ("conflict", {"standing": "rejected", "by": "local"})
UNKNOWN = ("unknown", {"why": ANY})


# Before the wait. Each row is a decision after those that came first and are kept, and its verdict.
APPROVAL, REJECTION = ("complete", {"by": "ada"}), ("reject", "no")
BEFORE = [
    ("an approval that nobody asked to keep is not kept", [], APPROVAL, {}, UNKNOWN),
    ("a rejection that nobody asked to keep is not kept", [], REJECTION, {}, UNKNOWN),
    ("an approval is kept as long as asked", [], APPROVAL, {"keep": 60}, ("buffered", {"keep_ms": 60_000})),
    ("a rejection is kept as long as asked", [], REJECTION, {"keep": DAY}, ("buffered", {"keep_ms": DAY * 1000})),
    ("one that is not to be kept is not", [], APPROVAL, {"keep": 0}, UNKNOWN),
    ("a rejection that is not to be kept is not", [], REJECTION, {"keep": 0}, UNKNOWN),
    ("the same approval is kept already", [APPROVAL], APPROVAL, {}, ("duplicate", {})),
    ("the same rejection is kept already", [REJECTION], REJECTION, {}, ("duplicate", {})),
    ("the same approval is not kept longer", [APPROVAL], APPROVAL, {"keep": DAY}, ("duplicate", {})),
    ("another value is another decision", [APPROVAL], ("complete", {"by": "bob"}), {}, STANDS_APPROVED),
    ("another reason is another decision", [REJECTION], ("reject", "never"), {}, STANDS_REJECTED),
    ("a rejection after an approval", [APPROVAL], REJECTION, {}, STANDS_APPROVED),
    ("an approval after a rejection", [REJECTION], APPROVAL, {}, STANDS_REJECTED),
]


@pytest.mark.parametrize("row", BEFORE, ids=[row[0] for row in BEFORE])
@asynchronous
async def test_before_the_wait(worker, row):
    _, first, decision, options, expected = row
    async with Client(worker.endpoint) as client:
        for verb, content in first:
            assert (await outcome(getattr(client, verb)("deploy.a", content, keep=HOUR)))[0] == "buffered"
        verb, content = decision
        assert await outcome(getattr(client, verb)("deploy.a", content, **options)) == expected


@asynchronous
async def test_what_no_gate_of_the_file_can_have_is_unknown(worker):
    async with Client(worker.endpoint) as client:
        for keep in (None, HOUR):
            assert await outcome(client.complete("no.such.gate", keep=keep)) == UNKNOWN
            assert await outcome(client.reject("no.such.gate", keep=keep)) == UNKNOWN


@asynchronous
async def test_an_approval_that_nobody_asked_to_keep_opens_no_gate_and_its_sender_learns_why(worker):
    async with Client(worker.endpoint) as client:
        first = await client.complete("deploy.a", id="d-1")
        assert (first["verdict"], first["durability"]) == ("unknown", "fsynced")
        assert first["why"].startswith("No gate waits under deploy.a now.") and "keep_ms" in first["why"]
        assert await client.list("early") == []
        async with waiting_run(client, "a") as (run, _):
            # The same message again gets its verdict again, although the gate waits now.
            assert await client.complete("deploy.a", id="d-1") == {**first, "replayed": True}
            assert await outcome(client.complete("deploy.a")) == ("delivered", {})
            assert (await run)["state"] == "completed"


@asynchronous
async def test_a_day_that_was_asked_for_is_not_the_same_as_no_time(worker):
    async with Client(worker.endpoint) as client:
        assert await outcome(client.complete("deploy.a", id="d-1")) == UNKNOWN
        with pytest.raises(BusError) as conflict:
            await client.complete("deploy.a", keep=DAY, id="d-1")
        assert conflict.value.code == "id_conflict"


@pytest.mark.parametrize("verb, content, state", [(*APPROVAL, "completed"), (*REJECTION, "failed")])
@asynchronous
async def test_an_early_decision_decides_the_gate_when_it_opens_and_stands_then(worker, verb, content, state):
    async with Client(worker.endpoint) as client:
        early = await getattr(client, verb)("deploy.a", content, keep=HOUR, id="d-1")
        assert early["verdict"] == "buffered"
        word = "approved" if state == "completed" else "rejected"
        (kept,) = await client.list("early")
        (decision,) = kept["decisions"]
        assert (kept["signal"], decision["decision"], decision["by"]) == ("deploy.a", word, "local")
        # Two clocks tell these times, so they may be a little apart.
        assert decision["asked"] is True and abs(decision["until_ms"] - decision["at_ms"] - HOUR * 1000) < 1000
        shown = await client.show("signal/deploy.a")
        assert shown["state"] == "buffered"
        assert [early["at_ms"] for early in shown["decisions"]] == [decision["at_ms"]]

        result = await client.run("deploy", {"name": "a"})
        assert (result["state"], result["outputs"]) == (state, {"approve": content} if state == "completed" else {})
        assert await client.list("early") == []
        (used,) = [entry for entry in await history(client, result["run"]) if entry["event"] == "decided_early"]
        assert (used["signal"], used["principal"], used["decision"]) == ("deploy.a", "local", word)
        assert used["sent_at_ms"] == decision["at_ms"]
        assert await getattr(client, verb)("deploy.a", content, keep=HOUR, id="d-1") == {**early, "replayed": True}
        assert await outcome(getattr(client, verb)("deploy.a", content)) == ("duplicate", {})


async def history(client, name):
    return (await client.show(f"history/{name}"))["entries"]


@asynchronous
async def test_an_early_approval_that_was_withdrawn_opens_no_gate(worker):
    async with Client(worker.endpoint) as client:
        assert (await client.withdraw("deploy.a"))["state"] == "nothing"
        early = await client.complete("deploy.a", keep=HOUR, id="d-1")
        assert early["verdict"] == "buffered"
        withdrawn = await client.withdraw("deploy.a", id="w-1")
        assert (withdrawn["state"], withdrawn["durability"]) == ("withdrawn", "fsynced")
        assert await client.withdraw("deploy.a", id="w-1") == {**withdrawn, "replayed": True}
        assert (await client.withdraw("deploy.a"))["state"] == "nothing"
        # The withdrawn message again gets its old verdict, and is not kept again.
        assert await client.complete("deploy.a", keep=HOUR, id="d-1") == {**early, "replayed": True}
        assert await client.list("early") == []
        async with waiting_run(client, "a") as (run, _):
            assert (await client.withdraw("deploy.a"))["state"] == "nothing"
            assert await outcome(client.complete("deploy.a")) == ("delivered", {})
            assert (await run)["state"] == "completed"
        assert (await client.withdraw("deploy.a"))["state"] == "decided"


@asynchronous
async def test_after_a_withdrawal_another_decision_is_kept(worker):
    async with Client(worker.endpoint) as client:
        assert (await client.complete("deploy.a", keep=HOUR))["verdict"] == "buffered"
        assert (await client.withdraw("deploy.a"))["state"] == "withdrawn"
        assert (await client.reject("deploy.a", "no", keep=HOUR))["verdict"] == "buffered"
        assert (await client.run("deploy", {"name": "a"}))["state"] == "failed"


# During the wait.


@pytest.mark.parametrize(
    "verb, content, state", [(*APPROVAL, "completed"), ("complete", b"", "completed"), (*REJECTION, "failed")]
)
@asynchronous
async def test_during_the_wait_a_decision_is_delivered_and_replayed_to_the_same_message(worker, verb, content, state):
    async with Client(worker.endpoint) as requester, Client(worker.endpoint) as approver:
        async with waiting_run(requester, "a") as (run, _):
            first = await getattr(approver, verb)("deploy.a", content, id="d-1")
            assert (first["verdict"], first["durability"]) == ("delivered", "fsynced")
            # The same message, from anybody who is the same principal: never another decision, never another verdict.
            assert await getattr(requester, verb)("deploy.a", content, id="d-1") == {**first, "replayed": True}
            with pytest.raises(BusError) as conflict:
                await approver.complete("deploy.a", "other", id="d-1")
            assert conflict.value.code == "id_conflict"
            assert (await run)["state"] == state


@pytest.mark.row(17)
@asynchronous
async def test_of_two_that_decide_at_once_one_is_delivered_and_the_other_learns_what_stands(worker, score):
    async with Client(worker.endpoint) as requester, Client(worker.endpoint) as ada, Client(worker.endpoint) as bob:
        score.take(50)
        for number in range(50):
            signal = f"deploy.r-{number}"
            async with waiting_run(requester, f"r-{number}") as (run, _):
                verdicts = await asyncio.gather(outcome(ada.complete(signal)), outcome(bob.reject(signal)))
                is_approved = verdicts[0][0] == "delivered"
                expected = [("delivered", {}), STANDS_APPROVED] if is_approved else [STANDS_REJECTED, ("delivered", {})]
                assert verdicts == expected
                assert (await run)["state"] == ("completed" if is_approved else "failed")


# After the wait.

AFTER = [
    ("the same approval", APPROVAL, APPROVAL, ("duplicate", {})),
    ("the same rejection", REJECTION, REJECTION, ("duplicate", {})),
    ("another value", APPROVAL, ("complete", {"by": "bob"}), STANDS_APPROVED),
    ("another reason", REJECTION, ("reject", "never"), STANDS_REJECTED),
    ("a rejection after an approval", APPROVAL, REJECTION, STANDS_APPROVED),
    ("an approval after a rejection", REJECTION, APPROVAL, STANDS_REJECTED),
]


@pytest.mark.parametrize("row", AFTER, ids=[row[0] for row in AFTER])
@asynchronous
async def test_after_the_wait(worker, row):
    _, first, decision, expected = row
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a") as (run, _):
            assert await outcome(getattr(client, first[0])("deploy.a", first[1])) == ("delivered", {})
            await run
        assert await outcome(getattr(client, decision[0])("deploy.a", decision[1])) == expected


@asynchronous
async def test_after_the_deadline_of_a_gate_every_decision_is_expired(worker):
    async with Client(worker.endpoint) as client:
        assert (await client.run("hurry", {"name": "a"}))["state"] == "failed"
        assert await outcome(client.complete("hurry.a")) == ("expired", {})
        assert await outcome(client.reject("hurry.a")) == ("expired", {})


@asynchronous
async def test_a_gate_whose_run_was_cancelled_is_closed(worker):
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a") as (run, told):
            await client.cancel(told[0]["run"])
            assert (await run)["state"] == "cancelled"
        for decision in (client.complete("deploy.a"), client.reject("deploy.a")):
            word, more = await outcome(decision)
            assert word == "closed" and more["why"]


@asynchronous
async def test_a_gate_whose_run_ran_out_of_time_is_closed(worker):
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a", deadline=8) as (run, _):
            assert (await run)["state"] == "timed_out"
        word, more = await outcome(client.complete("deploy.a"))
        assert word == "closed" and more["why"]


def test_every_row_of_the_document_is_met_here_or_named_as_one_of_swift():
    document = (ROOT / "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/Protocol.md").read_text()
    (table,) = re.findall(r"^\| verdict \| when \|\n\|---\|---\|\n((?:\|.*\n)+)", document, re.MULTILINE)
    words = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert words == set(VERDICTS), "the client knows all of them, and no other"
    met = {row[-1][0] for row in BEFORE + AFTER} | {"delivered", "expired", "closed"}
    assert met == words - IN_SWIFT
