"""Transfer fine-tuning: its data without leaks, its cells, its runs that go on after a kill."""

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import tenor
from corpus_files import writer
from tenor.errors import TenorError
from tenor.metrics.outcomes import Outcome, column_from_json
from tenor.metrics.verdicts import Verdict
from tenor.recipes.import_results import publish_files
from tenor.recipes.page import _claim_row
from tenor.recipes.recipe import Cell
from tenor.recipes.results import Results, read_results, write_results
from tenor.recipes.runner import run_recipe
from tenor.recipes.transfer_fine_tuning import encoders, made_up, pretraining, stage_pairs
from tenor.recipes.transfer_fine_tuning.claims import CLAIMS, USABLE
from tenor.recipes.transfer_fine_tuning.data import MADE_UP
from tenor.recipes.transfer_fine_tuning.recipe import RECIPE
from tenor.recipes.transfer_fine_tuning.scoring import MAIN, scored
from tenor.tensors import read_safetensors


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)


def test_the_plan_is_that_of_the_issue():
    cells = {cell.name: cell for cell in RECIPE.plan("small").cells}
    assert RECIPE.plan("small").seeds == 10  # of the gate; the other cells have five at most
    for encoder in ("starter", "vanilla"):
        for stage in ("plain", "transferred"):
            assert len(cells[f"{encoder}-{stage}-1000"].settings["tasks"]) == 6
            assert cells[f"{encoder}-{stage}-1000"].seeds(10) == 5
            for rows in (250, 4000):
                assert cells[f"{encoder}-{stage}-{rows}"].settings["tasks"] == ["mrpc", "stsb", "quora"]
                assert cells[f"{encoder}-{stage}-{rows}"].seeds(5) == 3
        for stage in ("sentence", "3way", "3way-simple", "binary"):
            for name in (f"{encoder}-{stage}-1000", f"{encoder}-{stage}-x3-1000"):
                assert cells[name].settings["tasks"] == ["mrpc", "stsb", "rte"]
    assert {name for name, cell in cells.items() if cell.seeds(10) == 10} == {
        "random-plain-1000-stsb-all",
        "vanilla-plain-1000-stsb-all",
    }
    assert list(cells)[:2] == ["starter-plain-1000", "starter-transferred-1000"]
    # Plain and transferred are fine-tuned alike.
    tuned = [cell.settings["fine_tuning"] for cell in cells.values() if "fine_tuning" in cell.settings]
    assert all(one == tuned[0] for one in tuned)
    full = {cell.name for cell in RECIPE.plan("full").cells}
    for rows in (1000, 5000, 10_000, 20_000, "all"):
        assert {f"{name}-{rows}" for name in ("starter-plain", "starter-transferred")} <= full
    named = [name for claim in CLAIMS for name in claim.contrast.cells]
    assert not any("in-task" in name for name in named)


def _made_up_results(skills):
    """Make results of three seeds, in which a cell gets a share of the items right."""
    random = np.random.default_rng(0)
    gold, graded = random.integers(0, 2, 400), random.random(400)

    def outcomes(skill):
        right = random.random(400) < skill
        chosen = np.where(right, gold, 1 - gold)
        f1, graded_too = (
            Outcome.of("f1", gold, chosen, items="m"),
            graded + (1 - skill) * random.normal(size=400),
        )
        return {
            MAIN["mrpc"]: f1,
            "MRPC AUC": Outcome.of("auc", gold, chosen + 0.1 * random.random(400), items="m"),
            MAIN["stsb"]: Outcome.of("pearson", graded, graded_too, items="s"),
            MAIN["stsb-all"]: Outcome.of("pearson", graded, graded_too, items="s"),
            MAIN["sst2"]: Outcome.of("mean", right, items="t"),
            MAIN["rte"]: Outcome.of("mean", right, items="r"),
        }

    cells = [
        {"cell": cell, "seed": seed, "origin": 0, "seconds": 1, "notes": [], "series": {}, "extras": {},
         "outcomes": {name: one.as_dict() for name, one in outcomes(skill).items()}}
        for cell, skill in skills.items()
        for seed in (1, 2, 3)
    ]  # fmt: skip
    columns = {}
    for cell in cells:
        for outcome in cell["outcomes"].values():
            keys = [f"{len(columns) + n}" for n, _ in enumerate(outcome["columns"])]
            columns |= dict(zip(keys, map(column_from_json, outcome["columns"]), strict=True))
            outcome["columns"] = keys
    return Results(RECIPE, {"scale": "small", "seeds": 3, "cells": cells}, columns)


