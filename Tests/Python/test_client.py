"""The Python client against a real worker: what its methods promise, over real sockets."""

import asyncio

import pytest

from forgebus_calls import Call
from forgebus_client import Client
from forgebus_messages import BusError
from loops import asynchronous, waiting_run
from worker import PATIENCE, ROOT, Worker

CONFIGURATION = """
worker: {name: bakery}
monitors:
  stock:
    topics: [stock.>]
    minimum_gap: 0s
    actions:
      - {id: count, run: [sh, -c, "cat >> causes"]}
pipelines:
  greet:
    seeds: {name: {type: string, required: true}}
    outputs: [name, greeting]
    actions:
      - {id: compose, run: [sh, -c, "echo x >> composed; echo '{\\"greeting\\":\\"hello\\"}'"]}
  deploy:
    seeds: {name: {type: string, required: true}}
    outputs: [approve]
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.name}"}}
      - {id: roll-out, run: ["true"]}
"""


@pytest.fixture
def worker(directory):
    worker = Worker(directory, CONFIGURATION)
    try:
        yield worker
    finally:
        worker.stop()


@asynchronous
async def test_notify_is_accepted_and_with_wait_tells_what_the_monitors_did(worker):
    async with Client(worker.endpoint) as client:
        accepted = await client.notify("stock.apples", {"left": 3})
        assert (accepted["answer"], accepted["monitors"], accepted["durability"]) == ("ACCEPTED", 1, "memory")
        assert (await client.notify("weather"))["monitors"] == 0

        evaluated = await client.notify("stock.pears", b"any bytes", wait=True, deadline=PATIENCE)
        (stock,) = evaluated["monitors"]
        assert (stock["monitor"], stock["state"], evaluated["pending"]) == ("stock", "ran", [])
        assert [action["result"] for action in stock["actions"]] == ["completed"]
        assert "any bytes" in (worker.directory / "causes").read_text()


@asynchronous
async def test_run_tells_its_progress_and_its_result(worker):
    told = []
    async with Client(worker.endpoint) as client:
        result = await client.run("greet", {"name": "Ada"}, deadline=PATIENCE, on_progress=told.append)
    assert (result["state"], result["outputs"]) == ("completed", {"name": "Ada", "greeting": "hello"})
    assert [answer.get("state", "accepted") for answer in told] == ["accepted", "started", "finished"]
    assert {answer["run"] for answer in told} == {result["run"]}


@asynchronous
async def test_a_decision_from_another_connection_lets_a_run_go_on(worker):
    async with Client(worker.endpoint) as requester, Client(worker.endpoint) as approver:
        async with waiting_run(requester, "a") as (run, told):
            assert told[-1]["signal"] == "deploy.a"
            verdict = await approver.complete("deploy.a", {"by": "ada"})
            assert (verdict["verdict"], verdict["signal"]) == ("delivered", "deploy.a")
            assert (await run)["outputs"] == {"approve": {"by": "ada"}}
        async with waiting_run(requester, "b") as (run, _):
            assert (await approver.reject("deploy.b", "not on a Friday"))["verdict"] == "delivered"
            result = await run
            assert result["state"] == "failed"
            assert [action["result"] for action in result["actions"]] == ["failed", "skipped"]


@asynchronous
async def test_the_same_request_again_is_done_once_and_its_answer_is_replayed(worker):
    async with Client(worker.endpoint) as client:
        first = await client.run("greet", {"name": "Ada"}, id="r-1")
        again = await client.run("greet", {"name": "Ada"}, id="r-1")
        assert again == {**first, "replayed": True}
    async with Client(worker.endpoint) as another:
        assert await another.run("greet", {"name": "Ada"}, id="r-1") == again
    # On a connection of its own: on that one a copy that was sent again may still be answered under the same id.
    async with Client(worker.endpoint) as third:
        with pytest.raises(BusError) as conflict:
            await third.run("greet", {"name": "Bob"}, id="r-1")
    assert (worker.directory / "composed").read_text() == "x\n"
    assert (conflict.value.code, conflict.value.details) == ("id_conflict", {"run": first["run"]})


