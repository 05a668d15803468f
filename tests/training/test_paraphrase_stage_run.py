"""A paraphrase stage from a folder and two files: streamed, scored, stopped, refused."""

import pytest
import torch

from paraphrase_corpus import aligned_pairs, all_words
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.training.callbacks import Callback, StepProgress
from tenor.training.config import TrainingConfig
from tenor.training.paraphrase_stage import StageRun, run_stage
from tiny import new_bert


@pytest.fixture
def stage(tmp_path):
    torch.set_num_threads(1)
    folder = tmp_path / "encoder"
    new_bert(folder, all_words(), vocab_size=70, hidden_size=16, num_layers=1, num_heads=2, max_positions=64)
    for part, count in (("train", 40), ("dev", 12)):
        lines = [pair.to_line() + "\n" for pair in aligned_pairs(count, seed=count)]
        (tmp_path / f"{part}.jsonl").write_text("".join(lines))
    return StageRun(
        encoder=folder, train=tmp_path / "train.jsonl", dev=tmp_path / "dev.jsonl", batch_size=10,
        evaluations=2,
        training=TrainingConfig(epochs=1, encoder_lr=1e-3, head_lr=1e-3, precision="fp32"),
    )  # fmt: skip


def replaced(stage, **settings):
    return StageRun(**{name: getattr(stage, name) for name in StageRun.__slots__} | settings)


def test_it_scores_as_often_as_asked_and_tells_how_far_it_is(stage, tmp_path):
    heard = []
    listener = StepProgress(lambda done, total: heard.append((done, total)))
    found = run_stage(stage, out=tmp_path / "run", callbacks=[listener])
    assert heard == [(step, 4) for step in range(1, 5)]
    assert set(found.scores) >= {"phrasal_accuracy", "sentential_accuracy", "recall_random"}
    assert (tmp_path / "run" / "log.jsonl").read_text().count('"evaluation"') == 2
    assert not found.network.training
    told = (tmp_path / "run" / "run.toml").read_text()
    assert 'monitor = "stage.phrasal_accuracy"' in told
    assert "[stage]" in told


def test_without_phrases_the_sentential_score_is_watched(stage, tmp_path):
    config = PhrasesSpec(phrasal="none")
    found = run_stage(replaced(stage, config=config, max_tokens=16), out=tmp_path / "run")
    assert set(found.scores) == {"sentential_accuracy"}
    assert 'monitor = "stage.sentential_accuracy"' in (tmp_path / "run" / "run.toml").read_text()


def test_a_folder_that_was_begun_with_other_pairs_is_refused(stage, tmp_path):
    run_stage(stage, out=tmp_path / "run")
    stage.train.write_text("".join(pair.to_line() + "\n" for pair in aligned_pairs(40, seed=3)))
    with pytest.raises(TenorError, match="has changed since"):
        run_stage(stage, out=tmp_path / "run")


def test_a_folder_that_was_begun_with_another_encoder_is_refused(stage, tmp_path):
    run_stage(stage, out=tmp_path / "run")
    other = tmp_path / "elsewhere" / "encoder"  # of the same name
    new_bert(
        other, all_words(), vocab_size=70, hidden_size=16, num_layers=1, num_heads=2, max_positions=64, seed=7
    )
    for changed in ({"encoder": other}, {"decreases": 3}, {"max_tokens": 32}):
        with pytest.raises(TenorError, match="holds another run"):
            run_stage(replaced(stage, **changed), out=tmp_path / "run")


def test_what_is_not_learned_from_is_told(stage, tmp_path):
    odd = '{"s": ["bami", "\u200b"], "t": ["mi"], "alignments": [[[0, 1], [0, 0]]]}'
    with stage.train.open("a", encoding="utf-8") as file:
        file.write("\n".join([odd, "garbage", ""]))
    heard = []

    class Hearing(Callback):
        def note(self, text):
            heard.append(text)

    found = run_stage(stage, out=tmp_path / "run", callbacks=[Hearing()])
    assert "1 problem" in heard[0]
    assert "train.jsonl:42" in heard[0]
    assert "1 aligned phrase pairs are left out" in heard[1]
    assert found.notes == tuple(heard)
    with pytest.raises(TenorError, match=r"train\.jsonl:42"):
        run_stage(replaced(stage, strict=True), out=tmp_path / "strict")


def test_what_is_frozen_stays(stage, tmp_path):
    before = BertCheckpoint.load(stage.encoder).encoder
    frozen = replaced(stage, training=TrainingConfig(epochs=1, freeze="encoder", precision="fp32"))
    found = run_stage(frozen, out=tmp_path / "run")
    for one, two in zip(before.parameters(), found.network.encoder.parameters(), strict=True):
        assert torch.equal(one, two)
    assert found.network.task("stage").phrases.out.bias.abs().sum() > 0


def test_pairs_without_any_alignment_are_refused_for_phrases(stage, tmp_path):
    stage.train.write_text(
        '{"s": ["a"], "t": ["b"], "alignments": []}\n{"s": ["c"], "t": ["d"], "alignments": []}\n'
    )
    with pytest.raises(TenorError, match="No pair has an aligned phrase"):
        run_stage(stage, out=tmp_path / "run")