def _claim(text):
    return next(claim for claim in CLAIMS if claim.text == text)


def test_claims_on_an_encoder_that_learned_nothing_are_undecided():
    def judged(random_skill):
        skills = {f"random-plain-1000{more}": random_skill for more in ("", "-mrpc", "-stsb-all")}
        # Well above the constant answer.
        skills |= {f"vanilla-plain-1000{more}": 0.8 for more in ("", "-mrpc", "-stsb-all")}
        claim = _claim("H3: it helps inference (RTE). (vanilla)")
        assert claim.provided == USABLE
        return _made_up_results(skills | {"vanilla-transferred-1000": 0.95}).judged(claim)

    assert judged(0.2).verdict == Verdict.holds
    doubtful = judged(0.8)
    assert doubtful.verdict == Verdict.undecided
    assert "random initialisation" in doubtful.note


def test_the_verdict_by_the_first_rule_stays_beside_the_new_one():
    names = [f"{encoder}-plain-1000{more}" for encoder in ("random", "vanilla") for more in ("", "-mrpc")]
    found = _made_up_results(dict(zip(names, (0.5, 0.5, 0.6, 0.6), strict=True)))
    gate = USABLE[0]
    assert gate.contrast.weights == {("vanilla-plain-1000", "MRPC Matthews"): 1.0,
                                     ("random-plain-1000", "MRPC Matthews"): -1.0}  # fmt: skip
    judged = found.judged(gate)
    from sklearn.metrics import matthews_corrcoef

    columns = {cell: found.measured[cell][1][MAIN["mrpc"]].columns for cell in names}
    for cell, (gold, chosen) in columns.items():
        assert found.measured[cell][1]["MRPC Matthews"].score == pytest.approx(
            matthews_corrcoef(gold, chosen)
        )
    assert judged.earlier.claim.contrast.weights.keys() == {
        ("vanilla-plain-1000", "MRPC F1"),
        ("random-plain-1000", "MRPC F1"),
    }
    row = _claim_row(1, judged, adjusted=True)
    assert "by F1, the first rule: undecided: at chance, " in row[-1]
    for claim in CLAIMS:
        if claim.text.endswith("(vanilla)"):
            assert claim.provided == USABLE
            assert MAIN["mrpc"] in {
                metric for one in claim.earlier.provided for _, metric in one.contrast.weights
            }
            assert claim.earlier.earlier is None


def test_a_cell_below_its_encoders_plain_cosine_is_told():
    skills = {"starter-plain-1000": 0.7, "starter-transferred-1000": 0.75, "starter-cosine-1000": 0.99}
    judged = _made_up_results(skills).judged(_claim("H1: it helps MRPC, by Matthews. (starter)"))
    assert "below no training: starter, transferred, 1,000 rows, MRPC Matthews (−0." in judged.note
    assert "; starter, plain, 1,000 rows, MRPC Matthews (−0." in judged.note
    better = _made_up_results(skills | {"starter-cosine-1000": 0.6})
    assert "no training" not in better.judged(_claim("H1: it helps MRPC, by Matthews. (starter)")).note


def test_8_what_was_published_goes_in_the_directions_of_the_specification():
    """The parts of its eighth check that need real tasks and an encoder that others have pre-trained."""
    published = Path(__file__).parents[2] / "docs" / "results" / "transfer-fine-tuning.json"
    found = read_results(RECIPE, published)
    assert found.scale == "small"

    def gains(task, rows):
        both = [found.scores(f"starter-{stage}-{rows}", MAIN[task]) for stage in ("transferred", "plain")]
        assert len(both[0]) == len(both[1]) >= 3
        return np.subtract(*both)

    same = ("mrpc", "stsb", "quora")
    by_rows = {rows: np.mean([gains(task, rows) for task in same], axis=0) for rows in (250, 1000, 4000)}
    assert min(by_rows[1000]) > 0, "every seed gains from the stage"
    assert by_rows[250].mean() > by_rows[1000].mean() > by_rows[4000].mean()
    for task in ("sst2", "cola"):
        assert gains(task, 1000).mean() < 0.01
    verdicts = {one.claim.text: one.verdict for one in found.judgements}
    for text, verdict in verdicts.items():
        if text.endswith("(starter)") and text.startswith(("H1: the stage", "H2")):
            assert verdict is Verdict.holds


