"""What ``import tenor`` offers: names that are documented, shown by examples, and imported at first use."""

import doctest
import importlib
import inspect
import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

import tenor
from tenor.errors import TenorError

FUNCTIONS = ["align", "classify", "compare", "dedupe", "evaluate", "load", "tag", "train", "transfer"]
HEAVY = ["torch", "transformers", "sklearn", "openvino", "lancedb", "scipy"]
PAIRS = [("he purchased a car", "he bought a car"), ("the dog sat", "a dog was sitting")]


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_tenor_is_light():
    loaded = f"[name for name in {HEAVY} if name in sys.modules]"
    assert json.loads(run_python(f"import sys, json, tenor; dir(tenor); print(json.dumps({loaded}))")) == []


def test_settings_are_free_of_torch():
    names = [name for name in tenor.__all__ if name.endswith("Config")]
    code = f"import sys, tenor; [getattr(tenor, name) for name in {names}]; print('torch' in sys.modules)"
    assert run_python(code).strip() == "False"


def test_every_name_is_there_once_and_documented():
    assert sorted(set(tenor.__all__)) == sorted(tenor.__all__)
    for name in tenor.__all__:
        value = getattr(tenor, name)
        assert name in dir(tenor)
        if name != "__version__":
            assert inspect.getdoc(value), name
    assert isinstance(tenor.words, types.ModuleType)


def test_type_checkers_see_the_same_names_in_the_same_modules():
    source = Path(tenor.__file__).read_text(encoding="utf-8")
    for name, module in tenor._MODULES.items():
        imports = [line for line in source.splitlines() if line.startswith(f"    from tenor.{module} import")]
        assert any(name in line.split("import ")[1].split(", ") for line in imports), name
        assert getattr(importlib.import_module(f"tenor.{module}"), name) is getattr(tenor, name)
    assert {*tenor._MODULES, "TenorError", "__version__", "words"} == set(tenor.__all__)


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        _ = tenor.trian
    assert not hasattr(tenor, "np")