@asynchronous
async def test_a_label_is_part_of_what_makes_two_requests_the_same(worker):
    async with Client(worker.endpoint, source="a") as one, Client(worker.endpoint, source="b") as other:
        first = await one.run("greet", {"name": "Ada"}, id="r-1")
        second = await other.run("greet", {"name": "Bob"}, id="r-1")
    assert first["run"] != second["run"]


@asynchronous
async def test_attach_tells_the_state_now_and_the_result_when_it_comes(worker):
    async with Client(worker.endpoint) as requester, Client(worker.endpoint) as other:
        async with waiting_run(requester, "a") as (run, told):
            id, seen, is_known = told[0]["run"], [], asyncio.Event()

            def on_progress(answer):
                seen.append(answer)
                is_known.set()

            state = await other.attach(id, wait=0)
            assert (state["answer"], state["state"]) == ("OK", "waiting")
            attached = asyncio.create_task(other.attach(id, on_progress=on_progress))
            # One connection is served in order, once the other task has sent.
            await asyncio.sleep(0)
            await other.ping()
            await requester.complete("deploy.a")
            result = await attached
            assert {**result, "id": None} == {**(await run), "id": None}
            await is_known.wait()
            assert [answer["state"] for answer in seen][0] == "resumed"
        assert (await other.attach(id))["state"] == "completed"
        with pytest.raises(BusError) as unknown:
            await other.attach("run-of-nobody")
        assert unknown.value.code == "unknown_run"


@asynchronous
async def test_cancel_ends_a_run_that_waits(worker):
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a") as (run, told):
            answer = await client.cancel(told[0]["run"], "wrong version")
            assert (answer["answer"], answer["run"]) == ("OK", told[0]["run"])
            assert (await run)["state"] == "cancelled"


@asynchronous
async def test_list_goes_from_page_to_page_and_show_tells_one_item(worker):
    async with Client(worker.endpoint) as client:
        runs = [client.run("greet", {"name": str(number)}) for number in range(501)]
        results = await asyncio.gather(*runs)
        listed = await client.list("runs")
        assert sorted(item["run"] for item in listed) == sorted(result["run"] for result in results)
        shown = await client.show(f"run/{results[7]['run']}")
        assert (shown["pipeline"], shown["state"]) == ("greet", "completed")
        with pytest.raises(BusError) as unknown:
            await client.show("signal/deploy.nobody")
        assert unknown.value.code == "unknown_signal"


@asynchronous
async def test_many_requests_share_one_connection_and_each_gets_its_own_answers(worker):
    async with Client(worker.endpoint) as client:
        names = [str(number) for number in range(200)]
        results = await asyncio.gather(*(client.run("greet", {"name": name}) for name in names))
    assert [result["outputs"]["name"] for result in results] == names


@asynchronous
async def test_watch_tells_what_happens_from_when_it_began(worker):
    async with Client(worker.endpoint) as client:
        async with client.watch("run.deploy.>") as events:
            assert (await client.reject("deploy.a", "no", keep=PATIENCE))["verdict"] == "buffered"
            result = await client.run("deploy", {"name": "a"})
            states = []
            async for event in events:
                assert (event["subject"], event["lost"]) == (f"run.deploy.{result['run']}", 0)
                states.append(event["body"]["state"])
                if states[-1] == "failed":
                    break
        assert states[0] == "queued"
        assert (await client.ping())["state"] == "ready"


@asynchronous
async def test_watch_gives_credit_as_it_is_read_so_that_nothing_is_lost(worker):
    async with Client(worker.endpoint) as client:
        async with client.watch("run.>", credit=10) as events:
            for _ in range(10):
                result = await client.run("greet", {"name": "Ada"})
                told = [await anext(events) for _ in range(3)]
                assert [event["body"]["state"] for event in told] == ["queued", "running", "completed"]
                assert {event["subject"] for event in told} == {f"run.greet.{result['run']}"}
                assert {event["lost"] for event in told} == {0}