def test_english_texts_with_the_same_translation():
    rows = [
        ("Where is the old station?", "Où est la gare ?"),
        ("Where can I find the station?", "Où est la gare?"),
        ("where is the old station", "Où est la gare ?"),
        ("How do I get to the station?", "Où est la gare ?"),
        ("Stop.", "Où est la gare ?"),
        ("This one is alone in here.", "Seul."),
    ]
    assert list(stage_pairs.pivots(rows)) == [
        ("Where is the old station?", "Where can I find the station?"),
        ("Where can I find the station?", "How do I get to the station?"),
    ]


def test_the_sources_of_the_stage_give_what_says_the_same(tmp_path):
    write = writer(tmp_path)
    for part, text in {"_s1.txt": "one\ntwo\n", "_s2.txt": "eins\nzwei\n", ".labels": "0\n1\n"}.items():
        write(f"pan-paraphrase/pan-train{part}.gz", text)
    for part, text in {"norm": "a -lrb- b", "simp": "a", "turk.0": "b", "turk.1": "c"}.items():
        write(f"turkcorpus/tune.8turkers.tok.{part}", text + "\n")
    for part in ("mtref", "wiki"):
        row = f"0\t{part} one\tN/A\t{part} two\tN/A\t1\t1\t0-0\t\n"
        write(f"multimwa/{part}-train.tsv.gz", row)
    for language, english in (("fra", "We all go home now."), ("deu", "All of us go home.")):
        write(f"tatoeba/{language}-eng.zip", {f"{language}.txt": f"{english}\tX.\nGo.\tX.\n"})
    context = SimpleNamespace(
        data=tmp_path, settings={"more_languages": False}, folder=lambda name: tmp_path / name
    )
    assert {name: list(pairs) for name, pairs in stage_pairs._sources(context).items()} == {
        "PAN, train": [("two", "zwei")],
        "TurkCorpus, tune": [("a ( b", "a"), ("a ( b", "b"), ("a ( b", "c")],
        "MultiMWA, train": [("mtref one", "mtref two"), ("wiki one", "wiki two")],
        "Tatoeba, same translation": [("We all go home now.", "All of us go home.")],
    }


def test_no_pair_and_no_text_of_a_task_is_left_in_the_stage(monkeypatch):
    known = {"mrpc": [("The cat sat on a mat.", "A cat was sitting on the mat."), ("x", "y")]}
    single = ["This film is a real joy."]
    sources = {
        "one": [
            ("a cat was sitting on the mat", "The cat sat on a mat"),  # the pair, turned round
            ("The cat sat on a mat!", "Something else is said here."),  # one of its texts
            ("This film is a real joy", "This movie is fun."),  # a text of a task of single texts
            ("x", "z"),  # too short to say anything
            ("We go home now, all of us.", "All of us go home now."),
            ("all of us go home NOW", "We go home now, all of us"),  # the same again
            ("The same text twice.", "the same text twice"),
        ]
    }
    context = type("Context", (), {"data": "somewhere"})()
    monkeypatch.setattr(stage_pairs, "evaluated", lambda context: known)
    monkeypatch.setattr(stage_pairs, "single_texts", lambda context: iter(single))
    monkeypatch.setattr(stage_pairs, "_sources", lambda context: sources)
    pairs, counts = stage_pairs.gather_pairs(context, in_task=False)
    assert pairs == [("x", "z"), ("We go home now, all of us.", "All of us go home now.")]
    assert counts == {"one": {"pairs": 7, "leaks": 3, "repeats": 2, "kept": 2}}
    tested = ("Tested elsewhere is this pair.", "This pair is tested elsewhere.")
    own = [*known["mrpc"], (tested[1], tested[0].lower())]  # of one task to train on, of another to test on
    monkeypatch.setattr(stage_pairs, "_in_task", lambda context: iter(own))
    monkeypatch.setattr(stage_pairs, "_tested", lambda context: {"stsb": [tested]})
    pairs, counts = stage_pairs.gather_pairs(context, in_task=True)
    assert pairs[2:] == known["mrpc"]
    assert counts["rows of the tasks (in-task)"] == {"pairs": 3, "leaks": 1, "repeats": 0, "kept": 2}
    monkeypatch.setattr(stage_pairs, "_sources", lambda context: {"one": known["mrpc"]})
    with pytest.raises(TenorError, match="No pairs are left"):
        stage_pairs.gather_pairs(context, in_task=False)


