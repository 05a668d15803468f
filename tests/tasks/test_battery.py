"""The common battery: what every kind of task with every head promises, on a tiny encoder."""

import numpy as np
import pytest
import torch

import tenor
from task_battery import ODD, TASKS, TEXTS, config, examples_for, network_of, tokenizer_of
from tenor.model.folder import read_folder
from tenor.model.torch_heads import save_trained
from tenor.tasks.task import Metric


def passed(network, name, data, rows):
    task = network.task(name)
    batch = task.collate(data, np.asarray(rows, dtype=np.int64))
    return network({name: batch})[name], batch


def predicted(network, name, data, rows):
    with torch.no_grad():
        output, batch = passed(network, name, data, rows)
    return network.task(name).predict(output, batch)


@pytest.fixture(params=TASKS, scope="module")
def ready(request, tiny_folder):
    name = request.param
    network = network_of(tiny_folder, {name: TASKS[name]})
    data = network.task(name).prepare(examples_for(TASKS[name]), tokenizer_of(tiny_folder))
    return network, name, data


def test_losses_are_finite_means_with_gradients(ready):
    network, name, data = ready
    task = network.task(name)
    output, batch = passed(network, name, data, range(len(data)))
    losses = task.losses(output, batch)
    assert losses
    total = sum(losses.values())
    assert total.shape == ()
    assert torch.isfinite(total)
    total.backward()
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert gradients
    assert all(torch.isfinite(gradient).all() for gradient in gradients)
    network.zero_grad()


def test_states_that_a_task_does_not_read_have_no_part_in_it(ready):
    network, name, data = ready
    task = network.task(name)
    with torch.no_grad():
        output, batch = passed(network, name, data, range(len(data)))
        whole = task(network.see({name: batch})[name], batch)
    torch.testing.assert_close(output, whole, rtol=0, atol=1e-5)


def test_all_scores_are_there_and_the_metric_is_among_them(ready):
    network, name, data = ready
    task = network.task(name)
    scores = task.score(predicted(network, name, data, range(len(data))), data)
    assert isinstance(task.metric, Metric)
    assert task.metric.name in scores
    assert all(np.isfinite(value) for value in scores.values())


def test_a_row_alone_or_among_others(ready):
    network, name, data = ready
    together = predicted(network, name, data, range(len(data)))
    assert len(together) == len(TEXTS)
    for row in range(len(data)):
        np.testing.assert_allclose(predicted(network, name, data, [row])[0], together[row], atol=1e-5)


def test_the_same_seed_gives_the_same_numbers_whatever_other_tasks_there_are(ready, tiny_folder):
    network, name, data = ready
    other = {"another": config("classify", head="mlp"), name: TASKS[name]}
    again = network_of(tiny_folder, other)
    np.testing.assert_array_equal(
        predicted(again, name, data, range(len(data))), predicted(network, name, data, range(len(data)))
    )
    changed = network_of(tiny_folder, {name: TASKS[name]}, seed=2)
    if any(True for _ in network.task(name).head.parameters()) and "affine" not in name:
        assert not np.array_equal(
            predicted(changed, name, data, range(len(data))), predicted(network, name, data, range(len(data)))
        )


def test_saved_and_loaded_it_says_the_same(ready, tiny_folder, tmp_path):
    network, name, data = ready
    with torch.no_grad():  # away from where heads begin
        for parameter in network.task(name).parameters():
            parameter.add_(0.1 * torch.arange(parameter.numel()).reshape(parameter.shape).cos())
    save_trained(network, read_folder(tiny_folder), tmp_path / "model", name="tiny")
    model = tenor.load(tmp_path / "model", precision="fp32")
    assert model.tasks[name].spec == network.task(name).spec
    rows = [example.texts for example in data.examples]
    expected = predicted(network, name, data, range(len(data)))
    np.testing.assert_allclose(model.predict(name, rows), expected, rtol=1e-4, atol=2e-5)
    assert len(model.predict(name, [])) == 0
    np.testing.assert_allclose(model.predict(name, rows[:1])[0], expected[0], rtol=1e-4, atol=2e-5)
    model.save(tmp_path / "copy")
    copied = tenor.load(tmp_path / "copy", precision="fp32").predict(name, rows)
    np.testing.assert_array_equal(copied, model.predict(name, rows))


def test_one_row_can_be_trained_on_and_scored(ready, tiny_folder):
    network, name, data = ready
    task = network.task(name)
    one = task.prepare(list(data.examples)[:1], tokenizer_of(tiny_folder))
    network.train()
    output, batch = passed(network, name, one, [0])
    assert all(torch.isfinite(loss) for loss in task.losses(output, batch).values())
    network.eval()
    scores = task.score(predicted(network, name, one, [0]), one)
    assert task.metric.name in scores  # a correlation of one row is not a number, and is no error


def test_odd_texts_are_among_the_data():
    assert set(ODD) < set(TEXTS)
