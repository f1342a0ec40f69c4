"""When the Python client sends a request again, and when it gives it up: its decisions, without sockets and clocks."""

import math

from forgebus_calls import Call, Window
from forgebus_messages import BusError, read_answer, write_json

TAKEN = {"durability": "memory", "retention_ms": 60_000}


def call(command, patience=1000):
    return Call(command, "feed", {}, b"", None, patience)


def answer(word, run="run-1", **attributes):
    return read_answer([f"FORGE/1 {word}".encode(), b"1", run.encode(), write_json(attributes), b""])


def test_after_half_the_time_for_which_its_answer_is_kept_a_request_is_not_sent_again():
    run, notification = call("RUN"), call("NOTIFY")
    assert run.safe_until == math.inf
    start = run.due
    run.sent(start)
    assert run.safe_until == start + 30, "until the worker says how long, it is taken for 60 s"
    run.received(answer("ACCEPTED", durability="fsynced", retention_ms=1_000), start + 10)
    assert run.safe_until == start + 10.5
    notification.sent(start)
    assert notification.safe_until == math.inf, "it has its effect again without harm"


def test_the_pauses_grow_and_have_chance_in_them():
    request, pauses, now = call("RUN"), [], 0.0
    for _ in range(12):
        request.sent(now)
        pauses.append(request.due - now)
        now = request.due
    for pause, most in zip(pauses, [1, 2, 4, *[6] * 9]):
        assert most / 2 <= pause <= most, "up to a tenth of the time for which the answer is kept"
    assert len(set(pauses)) == len(pauses)


def test_the_pauses_after_refusals_grow_from_a_tenth_of_a_second_to_five():
    request, longest = call("RUN"), 0
    for number in range(200):
        request.received(refusal(), 0.0)
        assert request.due <= min(0.1 * 2**number, 5)
        longest = max(longest, request.due)
    assert longest > 4


def refusal(**more):
    return answer("ERROR", code="busy", message="", next="", **more)


def test_a_refusal_is_no_longer_the_reason_once_the_request_was_sent_again():
    request = call("RUN", patience=10)
    start = request.due
    request.sent(start)
    request.received(refusal(), start + 1)
    assert (request.failure().code, request.ends(math.inf)) == ("busy", start + 10)
    request.sent(start + 2)
    assert request.failure().code == "timeout", "what became of it the second time is unknown"


def test_what_was_taken_and_is_refused_now_is_waited_for_anew():
    request = call("RUN", patience=10)
    start = request.due
    request.sent(start)
    request.received(answer("ACCEPTED", **TAKEN), start + 1)
    request.received(refusal(), start + 100)
    assert request.ends(0) == start + 110


def test_a_new_connection_has_a_request_sent_at_once_unless_it_was_told_to_wait():
    request = call("RUN")
    request.sent(0.0)
    request.received(None, 0.1)
    assert request.due == 0.1
    request.received(refusal(retry_after_ms=60_000), 0.2)
    request.received(None, 0.3)
    assert request.due >= 60


def test_another_run_under_the_same_id_counts_its_changes_anew():
    request = call("RUN")
    change = {"state": "started", "action": "a"}
    assert request.received(answer("ACCEPTED", **TAKEN), 0.0)
    assert request.received(answer("PROGRESS", sequence=5, **change), 0.0)
    assert request.received(answer("ACCEPTED", **TAKEN, replayed=True), 0.0) is None
    assert request.received(answer("PROGRESS", sequence=5, **change), 0.0) is None
    assert request.received(answer("ACCEPTED", run="run-2", **TAKEN), 0.0)
    assert request.received(answer("PROGRESS", run="run-2", sequence=1, **change), 0.0)


def test_after_an_answer_the_pauses_after_refusals_begin_anew():
    request = call("RUN")
    for _ in range(10):
        request.received(refusal(), 0.0)
    request.received(answer("ACCEPTED", **TAKEN), 0.0)
    request.received(refusal(), 0.0)
    assert request.due <= 0.1


ASSUMED = Window.ASSUMED - Window.RESERVE


def fill(window, name="r"):
    """Sends as many as it admits, and tells how many those were."""
    for number in range(10_000):
        if not window.admits(f"{name}-{number}".encode()):
            return number
        window.sent(f"{name}-{number}".encode())
    return 10_000


def welcome(**limits):
    more = {"versions": [1], "durability": "memory", "retention_ms": 1, "limits": limits}
    return answer("WELCOME", run="", worker="w", state="ready", **more)


def test_a_window_admits_what_it_assumes_and_then_what_the_worker_tells():
    for tells, room in [(4096, 4088), (300, 292), (3, 1), (None, 10_000)]:
        window = Window()
        assert fill(window) == ASSUMED
        assert fill(window, "s") == 0
        window.heard(window.hello[1], welcome(outstanding=tells) if tells else welcome())
        for number in range(ASSUMED):
            window.ended(f"r-{number}".encode())
        assert fill(window, "t") == room


def test_a_worker_that_knows_no_hello_has_no_number_and_one_that_is_busy_has_told_none():
    for code, room in [("unknown_command", 10_000), ("busy", ASSUMED)]:
        window = Window()
        window.heard(b"another", answer("ERROR", code="unknown_command", message="", next=""))
        window.heard(window.hello[1], answer("ERROR", code=code, message="", next=""))
        assert fill(window) == room


def test_a_request_leaves_the_window_with_its_first_answer():
    taken, started = answer("ACCEPTED", **TAKEN), answer("PROGRESS", sequence=1, state="started", action="a")
    for heard, is_first in [(taken, True), (refusal(), True), (BusError("bad_answer", "", ""), True), (started, False)]:
        window = Window()
        window.sent(b"1")
        window.heard(b"1", heard)
        assert (b"1" in window) != is_first


def test_what_is_sent_again_counts_once_and_does_not_wait_for_room():
    window = Window()
    window.sent(b"1")
    assert fill(window) == ASSUMED - 1 and window.admits(b"1")
    window.sent(b"1")
    window.ended(b"1")
    assert fill(window, "s") == 1


def test_what_is_answered_when_it_is_over_has_no_place_in_the_window():
    def attach(**attributes):
        return Call("ATTACH", "run-1", attributes, b"", None, 1)

    assert not attach().is_counted and not attach(wait_ms=1).is_counted
    assert attach(wait_ms=0).is_counted and call("RUN").is_counted
