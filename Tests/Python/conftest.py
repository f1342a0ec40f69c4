"""What the tests share: where the client is imported from, and a directory for a worker."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples" / "python"))


@pytest.fixture
def directory(tmp_path_factory):
    """A directory of the test's own, with a short name: the path of a socket has about a hundred bytes."""
    return tmp_path_factory.mktemp("bus", numbered=True)
