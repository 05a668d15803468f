"""What the tests of corpora share."""

from pathlib import Path

import pytest

from corpus_files import Write, writer


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes files below the folder of the test."""
    return writer(tmp_path)
