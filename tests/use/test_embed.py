"""Files of vectors: what is written equals `model.encode`, whatever the format, the windows or the kills."""

import errno
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.use.embed.embedding import embed_file
from tenor.use.embed.journal import Journal
from tenor.use.embed.vector_files import WRITERS
from tenor.use.embed.vector_reading import read_vectors

FORMATS = list(WRITERS)
WORDS = "the cat sat on a mat and dog ran home by river city book good bad fast slow music".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder)


def lines(n, seed=0):
    pick = random.Random(seed)
    return [" ".join(pick.choices(WORDS, k=pick.randint(1, 12))) for _ in range(n)]


def close(vectors, expected):
    """Equal but for rounding, which may depend on what was computed together."""
    return vectors.shape == expected.shape and np.abs(vectors - expected).max() < 1e-5


def write(path, texts):
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", FORMATS)
def test_names_that_are_not_utf8_and_prompts_of_any_kind(model, tmp_path, suffix):
    """Linux allows any bytes in a name; the records that hold it must still be written and read."""
    try:
        source = write(tmp_path / os.fsdecode(b"caf\xe9.txt"), lines(3))
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    out = tmp_path / f"out{suffix}"
    for prompt in ("Instruct: find\nQuery: ", "\x01" * 5_000):
        embed_file(model, source, out, prompt=prompt)
        file = read_vectors(out)
        assert file.record.prompt == (
            prompt if len(prompt) < 800 or suffix != ".safetensors" else prompt[:800]
        )
        assert close(file.vectors, model.encode(lines(3), prompt=prompt))


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_holds_what_the_model_gives(model, tmp_path, suffix):
    texts = lines(57)
    source, out = write(tmp_path / "in.txt", texts), tmp_path / f"out{suffix}"
    done = embed_file(model, source, out, window=20)
    file = read_vectors(out)
    assert close(file.vectors, model.encode(texts))
    assert file.lines.tolist() == list(range(1, 58))
    assert file.record == done.record
    record = file.record
    assert (record.rows, record.fingerprint, record.precision) == (57, model.fingerprint, model.precision)
    file.check(model)
    assert not (tmp_path / f"out{suffix}.part").exists()


def test_a_record_with_the_older_name_of_dimensions_is_read(model, tmp_path):
    done = embed_file(model, write(tmp_path / "in.txt", lines(3)), tmp_path / "o.npy")
    record = json.loads((tmp_path / "o.npy.json").read_text())
    (tmp_path / "o.npy.json").write_text(json.dumps(record | {"width": record.pop("dimensions")}))
    assert read_vectors(tmp_path / "o.npy").record == done.record


def test_npy_is_a_plain_array_that_numpy_maps(model, tmp_path):
    embed_file(model, write(tmp_path / "in.txt", lines(9)), tmp_path / "o.npy")
    array = np.load(tmp_path / "o.npy", mmap_mode="r")
    assert (array.shape, array.dtype, array.offset % 64) == ((9, model.width), np.float32, 0)


def test_safetensors_opens_with_its_own_library(model, tmp_path):
    from safetensors import safe_open

    texts = lines(9)
    embed_file(model, write(tmp_path / "in.txt", texts), tmp_path / "o.safetensors", prompt="ä" * 5000)
    with safe_open(tmp_path / "o.safetensors", framework="numpy") as file:
        assert np.array_equal(file.get_tensor("vectors"), model.encode(texts, prompt="ä" * 5000))
        assert file.get_tensor("lines").tolist() == list(range(1, 10))
        assert file.metadata()["fingerprint"] == model.fingerprint


def test_parquet_and_jsonl_carry_the_texts(model, tmp_path):
    from pyarrow import parquet

    texts = ['a "quoted" cat', "漢字 é", ""]
    source = write(tmp_path / "in.txt", texts)
    for suffix in (".parquet", ".jsonl"):
        embed_file(model, source, tmp_path / f"o{suffix}", window=2)
    assert parquet.read_table(tmp_path / "o.parquet")["text"].to_pylist() == texts
    rows = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["text"] for row in rows] == texts
    assert np.array_equal(np.array(rows[1]["vector"], dtype=np.float32), model.encode(texts)[1])


