"""A trained network as a folder: here with its heads, elsewhere with the same vectors; broken ones never."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

import tenor
from task_battery import TEXTS, config, examples_of, network_of, tokenizer_of
from tenor.errors import TenorError
from tenor.model.folder import read_folder
from tenor.model.torch_heads import load_network, save_trained

CONFIGS = {
    "sentiment": config("classify"),
    "paraphrase": config("pair", head="residual", features=("diff", "jaccard")),
    "similarity": config("similarity", share_head_with="paraphrase", scale=5.0),
    "joint": config("pair", encoding="cross"),
    "parts": config("pair", encoding="cross", head="mlp", features=("abs", "cosine", "jaccard", "whole")),
    "found": config("contrastive"),
}
SCORES = {"sentiment": {"accuracy": 0.75, "f1_macro": 0.7}}


@pytest.fixture(scope="module")
def network(tiny_folder):
    """A network after a few steps on everything, so that its encoder is no longer the one it came from."""
    network = network_of(tiny_folder, CONFIGS)
    tokenizer = tokenizer_of(tiny_folder)
    network.train()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
    batches = {}
    for name, each in CONFIGS.items():
        task = network.task(name)
        batches[name] = task.collate(task.prepare(examples_of(each.kind), tokenizer), np.arange(8))
    for _ in range(3):
        outputs = network(batches)
        loss = sum(network.task(n).losses(outputs[n], batches[n])["loss"] for n in CONFIGS)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval()


@pytest.fixture(scope="module")
def folder(network, tiny_folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("trained") / "model"
    made = {"command": "tenor train run.toml", "steps": 3}
    save_trained(network, read_folder(tiny_folder), place, name="tiny", scores=SCORES, made=made)
    return place


def test_it_opens_here_with_its_tasks(folder):
    model = tenor.load(folder, precision="fp32")
    assert list(model.tasks) == list(CONFIGS)
    assert model.tasks["sentiment"].scores == SCORES["sentiment"]
    assert model.tasks["sentiment"].spec.labels == ("a", "b")
    pairs = list(zip(TEXTS, TEXTS[::-1], strict=True))
    alike, scored = model.predict("paraphrase", pairs), model.predict("similarity", pairs)
    np.testing.assert_array_equal(scored, 5 * alike[:, 1])
    with pytest.raises(TenorError, match=r"no task 'sentimnt'.*Did you mean 'sentiment'"):
        model.predict("sentimnt", [["x"]])


def test_sentence_transformers_and_transformers_open_it_with_the_same_vectors(folder, network):
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel, AutoTokenizer

    texts = [text for text in TEXTS if "\ud800" not in text]
    ours = tenor.load(folder, precision="fp32")
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    np.testing.assert_allclose(ours.encode(texts), theirs, atol=1e-5)
    raw = network.vectors(ours.tokenizer.tokenize(texts))
    np.testing.assert_allclose(ours.pooled(texts), raw, atol=1e-5)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    encoder = AutoModel.from_pretrained(folder).eval()
    batch = tokenizer(texts, padding=True, truncation=True, max_length=40, return_tensors="pt")
    with torch.no_grad():
        states = encoder(**batch).last_hidden_state
    mask = batch["attention_mask"][..., None]
    mean = ((states * mask).sum(1) / mask.sum(1)).numpy()
    np.testing.assert_allclose(ours.pooled(texts), mean, atol=1e-5)


def test_two_texts_as_one_sequence_can_have_a_vector_each(folder):
    """Against transformers: the mean over each segment's tokens, then the head by hand."""
    from transformers import AutoModel, AutoTokenizer

    pairs = [("the cat sat", "a dog"), ("hello", "the cat sat on the mat")]
    ours = tenor.load(folder, precision="fp32")
    tokenizer, encoder = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    heads = load_file(folder / "heads.safetensors")
    weights = {name.removeprefix("parts:"): value for name, value in heads.items() if "parts:" in name}
    names = sorted(weights)
    for pair, found in zip(pairs, ours.predict("parts", pairs), strict=True):
        batch = tokenizer(*pair, return_tensors="pt")
        with torch.no_grad():
            states = encoder(**batch).last_hidden_state[0].numpy()
        segments = batch["token_type_ids"][0].numpy()
        u, v = (states[segments == side].mean(axis=0) for side in (0, 1))
        sets = [set(tokenizer.tokenize(text)) for text in pair]
        overlap = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
        cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
        x = np.array([*np.abs(u - v), cosine, overlap, *states.mean(axis=0)])
        matrices = [weights[name] for name in names if weights[name].ndim == 2]
        biases = [weights[name] for name in names if weights[name].ndim == 1]
        inner, outer = sorted(zip(matrices, biases, strict=True), key=lambda layer: -len(layer[1]))
        logit = outer[0] @ np.maximum(inner[0] @ x + inner[1], 0) + outer[1]
        assert found[1] == pytest.approx(1 / (1 + np.exp(-logit.item())), abs=1e-5)


