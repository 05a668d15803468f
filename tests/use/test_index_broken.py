"""Changes that are interrupted, by an error, a kill at any moment, a full disk: old or new, never between."""

import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hashing_model import HashingModel

from tenor.errors import TenorError
from tenor.use.search import index_job, intake
from tenor.use.search.card import CARD, UNFINISHED, read_card, read_unfinished
from tenor.use.search.index import add_to_index, build_index, remove_from_index
from tenor.use.search.searching import Searcher

pytest.importorskip("lancedb")


class PowerCut(BaseException):
    """Stands for anything that ends a process between two windows."""


class FailingModel(HashingModel):
    def __init__(self, after):
        super().__init__()
        self.after = after

    def encode(self, texts, **settings):
        if len(self.calls) >= self.after:
            raise PowerCut
        return super().encode(texts, **settings)


@pytest.fixture(autouse=True)
def _small_windows(monkeypatch):
    monkeypatch.setattr(intake, "WINDOW_ROWS", 3)


def write_lines(file, count, word="text"):
    file.write_text("".join(f"{word} number {number} of the file\n" for number in range(count)))
    return file


def write_rows(file, numbers, word):
    file.write_text("key\ttext\n" + "".join(f"k{n}\t{word} number {n} of the file\n" for n in numbers))
    return file


def contents(folder):
    hits = Searcher(folder, model=HashingModel()).search("number", k=5000, mode="vector")
    return {hit.id: hit.text for hit in hits}


def test_a_first_build_goes_on_where_it_was_broken_off(tmp_path):
    source, folder, notes = write_lines(tmp_path / "a.txt", 10), tmp_path / "ix", []
    with pytest.raises(PowerCut):
        build_index(source, folder, model=FailingModel(after=2))
    with pytest.raises(TenorError, match=r"never finished: .* after 6 rows. Run the same `tenor index`"):
        Searcher(folder)
    model = HashingModel()
    report = build_index(source, folder, model=model, note=notes.append)
    assert notes == ["An earlier run was interrupted; resuming after its 6 rows."]
    assert (report.added, sum(call[0] for call in model.calls)) == (10, 4)  # nothing is encoded twice
    build_index(source, tmp_path / "whole", model=HashingModel())
    assert contents(folder) == contents(tmp_path / "whole")
    assert not (folder / UNFINISHED).exists()


def test_going_on_reports_all_problems_of_the_file(tmp_path):
    source = tmp_path / "a.tsv"
    source.write_text(
        "key\ttext\nk1\tone text\nk2\t \nk3\tthree text\nk4\tfour text\nk1\tfive text\nk6\tsix text\n"
    )
    with pytest.raises(PowerCut):
        build_index(source, tmp_path / "ix", model=FailingModel(after=1), id_column="key", column="text")
    report = build_index(source, tmp_path / "ix", model=HashingModel(), id_column="key", column="text")
    assert report.problems.count == 2
    assert sorted(contents(tmp_path / "ix")) == ["k1", "k3", "k4", "k6"]


@pytest.mark.parametrize("change", ["file", "model", "column"])
def test_a_build_from_something_else_starts_afresh(tmp_path, change):
    source, notes = write_rows(tmp_path / "a.tsv", range(9), "old"), []
    with pytest.raises(PowerCut):
        build_index(source, tmp_path / "ix", model=FailingModel(after=2), id_column="key", column="text")
    model, identity = HashingModel(), "key"
    if change == "file":
        write_rows(source, range(4), "new")
    elif change == "model":
        model = HashingModel(fingerprint="a" * 64)
    else:
        identity = None
    report = build_index(
        source, tmp_path / "ix", model=model, id_column=identity, column="text", note=notes.append
    )
    assert notes == [f"An earlier build from {source} was interrupted; starting over."]
    assert report.card.rows == (4 if change == "file" else 9)


