"""Aligned pairs from the disk: the same as in memory, and hardly any memory."""

import gzip
import tracemalloc

import numpy as np
import pytest

from paraphrase_corpus import aligned_pairs, all_words
from tenor.errors import TenorError
from tenor.tasks.phrases.aligned_file import AlignedFile
from tenor.tasks.phrases.aligned_tokens import AlignedTokens
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.task import PhrasesTask
from tenor.text.problems import Problems
from tenor.text.tokenizer import Tokenizer
from tiny import new_bert


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    new = tmp_path_factory.mktemp("fresh") / "encoder"
    folder = new_bert(
        new, all_words(), vocab_size=70, hidden_size=8, num_layers=1, num_heads=2, max_positions=64
    )
    return Tokenizer.load(folder, max_tokens=24)


def write(path, pairs):
    path.write_text("".join(pair.to_line() + "\n" for pair in pairs))
    return path


def test_the_arrays_are_those_of_pairs_in_memory(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr("tenor.tasks.phrases.aligned_file.WINDOW", 7)
    pairs = aligned_pairs(40)
    file = AlignedFile(write(tmp_path / "pairs.jsonl", pairs))
    one, two = AlignedTokens.of(pairs, tokenizer), file.tokens(tokenizer)
    for name in ("ids", "starts", "phrases", "phrase_starts", "alignments", "alignment_starts", "prints"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert isinstance(two.phrases.base, np.memmap) or isinstance(two.phrases, np.memmap)
    assert len(file) == 40
    assert file[17].first == pairs[17].first
    assert [pair.links for pair in file[3:5]] == [pair.links for pair in pairs[3:5]]
    assert file[-1].second == pairs[-1].second


def test_the_stage_draws_the_same_from_the_disk(tmp_path, tokenizer):
    pairs = aligned_pairs(30)
    task = PhrasesTask("stage", PhrasesSpec(), hidden_size=8)
    near = task.prepare(pairs, tokenizer)
    far = task.prepare(AlignedFile(write(tmp_path / "pairs.jsonl", pairs)), tokenizer)
    whole = near.aligned.join(np.arange(0, 60, 2), np.arange(1, 60, 2)).tokens
    assert near.tokens.lengths.tolist() == far.tokens.lengths.tolist() == whole.lengths.tolist()
    one, two = (task.collate(data, np.arange(30), generator=np.random.default_rng(3)) for data in (near, far))
    assert np.array_equal(one.tokens.ids, two.tokens.ids)
    assert np.array_equal(one.extras["phrases"], two.extras["phrases"])


def test_arrays_are_made_once_for_a_file_and_anew_for_another(tmp_path, tokenizer):
    path = write(tmp_path / "pairs.jsonl", aligned_pairs(5))
    AlignedFile(path, cache=tmp_path / "cache").tokens(tokenizer)
    (made,) = (tmp_path / "cache").iterdir()
    before = made.stat().st_mtime_ns
    AlignedFile(path, cache=tmp_path / "cache").tokens(tokenizer)
    assert [each.stat().st_mtime_ns for each in (tmp_path / "cache").iterdir()] == [before]
    write(path, aligned_pairs(6))
    assert len(AlignedFile(path, cache=tmp_path / "cache").tokens(tokenizer)) == 6


def peak_of(path, tokenizer):
    task = PhrasesTask("stage", PhrasesSpec(), hidden_size=8)
    tracemalloc.start()
    try:
        data = task.prepare(AlignedFile(path), tokenizer)
        task.collate(data, np.arange(0, len(data), len(data) // 16), generator=np.random.default_rng(0))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_file(tmp_path, tokenizer, monkeypatch):
    monkeypatch.setattr("tenor.tasks.phrases.aligned_file.WINDOW", 50)
    monkeypatch.setattr("tenor.tasks.phrases.aligned_tokens.AT_ONCE", 50)
    # Hashing reads a megabyte at a time, which would hide what is asked here.
    monkeypatch.setattr("tenor.tasks.phrases.aligned_file.sha256_of", lambda path: path.name)
    pairs = aligned_pairs(100)
    few = peak_of(write(tmp_path / "few.jsonl", pairs * 2), tokenizer)
    many = peak_of(write(tmp_path / "many.jsonl", pairs * 8), tokenizer)
    # 600 more pairs: a few numbers for each stay, their words and phrases (some kB a pair) do not.
    assert many - few < 600 * 200
    tracemalloc.start()
    AlignedTokens.of(pairs * 8, tokenizer)
    assert tracemalloc.get_traced_memory()[1] - many > 600 * 500
    tracemalloc.stop()


def test_bad_lines_are_told_with_their_numbers(tmp_path, tokenizer):
    good = aligned_pairs(3)
    path = write(tmp_path / "pairs.jsonl", good)
    lines = path.read_bytes().splitlines(keepends=True)
    spoilt = b'{"s": ["a"], "t": ["b"], "alignments": [[[0, 5], [0, 0]]]}\n'
    path.write_bytes(b"\xef\xbb\xbf" + lines[0] + b"\n" + spoilt + b"\xff\n" * 9 + lines[1] + lines[2])
    for _ in range(2):  # from the file, and from the arrays
        problems = Problems()
        file = AlignedFile(path, problems=problems)
        assert len(file.tokens(tokenizer)) == 3
        assert [each.origin.line for each in problems.first] == [3, 4, 5, 6, 7]
        assert "goes beyond" in problems.first[0].what
        assert len(file) == 3
        assert [pair.first for pair in file] == [pair.first for pair in good]
        assert [file[place].origin.line for place in (0, 1, -1)] == [1, 13, 14]
        assert problems.count == 10, "told once, however often the file is read"
    other = Problems()
    assert [pair.origin.line for pair in AlignedFile(path, problems=other)[:]] == [1, 13, 14]
    assert other.count == 10
    for read in (len, list, lambda file: file.tokens(tokenizer)):
        with pytest.raises(TenorError, match=r"pairs\.jsonl:3"):
            read(AlignedFile(path, problems=Problems(strict=True)))


def test_another_process_was_faster(tmp_path, tokenizer, monkeypatch):
    path = write(tmp_path / "pairs.jsonl", aligned_pairs(5))
    first, second = (AlignedFile(path, cache=tmp_path / "cache") for _ in range(2))
    begin = first._pairs

    def slow(problems):
        assert len(second.tokens(tokenizer)) == 5
        return begin(problems)

    monkeypatch.setattr(first, "_pairs", slow)
    assert len(first.tokens(tokenizer)) == 5
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_files_that_cannot_be_used(tmp_path, tokenizer):
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(b"{}"))
    (tmp_path / "empty.jsonl").write_text("\n")
    for name, said in (("packed", "gunzip"), ("empty", "no aligned pairs"), ("none", "Cannot read")):
        for read in (len, list, lambda file: file.tokens(tokenizer)):
            with pytest.raises(TenorError, match=said):
                read(AlignedFile(tmp_path / f"{name}.jsonl"))
    with pytest.raises(TenorError, match="Cannot read"):
        AlignedFile(tmp_path).tokens(tokenizer)
