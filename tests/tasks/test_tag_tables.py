"""Tables of a tagger: by type, overlaps, confusion; and that they reach evaluation and report."""

import json

import numpy as np

import tenor
from small_tagger import tagged_rows, train_tagger
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.tables import span_tables
from tenor.text.problems import Problems
from tenor.text.ragged import Ragged
from tenor.use.evaluate.evaluating import evaluate


def test_rows_are_those_of_the_types():
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]]
    given = [["B-PER", "O", "O", "B-PER"], ["B-LOC", "B-ORG"]]
    by_type, overlaps, confusion = span_tables(gold, given)
    cells = {row[0]: row[1:] for row in by_type.rows}
    assert cells["LOC"][:3] == (1.0, 0.5, 2 / 3)
    assert cells["PER"][:3] == (0.0, 0.0, 0.0)
    assert cells["LOC"][-1] == 2
    assert {row[0]: row[1] for row in overlaps.rows}["f1_relaxed"] == 2 * (3 / 4) * 1 / (3 / 4 + 1)
    assert confusion.columns == ("gold", "LOC", "ORG", "PER", "(none)")
    assert confusion.rows == (
        ("LOC", 1, 0, 1, 0), ("ORG", 0, 0, 0, 0), ("PER", 0, 0, 1, 0), ("(none)", 0, 1, 0, 0),
    )  # fmt: skip


def test_plain_tags_have_no_such_tables():
    spec = TagSpec(labels=("N", "V"), scheme="plain", metric="accuracy")
    assert spec.tables([np.zeros((1, 3))], Ragged.from_lists([["N"]], dtype=np.str_)) == ()


def test_tables_reach_evaluation_metrics_and_report(tiny_folder, tmp_path):
    folder = train_tagger(tiny_folder, tmp_path / "run")
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    titles = [table["title"] for table in metrics["tasks"]["names"]["tables"]]
    assert titles[0] == "By type"
    assert "Gold spans and the types predicted for them" in (tmp_path / "run" / "report.html").read_text()
    lines = [
        "\n".join(f"{word} {tag}" for word, tag in zip(*row, strict=True)) for row in tagged_rows(20, seed=9)
    ]
    (tmp_path / "dev.conll").write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    found = evaluate(tenor.load(folder), tmp_path / "dev.conll", problems=Problems())
    assert [row[0] for row in found.tables[0].rows] == ["ANIMAL", "PLACE"]
    assert found.to_json()["tables"][0]["columns"][0] == "type"
    assert found.metric == "f1"
