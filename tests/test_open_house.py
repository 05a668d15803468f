"""A kind of task, an encoder, an objective with texts of its own and a learner without any, from outside."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from serve.live import running
from tenor import extend
from tenor.encoders.table import ENCODERS
from tenor.layers.pooling import pool_mean
from tenor.tasks.table import KINDS
from tenor.training.api import train
from tenor.use.classify.classifying import classify
from tenor.use.evaluate.evaluating import evaluate


@dataclass(frozen=True, kw_only=True)
class CountSpec(extend.TaskSpec):
    kind: ClassVar[str] = "count"
    metric: str = "error"
    most: float = 1.0

    def targets(self, examples, *, name):
        return np.array([each.score for each in examples], dtype=np.float32)

    def scores(self, predictions, targets, **more):
        sums = np.stack([np.abs(predictions - targets), np.ones(len(targets))], axis=1)
        return extend.scores_of_sums(lambda s: {"error": s[..., 0] / s[..., 1]}, sums, **more)

    def answers(self, predictions):
        return [extend.ScoreAnswer(float(each)) for each in predictions]

    def gold(self, example):
        return example.score


class CountTask(extend.Task):
    metric = extend.Metric("error", higher_is_better=False)

    def __init__(self, name, spec, encoder):
        super().__init__(name)
        self.spec, self.rate = spec, nn.Linear(encoder.hidden_size, 1)

    def prepare(self, examples, tokenizer):
        targets = self.spec.targets(examples, name=self.name)
        tokens = tokenizer.tokenize([each.text for each in examples])
        return extend.TaskData(examples=examples, tokens=tokens, targets=targets)

    def forward(self, seen, batch):
        return functional.softplus(self.rate(pool_mean(seen.last, seen.packing))[:, 0])

    def losses(self, output, batch):
        return {"poisson": functional.poisson_nll_loss(output, batch.targets, log_input=False)}

    def predict(self, output, batch):
        return output.clamp(max=self.spec.most).numpy()


class Count(extend.Kind):
    name, about = "count", "counts something in a text"
    config, spec = extend.TaskConfig, CountSpec

    def read(self, config, file, *, problems):
        for number, line in enumerate(Path(file).read_text(encoding="utf-8").splitlines(), 1):
            yield self.example(line.rsplit("\t", 1), extend.Origin(str(file), number))

    def example(self, row, origin):
        row = extend.row_of(row, ("text", "count"), self.name)
        return extend.Sentence(row["text"], origin, score=float(row.get("count", "nan")))

    def settle(self, config, examples, *, name):
        return CountSpec(most=max(each.score for each in examples))

    def build(self, name, spec, *, encoder, pooling, seed, tasks):
        torch.manual_seed(seed)
        return CountTask(name, spec, encoder)


class Smooth(extend.EmbeddedEncoder):
    model_type = "smooth"
    hidden_size = property(lambda self: self.config.embedding_size)
    num_layers = property(lambda self: 1)

    def __init__(self, config):
        super().__init__(config)
        self.config, self.mix = config, nn.Linear(config.embedding_size, config.embedding_size)

    def forward(self, batch, *, all_states=False, pooler=False, upto=None, wanted=None):
        first = self.input_embeddings(batch)
        last = self.mix(first + pool_mean(first, batch.packing)[batch.packing.text_of])
        return extend.States(batch.packing, last, (first, last) if all_states else None)

    def depth(self, parameter):
        return 0 if parameter.startswith("embeddings") else 1


@dataclass(frozen=True, kw_only=True)
class SmoothConfig(extend.EmbeddedConfig):
    model_type: ClassVar[str] = "smooth"


@dataclass(frozen=True, kw_only=True)
class SmoothFromScratch(extend.EmbeddedFromScratch):
    model_type: Literal["smooth"] = "smooth"


class SmoothType(extend.EmbeddedType):
    model_type = "smooth"

    def from_scratch(self):
        return SmoothFromScratch

    def parts(self):
        return SmoothConfig, Smooth


class Centre(nn.Module, extend.Objective):
    """Keeps unlabelled texts near a point that is learned with the model."""

    def __init__(self, name, texts):
        super().__init__()
        self.name, self.texts, self.calls = name, texts, 0

    def prepare(self, network, tokenizer, *, seed):
        self.tokens = tokenizer.tokenize(self.texts)
        self.point = nn.Parameter(torch.full((network.size,), 5.0))

    def batch(self, generator):
        return extend.TaskBatch(rows=np.arange(len(self.tokens)), tokens=self.tokens)

    def losses(self, forward, step):
        seen, self.calls = forward.seen[self.name], self.calls + 1
        return {self.name: 0.1 * (pool_mean(seen.last, seen.packing) - self.point).pow(2).mean()}


class Line(extend.Learner):
    def __init__(self):
        self.slope, self.x = nn.Linear(1, 1, bias=False), torch.linspace(-1, 1, 16)[:, None]

    module = property(lambda self: self.slope)

    def begin_epoch(self, epoch, generator):
        return 4

    def batch(self, position, generator):
        return self.x[position::4]

    def losses(self, piece, context):
        return {"square": (self.slope(piece) - 3 * piece).pow(2).mean()}

    def evaluate(self):
        error = abs(self.slope.weight.item() - 3)
        return {
            "line": extend.Evaluation(
                scores={"e": error}, metric=extend.Metric("e", higher_is_better=False), rows=16
            )
        }


ROWS = [("loud " * n + "calm " * (5 - n), n) for n in range(6)] * 4


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("open")
    (folder / "rows.tsv").write_text("".join(f"{text}\t{n}\n" for text, n in ROWS), encoding="utf-8")
    extend.register_kind(Count())
    extend.register_encoder(SmoothType())
    tasks = {"noise": {"kind": "count", "train": ROWS, "dev": ROWS}}
    fresh, centre = {"model_type": "smooth", "embedding_size": 8}, Centre("centre", ["calm calm", "loud"])
    settings = {"from_scratch": fresh, "epochs": 60, "encoder_lr": 1e-2, "head_lr": 1e-2}
    yield train(None, tasks, objectives=[centre], out=folder / "run", **settings)
    del KINDS["count"], ENCODERS["smooth"]


def test_all_of_them_go_through_the_whole_product(run):
    model, file = run.load(), run.folder.parent / "rows.tsv"
    assert run.scores["noise"]["error"] < 0.5  # guessing the mean: 1.5
    assert model.encode(["loud"]).mean() > 1  # the objective drew it towards its point, which began at 5
    held = evaluate(model, file, task="noise", problems=extend.Problems())
    assert held.scores["error"].estimate == pytest.approx(run.scores["noise"]["error"], abs=1e-5)
    (answer,) = classify(model, ["loud loud loud loud calm"])
    assert answer["noise"].score == pytest.approx(4, abs=1)
    with running(run.model) as live:
        told = live.post("/api/classify", {"texts": ["loud loud loud loud calm"]}).json()
    assert told["results"][0]["noise"]["score"] == pytest.approx(answer["noise"].score)
    assert "noise" in run.report.read_text(encoding="utf-8")


def test_a_learner_without_text_is_trained():
    run = train(Line(), epochs=20, encoder_lr=0.1, head_lr=0.1)
    assert run.progress.best["line"] == pytest.approx(0, abs=0.01)