def test_an_addition_shows_itself_only_when_it_is_whole(tmp_path):
    folder, notes = tmp_path / "ix", []
    build_index(
        write_rows(tmp_path / "a.tsv", range(5), "old"), folder, model=HashingModel(), id_column="key"
    )
    before = contents(folder)
    more = write_rows(tmp_path / "b.tsv", range(3, 14), "new")
    with pytest.raises(PowerCut):
        add_to_index(more, folder, model=FailingModel(after=2))
    assert contents(folder) == before
    assert read_unfinished(folder).rows_read == 6
    report = add_to_index(more, folder, model=HashingModel(), note=notes.append)
    assert notes == ["An earlier run was interrupted; resuming after its 6 rows."]
    assert (report.added, report.replaced) == (9, 2)
    after = contents(folder)
    assert len(after) == 14
    assert all(text.startswith("old" if int(key[1:]) < 3 else "new") for key, text in after.items())


def test_any_other_change_undoes_what_was_broken_off(tmp_path):
    folder, notes = tmp_path / "ix", []
    build_index(
        write_rows(tmp_path / "a.tsv", range(5), "old"), folder, model=HashingModel(), id_column="key"
    )
    with pytest.raises(PowerCut):
        add_to_index(write_rows(tmp_path / "b.tsv", range(20), "new"), folder, model=FailingModel(after=3))
    assert remove_from_index(folder, ids=["k0", "k15"], note=notes.append).removed == 1
    assert notes == [
        f"An earlier change from {tmp_path / 'b.tsv'} was interrupted; what it had stored is undone."
    ]
    assert contents(folder) == {f"k{n}": f"old number {n} of the file" for n in range(1, 5)}
    assert not (folder / UNFINISHED).exists()


def test_a_failure_after_the_last_window_is_made_good(tmp_path, monkeypatch):
    source, folder = write_lines(tmp_path / "a.txt", 7), tmp_path / "ix"

    def cut(*_):
        raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr(index_job, "write_card", cut)
        with pytest.raises(PowerCut):
            build_index(source, folder, model=HashingModel())
    model = HashingModel()
    assert build_index(source, folder, model=model).card.rows == 7
    assert model.calls == []


def test_a_finished_job_whose_note_was_left_is_not_done_twice(tmp_path):
    source, folder = write_lines(tmp_path / "a.txt", 4), tmp_path / "ix"
    build_index(source, folder, model=HashingModel())
    more = write_lines(tmp_path / "b.txt", 4, "more")
    with pytest.raises(PowerCut):
        add_to_index(more, folder, model=FailingModel(after=1))
    left = (folder / UNFINISHED).read_text()
    add_to_index(more, folder, model=HashingModel())
    (folder / UNFINISHED).write_text(left)
    assert add_to_index(more, folder, model=HashingModel()).card.rows == 8
    assert len(contents(folder)) == 8


def test_a_damaged_note_is_told(tmp_path):
    source, folder = write_lines(tmp_path / "a.txt", 4), tmp_path / "ix"
    with pytest.raises(PowerCut):
        build_index(source, folder, model=FailingModel(after=1))
    (folder / UNFINISHED).write_text('{"job": {}}')
    with pytest.raises(TenorError, match=r"unfinished\.json is damaged: .*Delete it"):
        build_index(source, folder, model=HashingModel())


def test_readers_go_on_while_a_writer_works(tmp_path):
    folder = tmp_path / "ix"
    build_index(
        write_rows(tmp_path / "a.tsv", range(5), "old"), folder, model=HashingModel(), id_column="key"
    )
    reader, counts = Searcher(folder, model=HashingModel()), []

    def look(*_):
        counts.append(
            (len(reader.search("number", k=99)), len(reader.search("number", k=99, mode="lexical")))
        )

    more = write_rows(tmp_path / "b.tsv", range(5, 20), "new")
    add_to_index(more, folder, model=HashingModel(), progress=look)
    look()
    assert counts == [(5, 5)] * (len(counts) - 1) + [(20, 20)]
    assert len(counts) > 6


# What a process of its own does: say when it starts to write, then write with small windows.
WORKER = """
import sys
sys.path.insert(0, {tests!r})
from hashing_model import HashingModel
from tenor.errors import TenorError
from tenor.use.search import intake
from tenor.use.search.index import add_to_index, build_index
intake.WINDOW_ROWS = 40

class TellingModel(HashingModel):  # says when it begins with a window
    def encode(self, texts, **settings):
        print("window", flush=True)
        return super().encode(texts, **settings)

kind, source, folder = sys.argv[1:]
print("start", flush=True)
try:
    if kind == "build":
        build_index(source, folder, model=TellingModel(), id_column="key", column="text")
    else:
        add_to_index(source, folder, model=TellingModel())
except TenorError as error:
    print("tenor:", error, file=sys.stderr)
    sys.exit(2)
"""