@asynchronous
async def test_watch_with_little_credit_goes_on_and_tells_of_its_gaps(worker):
    async with Client(worker.endpoint) as client:
        async with client.watch("run.>", credit=2) as events:
            count = lost = 0
            for _ in range(20):
                result = await client.run("greet", {"name": "Ada"})
            last = await client.run("greet", {"name": "Bob"}, id="last")
            assert result["state"] == last["state"] == "completed"
            marker = asyncio.create_task(_runs_until_cancelled(client))
            async for event in events:
                count, lost = count + 1, lost + event["lost"]
                if count > 10:
                    break
            marker.cancel()
    assert lost > 0, "two events of credit hold no twenty runs"


async def _runs_until_cancelled(client):
    while True:
        await client.run("greet", {"name": "again"})


@asynchronous
async def test_a_watch_that_may_not_be_is_an_error(worker):
    async with Client(worker.endpoint) as client:
        with pytest.raises(BusError) as refused:
            async with client.watch("run.>.x") as events:
                await anext(events)
    assert refused.value.code == "bad_pattern"


@asynchronous
async def test_ping_brings_back_what_was_sent(worker):
    async with Client(worker.endpoint) as client:
        pong = await client.ping(b"\x00\xff")
    assert (pong["worker"], pong["state"], pong["body"]) == ("bakery", "ready", b"\x00\xff")


@asynchronous
async def test_any_other_command_can_be_asked(worker):
    async with Client(worker.endpoint) as client:
        welcome = await client.ask("HELLO")
        assert (welcome["worker"], welcome["versions"]) == ("bakery", [1])
        accepted = await client.ask("RUN", "greet", {"reply": "accepted"}, {"name": "Ada"})
        assert accepted["answer"] == "ACCEPTED"
        assert (await client.attach(accepted["run"]))["state"] == "completed"
        with pytest.raises(BusError) as refused:
            await client.ask("REDRIVE", accepted["run"])
        assert refused.value.code == "not_parked"


@asynchronous
async def test_what_the_worker_refuses_is_an_error_with_a_code_a_cause_and_a_next_move(worker):
    async with Client(worker.endpoint) as client:
        with pytest.raises(BusError) as refused:
            await client.run("greet", {"nmae": "Ada"}, id="r-1")
        error = refused.value
        assert (error.code, error.retryable, error.id) == ("bad_seed", False, "r-1")
        assert "name" in error.cause and error.next and error.code in str(error)
        # A refusal leaves no trace.
        assert (await client.run("greet", {"name": "Ada"}, id="r-1"))["state"] == "completed"


@pytest.fixture
def forgetful_worker(directory):
    worker = Worker(directory, CONFIGURATION, store="memory")
    try:
        yield worker
    finally:
        worker.stop()


@asynchronous
async def test_a_worker_that_crashed_and_forgot_all_gets_the_request_again(forgetful_worker):
    worker = forgetful_worker
    async with Client(worker.endpoint) as client:
        async with waiting_run(client, "a", id="r-1") as (run, told):
            worker.kill()
            worker.start()
            # The worker has no run but the one that the client sent again, by itself, under its id.
            while not await client.list("signals"):
                pass
            assert (await client.complete("deploy.a", 1))["verdict"] == "delivered"
            assert (await run)["outputs"] == {"approve": 1}
    runs = [answer["run"] for answer in told if answer["answer"] == "ACCEPTED"]
    assert len(runs) == 2 and runs[0] != runs[1]
    assert {answer["id"] for answer in told} == {"r-1"}


@asynchronous
async def test_twenty_thousand_requests_at_once_are_all_answered_and_none_is_too_much(worker, monkeypatch):
    refused = []
    monkeypatch.setattr(Call, "_refused", lambda call, error, now: refused.append(error))
    async with Client(worker.endpoint, patience=PATIENCE) as client:
        requests = [client.notify("weather") if number % 2 else client.ping() for number in range(20_000)]
        answers = await asyncio.gather(*requests)
    assert {answer["answer"] for answer in answers} == {"ACCEPTED", "PONG"}
    assert refused == []


@pytest.mark.parametrize("file", ["forgebus_client.py", "forgebus_calls.py", "forgebus_messages.py"])
def test_the_client_is_short(file):
    assert len((ROOT / "examples" / "python" / file).read_text().splitlines()) < 300