def test_columns_gzip_and_prompts(model, tmp_path):
    texts = lines(5)
    rows = "".join(json.dumps({"id": n, "body": text}) + "\n" for n, text in enumerate(texts))
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(rows.encode()))
    embed_file(model, source, tmp_path / "o.npy", column="body", prompt="query")
    assert np.array_equal(np.load(tmp_path / "o.npy"), model.encode(texts, prompt="query"))
    assert not np.array_equal(np.load(tmp_path / "o.npy"), model.encode(texts))


@pytest.mark.parametrize("suffix", FORMATS)
def test_rows_never_shift_silently(model, tmp_path, suffix):
    """An empty text keeps its row; an unreadable one is left out, counted, and seen in the lines."""
    source = tmp_path / "in.jsonl"
    source.write_text('{"t": "cat"}\n{"t": ""}\nnot json\n{"t": "dog"}\n')
    done = embed_file(model, source, tmp_path / f"o{suffix}", column="t")
    file = read_vectors(tmp_path / f"o{suffix}")
    assert np.array_equal(file.vectors, model.encode(["cat", "", "dog"]))
    assert file.lines.tolist() == [1, 2, 4]
    assert (done.problems.count, file.record.problems) == (2, 2)


def test_strict_stops_before_any_work(model, tmp_path):
    source = write(tmp_path / "in.txt", ["cat", "", "dog"])
    with pytest.raises(TenorError, match=r"in\.txt:2"):
        embed_file(model, source, tmp_path / "o.npy", strict=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.txt"]


def test_texts_beyond_the_limit_are_counted(model, tmp_path):
    texts = ["cat " * 100, "dog", "dog " * 37, "dog " * 38, "dog " * 39]  # 38 words and two specials fit
    source = write(tmp_path / "in.txt", texts)
    cut = embed_file(model, source, tmp_path / "o.npy")
    assert cut.record.beyond_limit == 2
    chunked = embed_file(model, source, tmp_path / "c.npy", long="chunk")
    assert (chunked.record.long, chunked.record.beyond_limit) == ("chunk", 2)
    assert np.array_equal(np.load(tmp_path / "c.npy"), model.encode([t.strip() for t in texts], long="chunk"))


def test_progress_counts_every_row_once(model, tmp_path):
    told = []
    embed_file(model, write(tmp_path / "in.txt", lines(50)), tmp_path / "o.npy", window=8,
               progress=lambda count, total: told.append((count, total)))  # fmt: skip
    assert sum(count for count, _ in told) == 50
    assert {total for _, total in told} == {50}


def test_a_file_of_another_model_is_refused(model, make_tiny, tmp_path):
    embed_file(model, write(tmp_path / "in.txt", lines(3)), tmp_path / "o.npy")
    other = tenor.load(make_tiny(seed=5))
    with pytest.raises(TenorError, match="do not mix"):
        read_vectors(tmp_path / "o.npy").check(other)


@pytest.mark.parametrize(
    "damage", ["missing record", "other rows", "not a file of vectors", "record is a list"]
)
def test_damaged_files_of_vectors(model, tmp_path, damage):
    out = tmp_path / "o.npy"
    embed_file(model, write(tmp_path / "in.txt", lines(3)), out)
    record = tmp_path / "o.npy.json"
    if damage == "no record":
        record.unlink()
    elif damage == "other rows":
        record.write_text(json.dumps({**json.loads(record.read_text()), "rows": 4}))
    elif damage == "record is a list":
        record.write_text("[]")
    else:
        out.write_bytes(b"rubbish")
    with pytest.raises(TenorError, match=r"o\.npy"):
        read_vectors(out)


@pytest.mark.parametrize(
    ("name", "says"),
    [("o.csv", r"expected \.npy"), ("no/such/o.npy", "does not exist"), ("folder.npy", "is a folder")],
)
def test_bad_outputs(model, tmp_path, name, says):
    (tmp_path / "folder.npy").mkdir()
    source = write(tmp_path / "in.txt", lines(3))
    with pytest.raises(TenorError, match=says):
        embed_file(model, source, tmp_path / name)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(("content", "says"), [(b"", "is empty"), (b"\n\n", "has no texts")])
def test_empty_sources(model, tmp_path, content, says):
    source = tmp_path / "in.txt"
    source.write_bytes(content)
    with pytest.raises(TenorError, match=says):
        embed_file(model, source, tmp_path / "o.npy")
    assert list(tmp_path.iterdir()) == [source]


def test_the_source_is_never_overwritten(model, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "cat"}\n')
    with pytest.raises(TenorError, match="is to be read"):
        embed_file(model, source, source)
    assert source.read_text() == '{"text": "cat"}\n'


def test_a_long_line_is_one_row(model, tmp_path):
    source = write(tmp_path / "in.txt", ["cat " * 250_000, "dog"])
    embed_file(model, source, tmp_path / "o.npy")
    assert np.load(tmp_path / "o.npy").shape == (2, model.width)


class _Stop(Exception):
    pass


def interrupted(model, source, out, *, after, **settings):
    """Embed, and stop after so many rows as if killed: the journal stays as it is."""
    seen = 0

    def count(rows, _):
        nonlocal seen
        seen += rows
        if seen >= after:
            raise _Stop

    with pytest.raises(_Stop):
        embed_file(model, source, out, window=10, progress=count, **settings)


@pytest.mark.parametrize("suffix", FORMATS)
def test_resuming_gives_the_same_bytes(model, tmp_path, suffix):
    source = write(tmp_path / "in.txt", lines(64))
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    embed_file(model, source, whole, window=10)
    for after in (25, 41):
        interrupted(model, source, out, after=after)
    assert not out.exists()
    notes = []
    done = embed_file(model, source, out, window=10, note=notes.append)
    assert done.resumed == 40
    assert "40 rows" in notes[0]
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_files_longer_than_recorded_are_cut_back(model, tmp_path):
    source, out = write(tmp_path / "in.txt", lines(30)), tmp_path / "o.npy"
    interrupted(model, source, out, after=15)
    with open(tmp_path / "o.npy.part/vectors", "ab") as file:
        file.write(b"half a window")
    (tmp_path / "o.npy.part/state.json.tmp").write_text("half a state")
    embed_file(model, source, out, window=10)
    assert close(np.load(out), model.encode(lines(30)))


@pytest.mark.parametrize("change", ["texts", "prompt", "missing file", "shorter source"])
def test_another_beginning_starts_over_with_a_note(model, tmp_path, change):
    source, out = write(tmp_path / "in.txt", lines(30)), tmp_path / "o.npy"
    interrupted(model, source, out, after=15)
    prompt, texts = None, lines(30)
    if change == "texts":
        texts = write(source, ["dog", *lines(29)]).read_text().splitlines()
    elif change == "shorter source":
        texts = write(source, lines(30)[:4]).read_text().splitlines()
    elif change == "prompt":
        prompt = "query"
    else:
        (tmp_path / "o.npy.part/vectors").unlink()
    notes = []
    done = embed_file(model, source, out, window=10, prompt=prompt, note=notes.append)
    assert done.resumed == 0
    assert "starting over" in notes[0]
    assert close(np.load(out), model.encode(texts, prompt=prompt))


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"format": 1}'])
def test_a_folder_that_is_not_ours_is_left_alone(model, tmp_path, damage):
    source, out = write(tmp_path / "in.txt", lines(30)), tmp_path / "o.npy"
    (tmp_path / "o.npy.part").mkdir()
    (tmp_path / "o.npy.part/letter.txt").write_text("dear diary")
    if damage:
        (tmp_path / "o.npy.part/state.json").write_text(damage)
    with pytest.raises(TenorError, match=r"o\.npy\.part"):
        embed_file(model, source, out)
    assert (tmp_path / "o.npy.part/letter.txt").read_text() == "dear diary"


