"""The parse kind: losses and trees against enumeration, scores, and its way through train, use, folders."""

import json

import numpy as np
import pytest
import torch
from torch.nn import functional

import tenor
from serve.live import running
from small_parser import conllu, parsed_rows
from small_runs import tenor as run_tenor
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import read_folder
from tenor.tasks.table import KINDS, build_tasks, spec_from_json, task_config, task_spec
from tenor.tasks.task import EncoderOutput
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.training.api import train
from tenor.use.evaluate.evaluating import evaluate

KIND = KINDS["parse"]
ENCODER = {"model_type": "lstm", "hidden_size": 16, "embedding_size": 16, "dropout": 0.0}
TASK = {"kind": "parse", "batch_size": 4, "dropout": 0.0, "arc_size": 16, "relation_size": 8}


def built(tiny_folder, rows, **settings):
    folder = read_folder(tiny_folder)
    encoder = folder.type.load(folder.encoder)
    tokenizer = folder.type.tokenizer(folder.encoder, max_tokens=folder.max_tokens, lower=folder.lower)
    examples = [KIND.example(row, Origin("here", number)) for number, row in enumerate(rows, 1)]
    config = {"it": task_config("parse", **settings)}
    task = build_tasks(config, {"it": examples}, encoder=encoder, pooling=PoolingConfig())["it"].eval()
    data = task.prepare(examples, tokenizer)
    batch = task.collate(data, np.arange(len(data)))
    packed = PackedBatch.from_tokens(batch.tokens)
    with torch.no_grad():
        states = encoder.eval()(packed)
        output = task(EncoderOutput(batch=packed, last=states.last, pooling=PoolingConfig()), batch)
    return task, batch, output


def test_losses_are_those_of_each_word_by_itself(tiny_folder):
    rows = parsed_rows(5)
    task, batch, output = built(tiny_folder, rows)
    with torch.no_grad():
        losses = task.losses(output, batch)
    arcs = relations = 0.0
    for number, (words, heads, names) in enumerate(rows):
        for at, (head, name) in enumerate(zip(heads, names, strict=True)):
            scores = output.arcs[number, at, : len(words) + 1]
            assert scores[at + 1] == -torch.inf
            arcs -= float(scores.log_softmax(0)[head])
            left = functional.pad(output.dependents[number, at], (0, 1), value=1.0)
            right = functional.pad(output.heads[number, head], (0, 1), value=1.0)
            labels = torch.einsum("a,kab,b->k", left, task.labels.weight, right)
            relations -= float(labels.log_softmax(0)[task.spec.relations.index(name)].detach())
    count = sum(len(row[0]) for row in rows)
    assert float(losses["arcs"]) == pytest.approx(arcs / count, rel=1e-4)
    assert float(losses["relations"]) == pytest.approx(relations / count, rel=1e-4)
    assert task.size(batch) == count


def test_predictions_are_trees_with_one_root_and_their_probabilities(tiny_folder):
    task, batch, output = built(tiny_folder, parsed_rows(6))
    for number, row in enumerate(task.predict(output, batch)):
        heads = row[:, 0].astype(int)
        assert (heads == 0).sum() == 1
        for at, head in enumerate(heads.tolist()):
            p = float(output.arcs[number, at].softmax(0)[head])
            assert 0 < row[at, 2] <= p + 1e-6


def test_the_folder_says_which_weights_it_must_hold(tiny_folder):
    task, _, _ = built(tiny_folder, parsed_rows(3), arc_size=5, relation_size=3)
    shapes = {name: tuple(value.shape) for name, value in task.saved_weights().items()}
    assert dict(task.spec.weight_shapes(32, pooling=PoolingConfig())) == shapes


