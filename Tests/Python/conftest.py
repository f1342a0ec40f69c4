"""What the tests share: where the client is imported from, a directory for a worker, and the scorecard."""

import pathlib
import sys

import pytest

import scorecard

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "python"))

SCORE = pytest.StashKey()


@pytest.fixture
def directory(tmp_path_factory):
    """A directory of the test's own, with a short name: the path of a socket has about a hundred bytes."""
    return tmp_path_factory.mktemp("bus", numbered=True)


def pytest_configure(config):
    config.addinivalue_line("markers", "row(number): the row of the scorecard that the test shows")


@pytest.fixture
def score(request):
    """Takes how many trials a test made, where it is not one."""
    return request.node.stash.setdefault(SCORE, scorecard.Score())


def write_down(item, record):
    for mark in item.iter_markers("row"):
        scorecard.append(*mark.args, record)


def pytest_runtest_call(item):
    write_down(item, {"begun": 1})


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        score = item.stash.setdefault(SCORE, scorecard.Score())
        score.violations = max(score.violations, report.failed)
        score.n *= not report.skipped
        write_down(item, score.record())
    elif report.failed:
        # A fixture found it, before the test or after it.
        write_down(item, {"begun": 1})
        write_down(item, {"n": 0, "violations": 1})
    return report