def test_rows_added_to_the_source_do_not_lose_the_beginning(model, tmp_path):
    source, out = write(tmp_path / "in.txt", lines(30)), tmp_path / "o.npy"
    interrupted(model, source, out, after=15)
    texts = [*lines(30), "one more"]
    assert embed_file(model, write(source, texts), out, window=10).resumed == 10
    assert close(np.load(out), model.encode(texts))


def test_two_runs_at_once_are_refused(model, tmp_path):
    source, out = write(tmp_path / "in.txt", lines(3)), tmp_path / "o.npy"
    with Journal(out, {}), pytest.raises(TenorError, match="Another run"):
        embed_file(model, source, out)


# ---- other processes -------------------------------------------------------------------------------------

RUN = """
import sys, tenor
from tenor.use.embed.embedding import embed_file
tenor_model = tenor.load(sys.argv[1], precision="fp32")
def slow(count, total):
    import time; time.sleep(0.002)
    print("working", flush=True)
done = embed_file(tenor_model, sys.argv[2], sys.argv[3], window=50, progress=slow)
print(done.resumed)
"""


def start(tiny_folder, source, out, **options):
    command = [sys.executable, "-c", RUN, str(tiny_folder), str(source), str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_killed_at_random_moments(tiny_folder, tmp_path, suffix):
    source = write(tmp_path / "in.txt", lines(3000))
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    assert start(tiny_folder, source, whole).wait() == 0
    pick, kills = random.Random(7), 0
    for _ in range(6):
        process = start(tiny_folder, source, out)
        # Moments counted in work done, not in time: a busy machine would kill before or after all of it.
        for _ in range(pick.randint(1, 30)):
            process.stdout.readline()
        time.sleep(pick.uniform(0, 0.005))
        process.send_signal(signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        if out.exists():
            break
    assert kills, "no run was killed: the test shows nothing"
    if not out.exists():
        assert start(tiny_folder, source, out).wait() == 0
    assert out.read_bytes() == whole.read_bytes()
    assert not (tmp_path / f"out{suffix}.part").exists()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_disk_that_fills_up(tiny_folder, tmp_path, suffix):
    """A limit on the size of files stands for a full disk, which needs no rights to set up."""
    source = write(tmp_path / "in.txt", lines(1000))
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    assert start(tiny_folder, source, whole).wait() == 0
    most = max(20_000, whole.stat().st_size // 2)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    process = start(tiny_folder, source, out, preexec_fn=limit)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "TenorError: Cannot write" in errors
    assert "is kept in" in errors
    assert not out.exists()
    assert (tmp_path / f"out{suffix}.part").is_dir()
    process = start(tiny_folder, source, out)
    resumed, errors = process.communicate()
    assert process.returncode == 0, errors
    assert int(resumed.split()[-1]) >= 50
    assert out.read_bytes() == whole.read_bytes()


def test_an_unwritable_folder(model, tmp_path, monkeypatch):
    def refuse(*_, **__):  # as for everyone but the superuser, who may run the tests
        raise PermissionError(errno.EACCES, "Permission denied")

    source = write(tmp_path / "in.txt", lines(3))
    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(TenorError, match=r"Cannot write .*o\.npy: permission is denied"):
        embed_file(model, source, tmp_path / "o.npy")


def test_standard_input_goes_on_when_the_same_is_piped_again(tiny_folder, model, tmp_path, monkeypatch):
    texts, out = lines(30), tmp_path / "o.npy"

    def pipe(texts):
        file = write(tmp_path / "piped.txt", texts)
        monkeypatch.setattr(sys, "stdin", open(file, encoding="utf-8"))  # noqa: SIM115

    pipe(texts)
    interrupted(model, "-", out, after=15)
    shutil.copytree(tmp_path / "o.npy.part", tmp_path / "copy.npy.part")
    pipe(texts)
    assert embed_file(model, "-", out, window=10).resumed == 10
    assert close(np.load(out), model.encode(texts))
    pipe(texts[1:])
    with pytest.raises(TenorError, match="cannot be read again"):
        embed_file(model, "-", tmp_path / "copy.npy", window=10)
    assert Path(tmp_path / "copy.npy.part").is_dir()


def test_a_run_killed_while_it_wrote_its_first_record_is_no_obstacle(tmp_path, tiny_folder):
    model = tenor.load(tiny_folder)
    (tmp_path / "texts.txt").write_text("a cat\nthe dog\n")
    left = tmp_path / "out.npy.part"
    left.mkdir()
    (left / ".state.json.abcd1234.part").write_text("{")
    embed_file(model, tmp_path / "texts.txt", tmp_path / "out.npy")
    assert (tmp_path / "out.npy").is_file()
    assert not left.exists()
