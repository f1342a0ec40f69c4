"""Runs the Python examples as they stand, each in a process of its own, against a real worker."""

import ast
import json
import re
import subprocess
import sys

import pytest

from worker import PATIENCE, ROOT, Worker

EXAMPLES = ROOT / "examples" / "python"


class Demonstration(Worker):
    """The built-in demonstration, and the examples run against it."""

    def __init__(self, directory):
        super().__init__(directory)
        (self.files,) = directory.glob("forgebus-demonstration-*")

    def begin(self, example, *arguments):
        """Starts an example."""
        command = [sys.executable, "-u", EXAMPLES / example, self.endpoint, *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, example, *arguments):
        """Runs an example to its end: its exit status, and the lines of its output and its errors."""
        return end(self.begin(example, *arguments))


def end(process):
    output, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, output.splitlines(), errors.splitlines()


@pytest.fixture
def worker(directory):
    worker = Demonstration(directory)
    try:
        yield worker
    finally:
        worker.stop()


def test_notify_tells_what_the_monitors_did(worker):
    shelf = worker.files / "shelf"
    status, output, errors = worker.run("notify.py", "stock.apples.sold")
    assert (status, errors) == (0, [])
    assert output == ["accepted, 1 monitor(s) follow", "stock ran ['restock']"]
    # The evaluation at start comes by itself within a while: before, as a cycle of its own, or covered by this one.
    assert shelf.read_text().splitlines() in (["apple"], ["apple", "apple"])

    shelf.write_text("pear\n" * 5)
    assert worker.run("notify.py", "stock.pears")[1] == ["accepted, 1 monitor(s) follow", "stock ran []"]
    assert shelf.read_text() == "pear\n" * 5


def test_notify_fails_with_a_monitor_that_fails(directory):
    failing = "monitors: {stock: {topics: [stock.>], actions: [{id: restock, run: ['false']}]}}\n"
    worker = Worker(directory, failing)
    try:
        command = [sys.executable, EXAMPLES / "notify.py", worker.endpoint, "stock.apples"]
        status, output, errors = end(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    finally:
        worker.stop()
    assert (status, errors) == (1, [])
    assert output == ["accepted, 1 monitor(s) follow", "stock failed ['restock']"]


def test_notify_of_what_nobody_follows_ends_well(worker):
    assert worker.run("notify.py", "weather") == (0, ["accepted, 0 monitor(s) follow"], [])


def test_run_seeds_a_pipeline_and_prints_its_outputs(worker):
    status, output, errors = worker.run("run.py", "greet", '{"name": "Ada"}')
    assert (status, errors) == (0, [])
    assert re.fullmatch(r"accepted run-\S+ fsynced", output[0])
    state, body = output[1].split(" ", 1)
    result = json.loads(body)
    assert state == "completed"
    assert result["outputs"] == {"greeting": "Hello, Ada!"}
    assert [(action["action"], action["result"]) for action in result["actions"]] == [("compose", "completed")]


def test_run_prints_the_error_of_a_refused_request(worker):
    status, output, errors = worker.run("run.py", "greet", '{"nmae": "Ada"}')
    assert (status, output) == (1, [])
    error = json.loads(errors[0])
    assert error["code"] == "bad_seed"
    assert "name" in error["message"] and error["next"]


def test_complete_lets_a_waiting_run_go_on(worker):
    run = worker.begin("run.py", "deploy", '{"version": "7"}')
    assert run.stdout.readline().startswith("accepted ")
    assert run.stdout.readline() == "waiting approve deploy.7.approve\n"
    assert not (worker.files / "deployed-7").exists()

    verdict = worker.run("complete.py", "deploy.7.approve", "approve", '{"by": "ada"}')
    assert verdict == (0, ["delivered fsynced"], [])

    status, output, errors = end(run)
    assert (status, errors) == (0, [])
    assert output[0] == "resumed approve deploy.7.approve"
    assert output[1].startswith("completed ")
    assert (worker.files / "deployed-7").exists()

    assert worker.run("complete.py", "deploy.7.approve", "approve", '{"by": "ada"}') == (0, ["duplicate fsynced"], [])
    assert worker.run("complete.py", "deploy.7.approve", "reject") == (2, ["conflict fsynced"], [])


def test_a_rejection_ends_the_run_before_the_rollout(worker):
    run = worker.begin("run.py", "deploy", '{"version": "8"}')
    assert run.stdout.readline().startswith("accepted ")
    assert run.stdout.readline().startswith("waiting ")
    assert worker.run("complete.py", "deploy.8.approve", "reject", '"not on a Friday"') == (0, ["delivered fsynced"], [])

    status, output, _ = end(run)
    assert status == 1
    state, body = output[-1].split(" ", 1)
    results = {action["action"]: action["result"] for action in json.loads(body)["actions"]}
    assert (state, results) == ("failed", {"build": "completed", "approve": "failed", "rollout": "skipped"})
    assert not (worker.files / "deployed-8").exists()


def test_an_early_decision_has_no_effect_and_says_what_to_do(worker):
    status, output, errors = worker.run("complete.py", "deploy.9.approve", "approve")
    assert (status, errors) == (2, [])
    assert output[0].startswith('unknown fsynced "No gate waits under deploy.9.approve now.')
    run = worker.begin("run.py", "deploy", '{"version": "9"}')
    assert run.stdout.readline().startswith("accepted ")
    assert run.stdout.readline() == "waiting approve deploy.9.approve\n"
    assert worker.run("complete.py", "deploy.9.approve", "approve") == (0, ["delivered fsynced"], [])
    assert end(run)[0] == 0


def test_deploy_tells_how_it_goes_and_the_same_id_again_tells_of_the_same_run(worker):
    run = worker.begin("deploy.py", "7", "d-1")
    id = re.fullmatch(r"accepted (run-\S+)", run.stdout.readline().strip())[1]
    for line in run.stdout:
        if line == "progress waiting deploy.7.approve\n":
            break
    assert worker.run("complete.py", "deploy.7.approve", "approve")[1] == ["delivered fsynced"]
    status, output, errors = end(run)
    assert (status, errors, output[0]) == (0, [], "progress resumed deploy.7.approve")
    assert re.fullmatch(r"completed \{'deployed': .*\}", output[-1])

    assert worker.run("deploy.py", "7", "d-1") == (0, [f"accepted {id}", output[-1]], [])
    status, output, errors = worker.run("deploy.py", "8", "d-1")
    assert (status, output) == (1, [])
    assert errors[0].startswith("id_conflict: ") and errors[0].endswith("(id d-1)")


@pytest.mark.parametrize("example", ["notify.py", "run.py", "complete.py", "deploy.py"])
def test_each_is_short_and_says_how_it_is_called(example):
    text = (EXAMPLES / example).read_text()
    assert len(text.splitlines()) < 25
    assert f"python {example} ENDPOINT" in ast.get_docstring(ast.parse(text))


def test_the_page_about_clients_without_a_library_shows_them_as_they_stand():
    page = (ROOT / "Sources/ForgeBusProtocol/ForgeBusProtocol.docc/WithoutALibrary.md").read_text()
    shown = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    texts = [path.read_text() for path in sorted(EXAMPLES.glob("*.py"))]
    assert len(shown) == 3
    for block in shown:
        assert block in texts, f"the page shows what is no example:\n{block}"