def start(kind, source, folder, **settings):
    script = WORKER.format(tests=str(Path(__file__).parent))
    process = subprocess.Popen(
        [sys.executable, "-c", script, kind, str(source), str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings,
    )  # fmt: skip
    assert process.stdout.readline() == "start\n"
    return process


def killed_until_done(kind, source, folder, dice, look):
    """Start the job again and again, each time killed at a random moment, until one run ends by itself.

    Moments are counted in windows of rows, not in time: a fast machine would end before any kill, and a busy
    one would never get on. The window of the first kill is one that the job must pass.
    """
    kills, window = 0, dice.randint(1, 8)
    while True:
        process = start(kind, source, folder)
        for line in process.stdout:
            window -= line == "window\n"
            if window == 0:
                time.sleep(dice.uniform(0, 0.03))
                process.send_signal(signal.SIGKILL)
                break
        _, errors = process.communicate()
        if process.returncode != -signal.SIGKILL:
            # A run that was killed after its change had counted needs no other.
            assert process.returncode == 0 or "is an index already" in errors, errors
            return kills
        kills += 1
        window = dice.randint(1, 8)
        look()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_at_random_moments(tmp_path, seed):
    dice, folder = random.Random(seed), tmp_path / "ix"
    source = write_rows(tmp_path / "a.tsv", range(600), "old")
    more = write_rows(tmp_path / "b.tsv", range(500, 1000), "new")
    old = {f"k{n}": f"old number {n} of the file" for n in range(600)}
    new = old | {f"k{n}": f"new number {n} of the file" for n in range(500, 1000)}

    def no_half_index():
        if (folder / CARD).exists():
            assert contents(folder) == old
        else:
            with pytest.raises(TenorError, match=r"never finished|There is no index|is not an index"):
                contents(folder)

    def old_or_new():
        assert contents(folder) in (old, new)

    kills = killed_until_done("build", source, folder, dice, no_half_index)
    assert contents(folder) == old
    kills += killed_until_done("add", more, folder, dice, old_or_new)
    assert contents(folder) == new
    assert read_card(folder).rows == 1000
    assert kills >= 2


@pytest.mark.slow
def test_killed_while_others_read(tmp_path):
    folder = tmp_path / "ix"
    build_index(
        write_rows(tmp_path / "a.tsv", range(300), "old"), folder, model=HashingModel(), id_column="key"
    )
    more = write_rows(tmp_path / "b.tsv", range(300, 1500), "new")
    reader, sizes = Searcher(folder, model=HashingModel()), []
    process = start("add", more, folder)
    while process.poll() is None:
        sizes.append(len(reader.search("number", k=5000, mode="vector")))
        time.sleep(0.02)
    process.communicate()
    sizes.append(len(reader.search("number", k=5000, mode="vector")))
    assert sorted(set(sizes)) == [300, 1500]
    assert sizes == sorted(sizes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["build", "add"])
def test_a_full_disk_is_told_and_the_old_state_stays(tmp_path, kind):
    # A limit on the size of files stands for the full disk: both make a write fail half-way.
    folder = tmp_path / "ix"
    small = write_rows(tmp_path / "a.tsv", range(30), "old")
    if kind == "add":
        build_index(small, folder, model=HashingModel(), id_column="key")
    before = contents(folder) if kind == "add" else None
    big = tmp_path / "b.tsv"
    big.write_text("key\ttext\n" + "".join(f"n{n}\t{'long' * 5000} {n}\n" for n in range(100)))

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    process = start(kind, big, folder, preexec_fn=limit)
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 2, errors
    assert errors.count("\n") == 1
    assert "Traceback" not in errors
    assert "beyond the limit of this system" in errors
    if kind == "add":
        assert contents(folder) == before
        add_to_index(big, folder, model=HashingModel())
        assert read_card(folder).rows == 130
    else:
        assert not (folder / "index.json").exists()
        build_index(big, folder, model=HashingModel(), id_column="key", column="text")
        assert read_card(folder).rows == 100
