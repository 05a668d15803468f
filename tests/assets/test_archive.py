"""Hostile archives: whatever a wheel holds, only the listed files are written, and only where they belong."""

import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wheels import PAYLOAD, files_of, link, write_wheel

from tenor import TenorError
from tenor.assets.archive import unpack
from tenor.assets.table import is_plain_name


@pytest.fixture
def into(tmp_path):
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def written(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_only_the_listed_files_are_taken(tmp_path, into):
    wheel = write_wheel(tmp_path, extra=[("inner/more.txt", b"not listed")])
    unpack(wheel, files_of(), folder="inner/", into=into)
    assert written(into) == sorted(PAYLOAD)
    assert (into / "sub/table.txt").read_bytes() == PAYLOAD["sub/table.txt"]


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/evil.txt", "inner/../../evil.txt", "c:/evil.txt", "a\\..\\evil"]
)
def test_paths_that_leave_the_folder_are_refused(tmp_path, into, name):
    wheel = write_wheel(tmp_path, extra=[(name, b"evil")])
    with pytest.raises(TenorError, match="leaves its folder"):
        unpack(wheel, files_of(), folder="inner/", into=into)
    assert written(into) == []
    assert not list(tmp_path.rglob("evil*"))


def test_links_are_refused(tmp_path, into):
    payload = {"config.json": PAYLOAD["config.json"]}
    wheel = write_wheel(tmp_path, payload={}, extra=[link("inner/config.json", "/etc/passwd")])
    with pytest.raises(TenorError, match="a link or a device"):
        unpack(wheel, files_of(payload), folder="inner/", into=into)
    assert written(into) == []


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_devices_are_refused(tmp_path, into, kind):
    entry = zipfile.ZipInfo("inner/device")
    entry.external_attr = (kind | 0o666) << 16
    wheel = write_wheel(tmp_path, extra=[(entry, b"")])
    with pytest.raises(TenorError, match="a link or a device"):
        unpack(wheel, files_of(), folder="inner/", into=into)


def test_an_entry_that_comes_twice_is_refused(tmp_path, into):
    with pytest.warns(UserWarning, match="Duplicate name"):
        wheel = write_wheel(tmp_path, extra=[("inner/config.json", b"another")])
    with pytest.raises(TenorError, match="twice"):
        unpack(wheel, files_of(), folder="inner/", into=into)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, into):
    bomb = {"config.json": b"\0" * 50_000_000}
    wheel = write_wheel(tmp_path, payload=bomb)
    with pytest.raises(TenorError, match=r"50,000,000 bytes where 12 are expected"):
        unpack(wheel, files_of({"config.json": PAYLOAD["config.json"]}), folder="inner/", into=into)
    assert written(into) == []


def test_a_bomb_that_lies_about_its_length_stops_at_the_limit(tmp_path, into):
    wheel = write_wheel(tmp_path, payload={"config.json": b"\0" * 5_000_000})
    content = bytearray(wheel.read_bytes())
    true, false = (5_000_000).to_bytes(4, "little"), len(PAYLOAD["config.json"]).to_bytes(4, "little")
    assert content.count(true) >= 2  # the local header and the directory
    wheel.write_bytes(content.replace(true, false))
    with pytest.raises(TenorError):
        unpack(wheel, files_of({"config.json": PAYLOAD["config.json"]}), folder="inner/", into=into)
    assert sum(path.stat().st_size for path in into.rglob("*") if path.is_file()) <= 12


def test_other_contents_of_the_same_length_are_refused(tmp_path, into):
    wheel = write_wheel(tmp_path, payload=PAYLOAD | {"config.json": b'{"width": 3}'})
    with pytest.raises(TenorError, match=r"config\.json has the sha256"):
        unpack(wheel, files_of(), folder="inner/", into=into)


def test_a_missing_file_is_named(tmp_path, into):
    wheel = write_wheel(tmp_path, payload={"config.json": PAYLOAD["config.json"]})
    with pytest.raises(TenorError, match=r"lacks inner/sub/table\.txt"):
        unpack(wheel, files_of(), folder="inner/", into=into)


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.99])
def test_a_truncated_archive_is_refused(tmp_path, into, keep):
    wheel = write_wheel(tmp_path)
    content = wheel.read_bytes()
    wheel.write_bytes(content[: int(keep * len(content)) if isinstance(keep, float) else keep])
    with pytest.raises(TenorError, match="cannot be unpacked"):
        unpack(wheel, files_of(), folder="inner/", into=into)


def test_a_damaged_entry_is_refused(tmp_path, into):
    wheel = write_wheel(tmp_path)
    content = bytearray(wheel.read_bytes())
    at = content.index(b"inner/sub/table.txt") + 25
    content[at : at + 8] = b"\xff" * 8
    wheel.write_bytes(content)
    with pytest.raises(TenorError, match="cannot be unpacked"):
        unpack(wheel, files_of(), folder="inner/", into=into)


@given(st.text(st.sampled_from("a./\\:~\0 "), max_size=8))
def test_a_plain_name_stays_inside(name):
    # Against the operating system's own idea of where a path leads.
    import os.path

    inside = os.path.normpath(os.path.join("/some/base", name)) if "\0" not in name else "/"
    if is_plain_name(name):
        assert inside.startswith("/some/base/")
        assert not os.path.isabs(name)