def test_made_up_rows_can_be_learned_and_are_of_both_classes():
    for task in MAIN:
        rows = made_up.rows(task, 20, np.random.default_rng(0))
        answers = {row.get("label", row.get("score")) for row in rows}
        assert len(answers) > 1
    first, second = made_up.paraphrases(1, np.random.default_rng(0))[0]
    assert first.split()[-1] == second.split()[-1] == "."


def test_scores_are_the_official_ones():
    from scipy.stats import pearsonr
    from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef

    random = np.random.default_rng(1)
    told = random.random((50, 2))
    chosen = told.argmax(axis=1)
    gold = random.integers(0, 2, 50)
    rows = [{"label": str(label)} for label in gold]
    found = scored("mrpc", rows, told)
    assert found["MRPC F1"].score == pytest.approx(f1_score(gold, chosen))
    assert found["MRPC accuracy"].score == pytest.approx(accuracy_score(gold, chosen))
    assert scored("cola", rows, told)["CoLA Matthews"].score == pytest.approx(matthews_corrcoef(gold, chosen))
    graded = random.random(50) * 5
    scores = scored("stsb", [{"score": score} for score in graded], told[:, 0])
    assert scores["STS-B Pearson"].score == pytest.approx(pearsonr(graded, told[:, 0])[0])


def cut(recipe, *cells, **settings):
    plan = recipe.plan("tiny")
    wanted = tuple(
        cell if isinstance(cell, Cell) else next(c for c in plan.cells if c.name == cell) for cell in cells
    )
    new = replace(plan, cells=wanted, settings={**plan.settings, **settings})
    return replace(recipe, scales={"tiny": new})


def test_pretraining_in_pieces_is_the_same_as_in_one(tmp_path):
    pieces = [Cell(name=f"pretraining-{n}", seeded=False, settings={"share": n / 2}) for n in (1,)]
    whole = run_recipe(cut(RECIPE, "pretraining"), tmp_path / "whole")
    parted = run_recipe(cut(RECIPE, *pieces, "pretraining"), tmp_path / "parted")
    assert not whole.failed
    assert not parted.failed
    one, two = (
        (tmp_path / name).glob("shared/*/run/model/model.safetensors") for name in ("whole", "parted")
    )
    assert next(one).read_bytes() == next(two).read_bytes()
    logged = next((tmp_path / "parted").glob("shared/*/run/log.jsonl")).read_text().splitlines()
    steps = [json.loads(line)["step"] for line in logged if "losses" in json.loads(line)]
    assert steps == sorted(set(steps))
    curve = parted.results.series("pretraining", "loss on train")
    assert len(curve[0]["step"]) == len(steps)


def test_the_vanilla_encoder_comes_with_results_of_elsewhere(tmp_path, monkeypatch):
    there = run_recipe(cut(RECIPE, "pretraining"), tmp_path / "there")
    publish_files(there.results, tmp_path / "there", tmp_path)
    made = tmp_path / "transfer-fine-tuning-files/pretraining/encoder"
    assert "research only" in (made / "README.md").read_text(encoding="utf-8")
    run = next((tmp_path / "there").glob("shared/*/run"))
    whole, halved = (read_safetensors(folder / "model.safetensors") for folder in (run / "model", made))
    assert {one.format for one in halved.values()} == {"F16"}
    assert tenor.load(made).fingerprint == json.loads((made / "tenor.json").read_text())["fingerprint"]
    for name, one in whole.items():
        np.testing.assert_allclose(halved[name].to_float32(), one.to_float32(), rtol=1e-3, atol=1e-7)

    monkeypatch.setattr(pretraining, "_pretrain", lambda *_: pytest.fail("pre-trained again"))
    given = next(cell for cell in RECIPE.plan("tiny").cells if cell.name == "vanilla-transferred-1000")
    own = {name: value for name, value in given.settings.items() if name != "stage"}
    own |= {"tasks": ["mrpc"], "rows": "all"}
    cells = [Cell(name=name, settings={**own, "encoder": name}) for name in ("vanilla", "random")]
    write_results(there.results, tmp_path / "transfer-fine-tuning.json")
    here = run_recipe(
        cut(RECIPE, "pretraining", *cells), tmp_path / "here", earlier=tmp_path / "transfer-fine-tuning.json"
    )
    assert (here.taken.count, here.computed, here.failed) == (1, 2, ())
    assert here.results.extras("vanilla", "mrpc")[0]["rows"] == MADE_UP["train"]
    (beginning,) = (tmp_path / "here").glob("shared/*/beginning")
    for name in ("tokenizer.json", "model.safetensors"):
        assert (beginning / name).read_bytes() == (run / "from_scratch" / name).read_bytes()


