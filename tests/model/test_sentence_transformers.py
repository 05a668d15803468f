"""One folder for two libraries: what we write opens there with the same vectors, and theirs opens here."""

import json
import shutil

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer

import tenor
from tenor.errors import TenorError

TEXTS = [
    "the cat sat on the mat.",
    "",
    "UNHAPPILY café 漢字!",
    "a very long text about the world and people " * 20,
    "good day",
    "[SEP] 👍",
]
KINDS = ["cls", "mean", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]


@pytest.fixture
def open_here():
    return lambda folder: tenor.load(folder, precision="fp32")


def there(folder, **settings):
    return SentenceTransformer(str(folder), device="cpu").encode(TEXTS, **settings)


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
@pytest.mark.parametrize("normalize", [True, False])
def test_old_layout_gives_their_vectors(make_tiny, open_here, pooling, normalize):
    folder = make_tiny(pooling=pooling, normalize=normalize)
    np.testing.assert_allclose(open_here(folder).encode(TEXTS), there(folder), atol=1e-5)


@pytest.mark.parametrize("modes", [*KINDS, ["mean", "cls"], ["cls", "max", "mean"]])
def test_new_layout_gives_their_vectors_and_comes_back(make_tiny, open_here, tmp_path, modes):
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    encoder = Transformer(str(make_tiny()), max_seq_length=20)
    network = SentenceTransformer(
        modules=[encoder, Pooling(32, pooling_mode=modes)],
        device="cpu",
        prompts={"query": "question: ", "x": "y "},
    )
    network.save(str(theirs))
    expected = network.encode(TEXTS)
    model = open_here(theirs)
    assert model.max_tokens == 20
    np.testing.assert_allclose(model.encode(TEXTS), expected, atol=1e-5)
    model.save(ours)
    np.testing.assert_allclose(there(ours), expected, atol=1e-5)
    np.testing.assert_allclose(open_here(ours).encode(TEXTS), expected, atol=1e-5)


def test_prompts_by_name_by_text_and_by_default(make_tiny, open_here, tmp_path):
    folder = make_tiny()
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "question: ", "other": "say "}, "default_prompt_name": "query"})
    )
    model = open_here(folder)
    model.save(tmp_path / "ours")
    for place in (folder, tmp_path / "ours"):
        np.testing.assert_allclose(model.encode(TEXTS), there(place), atol=1e-5)
        np.testing.assert_allclose(
            model.encode(TEXTS, prompt="other"), there(place, prompt_name="other"), atol=1e-5
        )
        np.testing.assert_allclose(
            model.encode(TEXTS, prompt="tell "), there(place, prompt="tell "), atol=1e-5
        )
        np.testing.assert_allclose(model.encode(TEXTS, prompt=""), there(place, prompt=""), atol=1e-5)


def test_their_own_lower_casing(make_tiny, open_here, tmp_path):
    folder = make_tiny()
    for name, key in (("tokenizer_config.json", False), ("sentence_bert_config.json", True)):
        config = json.loads((folder / name).read_text()) | {"do_lower_case": key}
        (folder / name).write_text(json.dumps(config))
    model = open_here(folder)
    np.testing.assert_allclose(model.encode(TEXTS), there(folder), atol=1e-5)
    model.save(tmp_path / "ours")
    np.testing.assert_allclose(there(tmp_path / "ours"), there(folder), atol=1e-5)


def test_a_plain_encoder_gets_mean_pooling_in_both_and_says_so(make_tiny, open_here, caplog):
    folder = make_tiny()
    (folder / "modules.json").unlink()
    model = open_here(folder)
    assert (
        model.max_tokens == 64
    )  # the tokenizer's; what stands beside modules.json does not count without it
    np.testing.assert_allclose(model.encode(TEXTS), there(folder), atol=1e-5)
    assert "pooled by their mean" in caplog.text
    assert not model.normalized


@pytest.mark.parametrize("pooling", ["pooler", "min", "sum", "token:1"])
def test_poolings_of_ours_are_refused_there_and_read_here(make_tiny, open_here, tmp_path, pooling):
    folder = make_tiny()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode": pooling}))
    model = open_here(folder)
    model.save(tmp_path / "ours")
    np.testing.assert_array_equal(open_here(tmp_path / "ours").encode(TEXTS), model.encode(TEXTS))
    with pytest.raises(ValueError, match="pooling mode"):
        there(tmp_path / "ours")
    assert "refuses this folder" in (tmp_path / "ours/README.md").read_text()
    assert json.loads((tmp_path / "ours/tenor.json").read_text())["opens_in_sentence_transformers"] is False


def test_modules_that_change_vectors_are_refused(make_tiny, open_here, tmp_path):
    modules = [Transformer(str(make_tiny())), Pooling(32), Dense(32, 8), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "dense"))
    with pytest.raises(TenorError, match="Dense module, which Tenor does not support"):
        open_here(tmp_path / "dense")


def test_prompts_left_out_of_the_pooling_are_refused_when_used(make_tiny, open_here):
    folder = make_tiny()
    config = json.loads((folder / "1_Pooling/config.json").read_text()) | {"include_prompt": False}
    (folder / "1_Pooling/config.json").write_text(json.dumps(config))
    model = open_here(folder)
    np.testing.assert_allclose(model.encode(TEXTS), there(folder), atol=1e-5)
    with pytest.raises(TenorError, match="out of its pooling"):
        model.encode(TEXTS, prompt="query")


def test_an_encoder_in_a_folder_of_its_own(make_tiny, open_here):
    folder = make_tiny()
    (folder / "0_Transformer").mkdir()
    for name in (
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "sentence_bert_config.json",
    ):
        shutil.move(folder / name, folder / "0_Transformer" / name)
    modules = json.loads((folder / "modules.json").read_text())
    modules[0]["path"] = "0_Transformer"
    (folder / "modules.json").write_text(json.dumps(modules))
    np.testing.assert_allclose(open_here(folder).encode(TEXTS), there(folder), atol=1e-5)


def test_the_starter_gives_their_vectors(open_here):
    model = open_here("minilm")
    texts = ["How do I learn the guitar?", "Naïve café. " * 300, "", "Prix élevé !"]
    expected = SentenceTransformer(str(model.settings.encoder), device="cpu").encode(texts)
    np.testing.assert_allclose(model.encode(texts), expected, atol=1e-5)
