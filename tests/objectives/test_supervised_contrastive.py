"""The supervised contrastive loss: its value, and that micro-batches do not change it."""

import math

import numpy as np
import pytest
import torch

from task_battery import network_of, tokenizer_of
from tenor.errors import TenorError
from tenor.objectives.objective import ForwardPass
from tenor.objectives.supervised_contrastive import supervised_contrastive
from tenor.objectives.table import objective_config
from tenor.tasks.table import task_config
from tenor.text.examples import Origin, Sentence
from tenor.training.api import train

ROWS = [("good day", "good"), ("bad day", "bad"), ("a fine cat", "good"), ("the old city", "bad")] * 3
CONTRAST = {"contrast": {"method": "supervised_contrastive"}}


def by_hand(vectors, classes, temperature):
    """Return the loss from its formula, row by row."""
    z = [(row / row.norm()).tolist() for row in vectors]
    dots = [[sum(a * b for a, b in zip(one, two, strict=True)) / temperature for two in z] for one in z]
    terms = []
    for i, own in enumerate(classes):
        partners = [p for p, other in enumerate(classes) if p != i and other == own]
        total = math.log(sum(math.exp(dots[i][j]) for j in range(len(z)) if j != i))
        if partners:
            terms.append(-sum(dots[i][p] - total for p in partners) / len(partners))
    return sum(terms) / len(terms)


def test_it_is_the_formula_and_rows_without_partner_only_push():
    torch.manual_seed(0)
    vectors, classes = torch.randn(6, 5), [0, 1, 0, 2, 1, 0]
    loss = supervised_contrastive(vectors, torch.tensor(classes), temperature=0.3)
    assert float(loss) == pytest.approx(by_hand(vectors, classes, 0.3), rel=1e-5)


@pytest.mark.parametrize("settings", [{}, {"temperature": 0.5}, {"weight": 3.0}])
def test_its_temperature_and_weight_are_those_of_its_settings(tiny_folder, settings):
    examples = [Sentence(text, Origin("a", row), label) for row, (text, label) in enumerate(ROWS[:4])]
    network = network_of(tiny_folder, {"mood": task_config("classify")}, examples={"mood": examples})
    task = network.task("mood")
    batch = task.collate(task.prepare(examples, tokenizer_of(tiny_folder)), np.arange(4))
    objective = objective_config("supervised_contrastive")(**settings).build("contrast")
    objective.prepare(network, None, seed=1)
    with torch.no_grad():
        seen = network.see({"mood": batch})
        outputs = {"mood": task(seen["mood"], batch)}
        forward = ForwardPass(network=network, batches={"mood": batch}, seen=seen, outputs=outputs)
        found = objective.losses(forward, None)
        vectors = task.vectors(seen["mood"])
    expected = by_hand(vectors, batch.targets.tolist(), settings.get("temperature", 0.1))
    assert found.keys() == {"mood"}
    assert float(found["mood"]) == pytest.approx(settings.get("weight", 1.0) * expected, rel=1e-4)


def test_a_batch_without_partners_has_no_loss_and_no_broken_gradient():
    vectors = torch.randn(3, 4, requires_grad=True)
    loss = supervised_contrastive(vectors, torch.tensor([0, 1, 2]), temperature=0.1)
    loss.backward()
    assert loss.item() == 0.0
    assert torch.isfinite(vectors.grad).all()


def test_the_cut_into_passes_changes_no_weight(tiny_folder):
    settings = {"epochs": 1, "precision": "fp32", "dropout": 0.0, "fit_heads": "never", "encoder_lr": 1e-3}
    task = {"mood": {"kind": "classify", "train": ROWS, "batch_size": 12, "dropout": 0.0}}
    weights = []
    for tokens in (4096, 8):
        run = train(tiny_folder, task, objectives=CONTRAST, micro_batch_tokens=tokens, **settings)
        weights.append(run.network.state_dict())
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])


def test_it_refuses_tasks_without_one_class_per_text(tiny_folder):
    task = {"near": {"kind": "similarity", "train": [("a", "b", 1.0), ("c", "d", 0.0)] * 2}}
    with pytest.raises(TenorError, match="finds no task with one text and one class"):
        train(tiny_folder, task, objectives=CONTRAST, epochs=1)


def test_its_settings_are_checked():
    with pytest.raises(TenorError, match="temperature is 0"):
        objective_config("supervised_contrastive")(temperature=0)