@pytest.mark.slow
def test_a_stage_that_was_killed_goes_on(tmp_path, monkeypatch):
    recipe = cut(RECIPE, "seen")
    from tenor.training.callbacks import RunFolderCallback

    on_step_end = RunFolderCallback.on_step_end

    def dying(self, learner, progress, report):
        on_step_end(self, learner, progress, report)
        if report.step == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(RunFolderCallback, "on_step_end", dying)
        with pytest.raises(KeyboardInterrupt):
            run_recipe(recipe, tmp_path / "killed")
    assert not run_recipe(recipe, tmp_path / "killed").failed
    assert not run_recipe(recipe, tmp_path / "whole").failed
    one, two = (
        next((tmp_path / name).glob("shared/*/plain/model.safetensors")) for name in ("killed", "whole")
    )
    assert one.read_bytes() == two.read_bytes()


def test_a_rate_is_chosen_on_training_rows(tmp_path):
    given = next(cell for cell in RECIPE.plan("tiny").cells if cell.name == "starter-plain-1000")
    tuning = {**given.settings["fine_tuning"], "learning_rates": [1e-5, 1e-3]}
    del tuning["encoder_lr"]
    cell = replace(given, settings={**given.settings, "tasks": ["stsb"], "fine_tuning": tuning})
    done = run_recipe(cut(RECIPE, cell), tmp_path)
    assert not done.failed
    (record,) = done.results.records["starter-plain-1000"].values()
    assert "chosen with the plain one" in record["notes"][0]
    assert len(list(tmp_path.glob("shared/*/stsb-*/score.json"))) == 2


@pytest.mark.parametrize(("rows", "epochs"), [(250, 12), (1000, 3), (4000, 2)])
def test_few_rows_are_seen_more_often(tmp_path, monkeypatch, rows, epochs):
    from tenor.recipes.transfer_fine_tuning import scoring

    seen = []
    monkeypatch.setattr("tenor.training.running.train_run", lambda run, out: seen.append(run))
    (tmp_path / "train.jsonl").write_text("{}\n" * rows)
    cells = {cell.name: cell for cell in RECIPE.plan("small").cells}
    tuning = {**cells["starter-plain-1000"].settings["fine_tuning"], "encoder_lr": 1e-4}
    del tuning["learning_rates"]
    scoring.trained("mrpc", tmp_path / "train.jsonl", tmp_path, tuning, tmp_path / "run", seed=4)
    assert seen[0].training.epochs == epochs
    assert (seen[0].seed, seen[0].max_tokens, seen[0].tasks["mrpc"].encoding) == (4, 64, "cross")


def test_seeds_have_stages_of_their_own_but_ablations_share_one(monkeypatch, tmp_path):
    asked = []

    @contextmanager
    def lasting(name, *, settings):
        asked.append(settings)
        (tmp_path / "plain").mkdir(exist_ok=True)  # as if it were done
        yield tmp_path

    monkeypatch.setattr(encoders, "aligned_folder", lambda *_, **__: tmp_path)
    monkeypatch.setattr(encoders, "starter", lambda context: tmp_path)
    settings = RECIPE.plan("small").settings

    def stages(encoder, stage, count=None):
        asked.clear()
        for seed in (0, 1, 2, 3, 4, 5):  # 0: a cell that depends on no seed
            context = SimpleNamespace(seed=seed, settings=settings, lasting=lasting)
            encoders.transferred(context, encoder, tmp_path, stage, count)
        return [each["seed"] for each in asked]

    assert stages("starter", "transferred") == stages("vanilla", "transferred") == [1, 1, 2, 3, 1, 2]
    assert stages("vanilla", "binary") == stages("starter", "in-task") == [1] * 6
    assert stages("vanilla", "binary", 3) == [1, 1, 2, 3, 1, 2]
