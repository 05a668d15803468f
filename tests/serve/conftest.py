"""A server over the tiny model, for all tests that need no settings of their own."""

import pytest

from serve.live import running


@pytest.fixture(scope="session")
def live(tiny_folder):
    with running(tiny_folder) as server:
        yield server