@pytest.mark.parametrize("name", [*FUNCTIONS, "Index", "Model"])
def test_there_is_an_example_that_runs(name):
    """pytest runs the examples of ``src/tenor`` by itself; here only that there are some, and run."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(tenor, name)))
    assert examples
    if name != "train":  # of MiniLM, which takes long; test_train_gives_a_run_that_loads is the same
        assert not any(doctest.SKIP in example.options for example in examples)


@pytest.fixture(scope="module")
def tiny(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    rows = [("a fine film", "good"), ("so very dull", "bad")] * 8
    pairs = [("a dog", "the dog", 5.0), ("a dog", "the house", 0.0)] * 8
    tasks = {
        "mood": {"kind": "classify", "train": rows, "dev": rows[:4]},
        "alike": {"kind": "similarity", "train": pairs, "dev": pairs[:4]},
    }
    small = {"model_type": "cnn", "embedding_size": 16}
    out = tmp_path_factory.mktemp("runs") / "run"
    return tenor.train(None, tasks, from_scratch=small, epochs=15, encoder_lr=0.02, out=out)


def test_train_gives_a_run_that_loads(trained):
    assert isinstance(trained, tenor.Run)
    assert set(trained.scores) == {"mood", "alike"}
    assert set(trained.load().tasks) == {"mood", "alike"}


def test_classify_takes_texts_pairs_and_files_and_a_model_by_folder(trained, tmp_path):
    answers = tenor.classify(["a fine film", "very dull"], model=trained.model)
    assert [answer["mood"].predicted for answer in answers] == ["good", "bad"]
    (pair,) = tenor.classify([("a dog", "the dog")], model=trained.load())
    assert set(pair) == {"alike"}
    file = tmp_path / "texts.txt"
    file.write_text("a fine film\nvery dull\n")
    found = tenor.classify(file, model=trained.model, task="mood")
    assert [each.answers["mood"].predicted for each in found] == ["good", "bad"]
    with pytest.raises(TypeError, match="list of its own"):
        tenor.classify("a fine film", model=trained.model)


def test_evaluate_takes_rows_and_files(trained, tmp_path):
    rows = [("a fine film", "good"), ("very dull", "bad"), ("dull", "good")]
    by_rows = tenor.evaluate(trained.model, "mood", rows)
    file = tmp_path / "rows.csv"
    file.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    by_file = tenor.evaluate(trained.load(), "mood", file, columns={"text": "text", "label": "label"})
    assert by_rows.scores == by_file.scores
    assert by_rows.scores["accuracy"].estimate == pytest.approx(2 / 3)
    mapped = tenor.evaluate(
        trained.model, "mood", [{"text": "a fine film", "label": "+"}, ("dull", "-")],
        labels={"+": "good", "-": "bad"},
    )  # fmt: skip
    assert mapped.scores["accuracy"].estimate == 1.0
    scored = [("a dog", "the dog", 5), ("a dog", "red house", 1), ("a film", "a film", 4.5)]
    assert tenor.evaluate(trained.model, None, scored).task == "cosine"
    with pytest.raises(TenorError, match="No rows"):
        tenor.evaluate(trained.model, "mood", [])


def test_compare_and_dedupe_are_those_of_the_commands(tiny, tiny_folder, tmp_path):
    from tenor.use.compare import compare
    from tenor.use.dedupe import dedupe

    assert tenor.compare(*PAIRS[1], model=tiny) == compare(tiny, *PAIRS[1])
    same = tenor.compare("the dog", "the dog", model=str(tiny_folder))
    assert same.similarity == pytest.approx(5, abs=1e-4)
    texts = ["a big dog", "the red house", "A big  dog"]
    groups = tenor.dedupe(texts, model=tiny, threshold=0.99)
    assert groups == dedupe(tiny, texts, threshold=0.99)
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(texts))
    assert tenor.dedupe(file, model=tiny, threshold=0.99).groups == groups
    with pytest.raises(TypeError, match="list of texts"):
        tenor.dedupe("a text", model=tiny)


def test_align_takes_pairs_and_files(tiny, tmp_path):
    from tenor.use.align.pairs import Aligner, WordPair

    found = tenor.align(PAIRS, model=tiny)
    words = [WordPair(tuple(first.split()), tuple(second.split())) for first, second in PAIRS]
    assert found == list(Aligner(tiny).align(words))
    assert tenor.align([(first.split(), second.split()) for first, second in PAIRS], model=tiny) == found
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{first}\t{second}\n" for first, second in PAIRS))
    report = tenor.align(file, out=tmp_path / "aligned.jsonl", model=tiny)
    assert report.pairs == 2
    lines = (tmp_path / "aligned.jsonl").read_text().splitlines()
    rows = [{"0": first, "1": second} for first, second in PAIRS]
    assert lines == [pair.to_line(row) for pair, row in zip(found, rows, strict=True)]
    with pytest.raises(TypeError, match="give out"):
        tenor.align(file, model=tiny)


def test_an_aligner_is_learned_and_used(tiny, tmp_path):
    words = ["big", "small", "red", "old", "new", "good"]
    pairs = [(f"a {how} {what}", f"the {how} {what}") for how in words for what in ("dog", "cat", "man")]
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    tenor.align(tmp_path / "pairs.tsv", out=tmp_path / "gold.jsonl", model=tiny)
    aligner = tmp_path / "aligner.safetensors"
    learned = tenor.learn_aligner(tmp_path / "gold.jsonl", out=aligner, model=tiny).learned
    assert learned.pairs + learned.held_out == len(pairs)
    assert tenor.align(PAIRS, model=tiny, aligner=aligner)[0].links


def test_an_index_is_built_added_to_searched_and_cut(tiny_folder, tmp_path):
    pytest.importorskip("lancedb")
    rows = [
        {"key": "a", "text": "the cat sat", "year": 1999},
        {"key": "b", "text": "learn the guitar", "year": 2005},
    ]
    index = tenor.Index.build(rows, tmp_path / "ix", model=tiny_folder, id_column="key", column="text")
    assert [hit.id for hit in index.search("cat", mode="lexical")] == ["a"]
    assert index.search("the", where="year > 2000", k=5)[0].columns["year"] == 2005
    report = index.add([{"key": "a", "text": "the dog sat", "year": 2011}, {"key": "c", "text": "python"}])
    assert (report.added, report.replaced, len(index)) == (1, 1, 3)
    assert index.search("dog", mode="lexical")[0].id == "a"
    with pytest.raises(TenorError, match="column 'key'"):
        index.add(["a text without its id"])
    assert index.remove(["a"], where="year = 2005").removed == 2
    assert len(tenor.Index(tmp_path / "ix")) == 1
    with pytest.raises(TypeError, match="list of ids"):
        index.remove("c")


def test_transfer_is_what_the_command_does(tiny_folder, tmp_path):
    words = ["big", "small", "red", "old", "new", "good", "bad", "fast", "slow", "blue"]
    pairs = [(f"a {how} {what}", f"the {how} {what}") for how in words for what in ("dog", "cat", "house")]
    (tmp_path / "pairs.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs))
    (tmp_path / "test.tsv").write_text("a big dog\tthe big dog\n")
    done = tenor.transfer(
        tmp_path / "pairs.tsv", out=tmp_path / "out", encoder=tiny_folder, batch_size=8,
        leave_out=[tmp_path / "test.tsv"],
    )  # fmt: skip
    assert done.pairs.left_out >= 1
    assert tenor.load(done.plain).width == 32
    assert tenor.load(done.explaining).phrases is not None


def test_callbacks_are_called(tmp_path):
    class Counting(tenor.Callback):
        steps = 0

        def on_step_end(self, learner, progress, report):
            self.steps += 1

    counting = Counting()
    rows = [("a fine film", "good"), ("so very dull", "bad")] * 8
    file = tmp_path / "rows.csv"
    file.write_text("".join(f"{text},{label}\n" for text, label in rows))
    task = tenor.ClassifyConfig(kind="classify", train=file, columns={"text": 0, "label": 1})
    small = {"model_type": "cnn", "embedding_size": 8}
    tenor.train(None, {"mood": task}, from_scratch=small, epochs=2, callbacks=[counting])
    assert counting.steps == 2