def test_the_weights_keep_their_names_and_every_digit(folder, tiny_folder, network):
    before, after = load_file(tiny_folder / "model.safetensors"), load_file(folder / "model.safetensors")
    assert before.keys() == after.keys()
    assert any(not np.array_equal(before[name], after[name]) for name in before)
    words = network.encoder.embeddings.words.weight.detach().numpy()
    np.testing.assert_array_equal(after["embeddings.word_embeddings.weight"], words)
    heads = load_file(folder / "heads.safetensors")
    assert not [name for name in heads if name.startswith("similarity:")]  # it shares a head
    assert not [name for name in heads if name.endswith("num_batches_tracked")]


def test_labels_of_a_card_are_no_html():
    from tenor.model.card import _cell

    assert _cell("<img src=x onerror=alert(1)>|b") == "&lt;img src=x onerror=alert(1)&gt;\\|b"


def test_the_card_tells_of_the_tasks(folder):
    card = (folder / "README.md").read_text()
    assert "| sentiment | classify | a, b | accuracy 0.750, f1_macro 0.700 |" in card
    told = json.loads((folder / "tenor.json").read_text())
    assert told["made"] == {"how": "trained", "from": "tiny", "command": "tenor train run.toml", "steps": 3}
    assert told["fingerprint"] == tenor.load(folder).fingerprint


def test_the_network_comes_back_for_training_on(folder, network):
    model = tenor.load(folder, precision="fp32")
    again = load_network(model.settings, model.tasks)
    for name, value in network.state_dict().items():
        if not name.endswith("num_batches_tracked"):
            torch.testing.assert_close(again.state_dict()[name], value)
    assert again.task("paraphrase").head is again.task("similarity").head


def test_default_heads_need_no_torch(folder):
    pytest.importorskip("openvino")
    program = (
        "import sys, tenor; model = tenor.load(sys.argv[1], precision='fp32'); "
        "model.predict('sentiment', [['a cat']]); model.predict('similarity', [['a cat', 'a dog']]); "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_an_existing_folder_is_refused(network, tiny_folder, folder):
    with pytest.raises(TenorError, match="exists already"):
        save_trained(network, read_folder(tiny_folder), folder, name="tiny")


def told(change):
    def spoil(folder):
        content = json.loads((folder / "tenor.json").read_text())
        change(content)
        (folder / "tenor.json").write_text(json.dumps(content))

    return spoil


def heads(change):
    def spoil(folder):
        tensors = load_file(folder / "heads.safetensors")
        change(tensors)
        save_file(tensors, folder / "heads.safetensors")

    return spoil


HOSTILE = {
    "tasks a list": (told(lambda c: c.update(tasks=[1])), "tasks must be a table"),
    "a task a text": (told(lambda c: c["tasks"].update(sentiment="x")), "tasks must be a table"),
    "no spec": (told(lambda c: c["tasks"]["sentiment"].pop("spec")), "must be a table of settings"),
    "unknown kind": (told(lambda c: c["tasks"]["sentiment"]["spec"].update(kind="x")), "kind is 'x'"),
    "shared with nobody": (told(lambda c: c["tasks"].pop("paraphrase")), "no other task"),
    "scores a list": (told(lambda c: c["tasks"]["sentiment"].update(scores=[1])), "must be tables"),
    "more labels": (
        told(lambda c: c["tasks"]["sentiment"]["spec"].update(labels=["a", "b", "c"])),
        "has the shape",
    ),
    "wider": (told(lambda c: c["tasks"]["paraphrase"]["spec"].update(hidden_size=64)), "has the shape"),
    "no heads": (lambda folder: (folder / "heads.safetensors").unlink(), "lacks the weight"),
    "cut": (
        lambda folder: (folder / "heads.safetensors").write_bytes(
            (folder / "heads.safetensors").read_bytes()[:500]
        ),
        "safetensors",
    ),
    "not a number": (
        heads(lambda t: t.update({"sentiment:network.out.bias": np.full(2, np.nan, np.float32)})),
        "not finite",
    ),
    "whole numbers": (
        heads(lambda t: t.update({"sentiment:network.out.bias": np.zeros(2, np.int64)})),
        "I64",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused_in_a_sentence(folder, tmp_path, name):
    spoil, words = HOSTILE[name]
    shutil.copytree(folder, tmp_path / "bad")
    spoil(tmp_path / "bad")
    with pytest.raises(TenorError, match=words):
        _ = tenor.load(tmp_path / "bad", precision="fp32").tasks
