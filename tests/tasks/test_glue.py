"""Sections of run files for GLUE read the same examples as GLUE's own reader."""

import pytest

from tenor.tasks.glue import glue_config
from tenor.tasks.table import kind_of
from tenor.text.glue import GLUE, read_glue
from tenor.text.problems import Problems

ANSWERS = {"stsb": ("0.5", "4.25")}


@pytest.mark.parametrize("name", sorted(GLUE))
def test_a_section_reads_what_the_reader_reads(name, tmp_path):
    task = GLUE[name]
    config = glue_config(task, tmp_path)
    lines = []
    if not task.headless:
        lines.append("\t".join(["index", *task.texts, task.answer]))
    for number, answer in enumerate(ANSWERS.get(name, task.labels[-2:])):
        texts = [f'He "said {number} {side}' for side in range(len(task.texts))]
        row = ["gj04", answer, "", *texts] if task.headless else [str(number), *texts, answer]
        lines.append("\t".join(row))
    for file in (config.train, config.dev):
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wanted = list(read_glue(task, config.train, problems=Problems(strict=True)))
    kind = kind_of(config.kind)
    found = list(kind.read(config, config.train, problems=Problems(strict=True)))
    assert [(each.texts, each.label, each.score) for each in found] == [
        (each.texts, each.label, each.score) for each in wanted
    ]
    spec = kind.settle(config, found, name=name)
    assert (spec.metric, spec.head, spec.pooling, spec.sides) == (task.metric, "linear", "pooler", 1)
    assert spec.labels_shown == task.labels
