"""Fixtures of recipes: small data sets and vectors in place of assets, and training only noted down."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

import tenor
from tenor.model import predicting
from tenor.recipes.recipe import Cell, CellResult, Context
from tenor.recipes.rows import Row, read_rows
from tenor.training import running
from tenor.training.config import RunConfig
from tenor.words import WordVectors, vector_assets
from tenor.words.evaluate import reading
from word_recipe_data import QUESTIONS, STOP_WORDS, WORDS, random_vectors, write


@pytest.fixture
def word_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the benchmarks, texts and lists that the recipes read, and stand in for the assets' files."""
    folder = tmp_path / "data"
    rng = np.random.default_rng(5)
    benchmarks = folder / "word-benchmarks"
    for name in ("simlex999", "mturk-771", "rg-65", "mc-30", "men", "mturk-287", "yp-130", "verb-143"):
        pairs = rng.integers(0, 60, (30, 2))
        rows = [
            f"{row},w{a},w{b},{score:.3f}"
            for row, ((a, b), score) in enumerate(zip(pairs, rng.random(30), strict=True))
        ]
        text = "\n".join([",word1,word2,similarity", *rows]) + "\n"
        write(benchmarks / f"word-similarity/monolingual/en/{name}.csv", text)
    for name in ("google-analogies", "msr"):
        rows = [
            f"{kind}," + ",".join(f"w{word}" for word in rng.permutation(60)[:4])
            for kind, count in QUESTIONS.items()
            for _ in range(count)
        ]
        text = ",type,word1,word2,word3,target\n" + "".join(f"{n},{row}\n" for n, row in enumerate(rows))
        write(benchmarks / f"word-analogy/monolingual/en/{name}.csv", text)
    for name in ("ap", "bless"):
        text = ",category,word\n" + "".join(f"{n},c{n % 3},w{n}\n" for n in range(40))
        write(benchmarks / f"word-categorization/monolingual/en/{name}.csv", text)
    lines = [" ".join(WORDS[word] for word in rng.integers(0, 60, 9)) + " the of a" for _ in range(120)]
    write(folder / "text-en/gutenberg_prose.txt.gz", "\n".join(lines))
    (folder / "nltk").mkdir()
    with ZipFile(folder / "nltk/stopwords.zip", "w") as archive:
        archive.writestr("stopwords/english", "\n".join(STOP_WORDS))
    asset = [folder / f"assets/{name}.tsv" for name in ("simlex999", "wordsim353")]
    for path in asset:
        pairs = rng.integers(0, 60, (30, 2))
        write(path, "".join(f"w{a}\tw{b}\t{rng.random():.3f}\n" for a, b in pairs))
    monkeypatch.setattr(reading, "_asset_files", lambda: asset)
    return folder


@pytest.fixture
def word_assets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Open small vectors wherever an asset is asked for, and list the names that were."""
    opened: list[str] = []

    def read(name: Path, **_: Any) -> WordVectors:
        opened.append(str(name))
        return random_vectors(len(str(name)), counts=False)

    monkeypatch.setattr(vector_assets, "read_asset", read)
    return opened


@dataclass
class Recorded:
    """What was to be trained and asked in place of doing so."""

    runs: dict[Path, RunConfig] = field(default_factory=dict)
    files: dict[Path, dict[str, list[Row] | None]] = field(default_factory=dict)
    """Run folder -> "TASK.train" and "TASK.dev" -> the rows that stood in the file when training began."""
    asked: list[tuple[Path, str, list[list[str]]]] = field(default_factory=list)
    """Run folder, task and texts, for each time that a model was asked."""
    said: list[Any] = field(default_factory=list)

    def train_run(self, run: RunConfig, *, out: Path, callbacks: Any = ()) -> None:
        assert out not in self.runs
        self.runs[out] = run
        self.files[out] = {
            f"{name}.{part}": None if (file := getattr(task, part)) is None else read_rows(file)
            for name, task in run.tasks.items()
            for part in ("train", "dev")
        }
        out.mkdir(parents=True)
        metrics = {"tokens": 1000, "best_step": 3, "steps": 7, "seconds": 1.0, "precision": "fp32"}
        scored = [name for name, task in run.tasks.items() if task.dev is not None]
        metrics |= {"tasks": {name: {"metric": f"main of {name}"} for name in scored}}
        (out / "metrics.json").write_text(json.dumps(metrics))
        lines = [
            {"step": step, "evaluation": {
                name: {"loss": 9.0, "scores": {"other": 0.9, f"main of {name}": step / 10}} for name in scored
            }}
            for step in (3, 7)
        ]  # fmt: skip
        (out / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def load(self, folder: Path | str, *, precision: str) -> Any:
        assert precision == "fp32"
        configs = self.runs[Path(folder).parent].tasks if Path(folder).parent in self.runs else {}
        tasks = {
            name: SimpleNamespace(name=name, spec=SimpleNamespace(labels=getattr(config, "labels", None)))
            for name, config in configs.items()
        }
        return SimpleNamespace(folder=Path(folder), tasks=tasks, encode=_vectors)

    def predict(self, model: Any, task: Any, texts: list[Any], *, progress: Any = None) -> Any:
        self.asked.append((model.folder.parent, task.name, [list(each) for each in texts]))
        generator = np.random.default_rng(len(self.asked))
        labels = task.spec.labels
        self.said.append(generator.random((len(texts), len(labels)) if labels else len(texts)))
        return self.said[-1]


def _vectors(texts: list[str]) -> np.ndarray:
    return np.stack([np.random.default_rng(list(text.encode())).standard_normal(8) for text in texts])


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Note down what is trained and asked, and answer at random."""
    noted = Recorded()
    monkeypatch.setattr(running, "train_run", noted.train_run)
    monkeypatch.setattr(tenor, "load", noted.load)
    monkeypatch.setattr(predicting, "predict", noted.predict)
    return noted


@pytest.fixture
def context_of(tmp_path: Path) -> Callable[..., Context]:
    """Return a function that makes the context of a cell: ``context_of(settings, seed=2)``."""

    def place(name: str, settings: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()
        return tmp_path / "shared" / f"{name}-{digest[:12]}"

    def make(settings: Mapping[str, Any], *, seed: int = 1, made_by: Any = lambda cell: None) -> Context:
        work = tmp_path / f"work-{len(list(tmp_path.glob('work-*')))}"
        work.mkdir()
        return Context(
            scale="small", seed=seed, settings=settings, data=None, work=work,
            folder=lambda name: tmp_path / name, shared_place=place, made_by=made_by,
        )  # fmt: skip

    return make


@pytest.fixture
def run_cell(context_of: Callable[..., Context]) -> Callable[..., CellResult]:
    """Return a function that runs a cell of a scale's plan on made-up rows: ``run_cell(recipe, name)``."""

    def run(recipe: Any, name: str, *, scale: str = "full", seed: int = 1, **settings: Any) -> CellResult:
        plan = recipe.plan(scale)
        cell: Cell = plan.cell(name)
        return recipe.run(cell, context_of({**plan.settings, **settings}, seed=seed))

    return run