def test_uas_and_las_count_all_words():
    spec = task_spec("parse", relations=("a", "root"))
    gold = [(["x", "y"], [2, 0], ["a", "root"]), (["z"], [0], ["root"])]
    targets = spec.targets([KIND.example(row, Origin("here", 1)) for row in gold], name="it")
    given = [np.array([[2, 1, 0.5], [0, 1, 0.5]]), np.array([[0, 1, 1.0]])]
    scores = spec.scores(given, targets, repeats=50)
    assert scores["uas"].estimate == 1
    assert scores["las"].estimate == pytest.approx(2 / 3)
    assert scores["las"].low <= 2 / 3 <= scores["las"].high
    assert spec.plain_scores(given, targets)["las"] == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run on files, by the command, with what check and train say of it."""
    place = tmp_path_factory.mktemp("parse")
    rows = parsed_rows(60)
    (place / "train.conllu").write_text(conllu(rows[:48]), encoding="utf-8")
    (place / "dev.conllu").write_text(conllu(rows[48:]), encoding="utf-8")
    settings = "".join(f"{key} = {json.dumps(value)}\n" for key, value in TASK.items())
    begun = "".join(f"{key} = {json.dumps(value)}\n" for key, value in ENCODER.items())
    (place / "run.toml").write_text(
        f"[from_scratch]\n{begun}\n[tasks.trees]\n{settings}train = 'train.conllu'\ndev = 'dev.conllu'\n\n"
        "[training]\nepochs = 15\nencoder_lr = 1e-2\nhead_lr = 1e-2\nprecision = 'fp32'\n",
        encoding="utf-8",
    )
    for command in (("check", place / "run.toml"), ("train", place / "run.toml", "--out", place / "run")):
        done = run_tenor(*command)
        assert done.returncode == 0, done.stderr
    return place


def test_a_run_learns_trees_and_is_evaluated_alike(folder):
    scores = json.loads((folder / "run" / "metrics.json").read_text())["tasks"]["trees"]["scores"]
    model = tenor.load(folder / "run" / "model")
    again = evaluate(model, folder / "dev.conllu", task="trees", problems=Problems(), repeats=20).scores
    assert again["las"].estimate > 0.9
    assert again["las"].estimate == pytest.approx(scores["las"]["estimate"], abs=1e-4)
    assert (folder / "run" / "report.html").is_file()
    rows = [json.loads(line) for line in (folder / "run" / "predictions.jsonl").read_text().splitlines()]
    assert sum(row["right"] for row in rows) > 6


def test_texts_are_parsed_in_use(folder):
    model = tenor.load(folder / "run" / "model")
    words = ["the", "old", "cat", "see", "dog"]
    first, second = (model.predict("trees", [row])[0] for row in (words, "the old cat see dog"))
    assert np.array_equal(first, second)
    told = model.tasks["trees"].spec.answers([first])[0].to_json()
    assert told["heads"] == [3, 3, 4, 0, 4]
    assert told["relations"] == ["mod", "mod", "nsubj", "root", "obj"]
    assert all(0 <= p <= 1 for p in told["probabilities"])


def test_the_commands_classify_and_evaluate_know_it_and_tag_says_what_to_use(folder):
    (folder / "texts.txt").write_text("the old cat see dog\ndog like city\n", encoding="utf-8")
    model = ("--model", folder / "run" / "model", "--task", "trees")
    done = run_tenor("classify", folder / "texts.txt", *model)
    assert "3:mod 3:mod 4:nsubj 0:root 4:obj" in done.stdout, done.stderr
    done = run_tenor("evaluate", folder / "dev.conllu", *model, "--json")
    assert "las" in json.dumps(json.loads(done.stdout)), done.stderr
    done = run_tenor("tag", folder / "texts.txt", *model)
    assert done.returncode == 2
    assert "tenor classify" in done.stderr


def test_it_is_served_as_any_task(folder):
    with running(folder / "run" / "model") as server:
        response = server.post("/api/classify", {"texts": ["the old cat see dog"], "tasks": ["trees"]})
    assert response.status_code == 200, response.text
    assert "nsubj" in response.text


def test_rows_in_memory_train_beside_a_tagger(tmp_path):
    rows = parsed_rows(24)
    tags = [(words, ["W" if relation == "root" else "X" for relation in names]) for words, _, names in rows]
    run = train(
        None,
        {"trees": TASK | {"train": rows}, "pos": {"kind": "tag", "train": tags, "batch_size": 4}},
        from_scratch=ENCODER,
        out=tmp_path / "run",
        epochs=2,
        encoder_lr=1e-2,
        precision="fp32",
    )
    assert set(run.load().tasks) == {"trees", "pos"}


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"words": ["a", "b"], "heads": [2, 1], "relations": ["x", "y"]}, "no word is the root"),
        ({"words": ["a"], "heads": [0]}, "needs a head and a relation"),
        ({"label": "x"}, "expected words"),
    ],
)
def test_rows_that_are_no_trees_are_told(row, told):
    with pytest.raises(TenorError, match=told):
        KIND.example(row, Origin("here", 1))


def test_wrong_settings_and_files_are_told(tmp_path):
    with pytest.raises(TenorError, match="arc_size is 0"):
        task_config("parse", arc_size=0)
    empty = tmp_path / "a.conllu"
    empty.write_text("the cat\n", encoding="utf-8")
    with pytest.raises(TenorError, match="no trees that could be read"):
        list(KIND.read(None, empty, problems=Problems()))
    spec = json.loads(json.dumps(task_spec("parse", relations=("a",)).to_json()))
    with pytest.raises(TenorError, match="arc_size and relation_size"):
        spec_from_json(spec | {"arc_size": 10**9}, where="here")
    with pytest.raises(TenorError, match="needs relations"):
        spec_from_json(spec | {"relations": []}, where="here")
