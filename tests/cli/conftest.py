"""Fixtures of the tests that run the real program."""

import pytest
from program import Program


@pytest.fixture(scope="session")
def wattrein():
    return Program()


@pytest.fixture
def log(tmp_path):
    """Writes a log with the given text and returns its path."""

    def write(text, name="power.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write
