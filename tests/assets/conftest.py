"""A local folder of tiny wheels as pip's only index, so that the real pip runs without a network."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from wheels import asset_of, source_of, write_wheel

from tenor.assets.table import TABLE


@dataclass
class Index:
    """A folder that pip takes for its only index."""

    folder: Path
    patch: pytest.MonkeyPatch

    def add(self, **wheel):
        return write_wheel(self.folder, **wheel)

    def register(self, asset):
        self.patch.setitem(TABLE, asset.name, asset)
        return asset

    def serve(self, **wheel):
        """Put a wheel into the index and its row into the table."""
        return self.register(asset_of(source_of(self.add(**wheel))))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path, monkeypatch, cache):
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return Index(folder, monkeypatch)


@pytest.fixture
def left(cache):
    """List what stands in the cache apart from locks, to see that nothing half-done does."""

    def names():
        return sorted(
            path.relative_to(cache).as_posix()
            for path in cache.rglob("*")
            if path.is_file() and path.name != ".lock"
        )

    return names
