"""``tenor.train``: rows as people have them, and what it refuses."""

import numpy as np
import pytest

from small_runs import write_run
from tenor.errors import TenorError
from tenor.model import load
from tenor.training.api import train
from tenor.use.classify.classifying import classify

ROWS = [("good day", "good"), ("bad day", "bad")] * 4


def test_a_model_outlives_the_run_that_it_came_from(tiny_folder):
    model = train(tiny_folder, {"mood": {"kind": "classify", "train": ROWS}}, epochs=1).load()
    assert classify(model, ["good day"])[0]["mood"].label in ("good", "bad")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"review": "good", "label": "a"}], "memory.*needs text and label, but has review, label"),
        ([{"text": float("nan"), "label": "a"}], "its text is nan"),
        ([(None, "a")], "its text is None"),
    ],
)
def test_rows_without_text_are_told(tiny_folder, rows, message):
    with pytest.raises(TenorError, match=message):
        train(tiny_folder, {"mood": {"kind": "classify", "train": rows}}, epochs=1)


def table_of(library, columns):
    if library == "pandas":
        import pandas

        # Labels of a part of a table are not its positions.
        return pandas.DataFrame(columns, index=range(100, 100 + len(ROWS)))
    if library == "pyarrow":
        import pyarrow

        return pyarrow.table(columns)
    import datasets

    return datasets.Dataset.from_dict(columns)


@pytest.mark.parametrize("library", ["pandas", "pyarrow", "datasets"])
def test_tables_of_other_libraries_train_as_their_rows_do(library, tiny_folder):
    texts, labels = map(list, zip(*ROWS, strict=True))
    table = table_of(library, {"review": texts, "mood": labels, "id": list(range(len(ROWS)))})
    task = {"kind": "classify", "batch_size": 4}
    columns = {"text": "review", "label": "mood"}
    ours = train(tiny_folder, {"mood": task | {"train": ROWS}}, epochs=1).load()
    theirs = train(tiny_folder, {"mood": task | {"train": table, "columns": columns}}, epochs=1).load()
    rows = [("bad day",), ("good day",)]
    assert np.array_equal(ours.predict("mood", rows), theirs.predict("mood", rows))


def test_what_would_be_passed_over_is_refused(tiny_folder, tmp_path):
    run = write_run(tmp_path / "run")
    for name, value in {"seed": 9, "pooling": "cls", "max_tokens": 7, "updates": {"a": {}}}.items():
        with pytest.raises(TenorError, match=f"{name} belongs in the run file"):
            train(run, out=tmp_path / "out", **{name: value})
    with pytest.raises(TenorError, match="not with both"):
        train(tiny_folder, {"mood": {"kind": "classify", "train": ROWS}}, from_scratch={"model_type": "lstm"})
    with pytest.raises(TenorError, match="tasks are given by name"):
        train(tiny_folder, ROWS)
    with pytest.raises(TenorError, match="nothing to train"):
        train(None)


def test_training_settings_of_a_run_file_are_taken_in_all_types(tmp_path):
    run = write_run(tmp_path / "run")
    out = train(run, out=tmp_path / "out", epochs=1, eval_on_start=True, schedule="constant", steps=None)
    written = (out.folder / "run.toml").read_text(encoding="utf-8")
    assert "eval_on_start = true" in written
    assert 'schedule = "constant"' in written


def test_texts_in_arrays_and_what_is_no_text(tiny_folder):
    model, texts = load(tiny_folder, precision="fp32"), ["a cat", "a dog"]
    assert np.array_equal(model.encode(np.array(texts)), model.encode(texts))
    with pytest.raises(TenorError, match=r"number 1 \(from 0\) is None"):
        model.encode(["a", None])


def test_rows_without_any_label_are_called_so(tiny_folder):
    with pytest.raises(TenorError, match="no row has a label"):
        train(tiny_folder, {"mood": {"kind": "classify", "train": [("a day",), ("a cat",)]}}, epochs=1)
