"""Five voters with keys of their own race for a gate that needs three: exactly one vote decides it, across kills too."""

import asyncio
import contextlib
import os
import random

import pytest

from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous
from worker import Worker, keyed

VOTERS = ("ada", "ben", "carl", "dora", "eve")
RACES = 1_000 if os.environ.get("FORGE_FULL") else 100
CONFIGURATION = """
pipelines:
  deploy:
    seeds: {name: {type: string, required: true}}
    outputs: [approve]
    actions:
      - id: approve
        gate:
          signal: "deploy.{seed.name}"
          approvals: 3
          rejections: 3
          allowed: [{group: release}]
  ticket:
    seeds: {name: {type: string, required: true}}
    outputs: [approve]
    actions:
      - id: approve
        gate:
          signal: "ticket.{seed.name}"
          allowed: [ada, ben]
          value: {ticket: {type: string, required: true}, note: {type: string}}
"""
ACCESS = "groups: {{release: [ada, ben, carl, dora, eve]}}\nprincipals:\n" + "".join(
    f'  {name}: {{keys: ["{{{name}}}"], run: [">"], complete: [">"], read: [">"]}}\n' for name in VOTERS
).replace("{keys", "{{keys").replace("]}\n", "]}}\n")


@pytest.fixture
def served(directory):
    arguments, curves = keyed(directory, ACCESS, *VOTERS)
    worker = Worker(directory, CONFIGURATION, arguments=arguments)
    try:
        yield worker, {name: tuple(key.decode() for key in curve) for name, curve in curves.items()}
    finally:
        worker.stop()


async def connected(stack, worker, curves):
    """A client for each voter."""
    return {name: await stack.enter_async_context(Client(worker.endpoint, curve=curves[name])) for name in VOTERS}


async def begin(client, pipeline, name):
    """Begins a run that waits at its gate."""
    accepted = await client.ask("RUN", pipeline, {"reply": "accepted"}, {"name": name}, id=f"run-{name}")
    while (await client.show(f"run/{accepted['run']}"))["state"] != "waiting":
        await asyncio.sleep(0)
    return accepted["run"]


def ballots(number, chance):
    """What each voter sends in a race, under which id, in a random order."""
    cast = []
    for name in VOTERS:
        is_approval = chance.random() < 0.7
        cast.append((name, is_approval, f"vote-{number}"))
    chance.shuffle(cast)
    return cast


async def vote(client, gate, is_approval, id):
    if is_approval:
        return await client.complete(gate, {"by": id}, id=id)
    return await client.reject(gate, "no", id=id)


@pytest.mark.row(17)
@pytest.mark.row(24)
@asynchronous
async def test_a_thousand_races_of_five_voters_for_three(served, score):
    worker, curves = served
    chance = random.Random(5)
    told, runs = {}, {}
    async with contextlib.AsyncExitStack() as stack:
        clients = await connected(stack, worker, curves)
        for number in range(RACES):
            gate = f"deploy.g{number}"
            runs[number] = await begin(clients["ada"], "deploy", f"g{number}")
            cast = ballots(number, chance)
            verdicts = await asyncio.gather(*(vote(clients[name], gate, yes, id) for name, yes, id in cast))
            told[number] = {name: (yes, verdict) for (name, yes, _), verdict in zip(cast, verdicts)}
        for number, votes in told.items():
            await check(clients["ada"], number, runs[number], votes)
    worker.kill()
    worker.start()
    async with contextlib.AsyncExitStack() as stack:
        clients = await connected(stack, worker, curves)
        for number, votes in told.items():
            for name, (yes, verdict) in votes.items():
                again = await vote(clients[name], f"deploy.g{number}", yes, f"vote-{number}")
                assert again["verdict"] == verdict["verdict"], (number, name)
            await check(clients["ada"], number, runs[number], votes)
    score.take(RACES)


async def check(reader, number, run, votes):
    """One vote decided, each other got an exact verdict, and the gate has what was counted."""
    words = {name: verdict["verdict"] for name, (_, verdict) in votes.items()}
    assert sorted(words.values()).count("delivered") == 1, words
    assert set(words.values()) <= {"delivered", "counted", "duplicate", "conflict"}, words
    decider = next(name for name, word in words.items() if word == "delivered")
    gate = await reader.show(f"signal/deploy.g{number}")
    decision = "approved" if votes[decider][0] else "rejected"
    assert (gate["state"], gate["by"]) == (decision, decider)
    counted = {vote["by"] for vote in gate["votes"]}
    assert len(counted) == len(gate["votes"])
    assert counted == {name for name, word in words.items() if word in ("delivered", "counted")}
    assert sum(vote["decision"] == decision for vote in gate["votes"]) == 3
    for name, word in words.items():
        if word in ("duplicate", "conflict"):
            assert (word == "duplicate") == (votes[name][0] == votes[decider][0]), (name, words)


@asynchronous
async def test_a_vote_is_taken_back_and_cast_again_after_a_kill(served):
    worker, curves = served
    async with Client(worker.endpoint, curve=curves["ada"]) as ada, Client(worker.endpoint, curve=curves["ben"]) as ben:
        await begin(ada, "deploy", "w")
        assert (await ada.complete("deploy.w", {"t": 1}, id="a"))["verdict"] == "counted"
        assert (await ben.reject("deploy.w", "no", id="b"))["verdict"] == "counted"
        worker.kill()
        worker.start()
        assert (await ada.complete("deploy.w", {"t": 2}, id="a2"))["verdict"] == "conflict"
        gate = await ada.show("signal/deploy.w")
        assert [(vote["by"], vote["decision"]) for vote in gate["votes"]] == [("ada", "approved"), ("ben", "rejected")]
        assert gate["you"] == "voted" and sorted(gate["may_decide"]) == ["carl", "dora", "eve"]
        assert (await ada.withdraw("deploy.w", id="w"))["state"] == "withdrawn"
        assert (await ada.complete("deploy.w", {"t": 1}, id="a"))["verdict"] == "counted", "repeated, and cast no more"
        assert [vote["by"] for vote in (await ada.show("signal/deploy.w"))["votes"]] == ["ben"]
        assert (await ada.complete("deploy.w", {"t": 2}, id="a3"))["have"] == 1


@asynchronous
async def test_a_value_that_the_gate_does_not_expect_is_refused_and_decides_nothing(served):
    worker, curves = served
    async with Client(worker.endpoint, curve=curves["ada"]) as ada:
        run = await begin(ada, "ticket", "t")
        for value in (None, {"note": "ok"}, {"ticket": 7}, {"ticket": "T-1", "notes": "x"}, [1]):
            with pytest.raises(BusError) as refused:
                await ada.complete("ticket.t", value)
            assert refused.value.code == "bad_value" and not refused.value.retryable
        assert (await ada.show("signal/ticket.t"))["state"] == "waiting"
        assert (await ada.complete("ticket.t", {"ticket": "T-1"}))["verdict"] == "delivered"
        assert (await ada.attach(run))["outputs"]["approve"] == {"ticket": "T-1"}
