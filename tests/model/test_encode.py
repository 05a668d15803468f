"""``Model.encode`` by the words of sentence-transformers, with the vectors of that library."""

import json
import logging
import pickle

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer

import tenor
from tenor.errors import TenorError
from tenor.model.encoding import encode_texts

TEXTS = ["the cat sat on the mat.", "", "UNHAPPILY café 漢字!", "people read " * 40, "good day", "the cat"]
PROMPTS = {"query": "question: ", "passage": "text: ", "other": "say "}


@pytest.fixture
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture
def prompted(make_tiny):
    """Return a function that writes a folder with prompts."""

    def write(**settings):
        folder = make_tiny()
        file = folder / "config_sentence_transformers.json"
        file.write_text(json.dumps({"prompts": PROMPTS} | settings))
        return folder

    return write


def both(folder):
    return tenor.load(folder, precision="fp32"), SentenceTransformer(str(folder), device="cpu")


def test_the_default_is_what_the_engine_gives_bit_for_bit(model):
    expected = encode_texts(model.engine, model.tokenizer, TEXTS, normalize=True)
    np.testing.assert_array_equal(model.encode(TEXTS), expected)
    np.testing.assert_array_equal(model.encode(TEXTS, normalize_embeddings=True), expected)
    np.testing.assert_array_equal(model.encode(TEXTS, show_progress_bar=True), expected)


@pytest.mark.parametrize("normalize", [False, True])
def test_the_arguments_mean_what_they_mean_there(make_tiny, normalize):
    ours, theirs = both(make_tiny(normalize=normalize))
    for settings in (
        {},
        {"normalize_embeddings": True},
        {"batch_size": 1},
        {"batch_size": 4, "prompt_name": "query"},
        {"prompt": "say: ", "normalize_embeddings": True},
    ):
        np.testing.assert_allclose(
            ours.encode(TEXTS, **settings), theirs.encode(TEXTS, **settings), atol=1e-5, err_msg=str(settings)
        )


def test_a_tensor_is_given_where_it_is_asked_for(model):
    found = model.encode(TEXTS, convert_to_tensor=True)
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.numpy(), model.encode(TEXTS))
    assert isinstance(model.encode_query(TEXTS, convert_to_tensor=True), torch.Tensor)


def test_the_batch_size_is_kept_to(model, monkeypatch):
    sizes = []
    engine = type(model.engine)
    name = "map" if hasattr(engine, "map") else "vectors"
    original = getattr(engine, name)

    def counted(self, batches):
        if name == "vectors":
            sizes.append(len(batches))
            return original(self, batches)
        return original(self, (sizes.append(len(batch)) or batch for batch in batches))

    monkeypatch.setattr(engine, name, counted)
    texts = [f"the cat {number}" for number in range(20)]
    vectors = model.encode(texts, batch_size=3)
    assert max(sizes) <= 3
    assert sum(sizes) == 20
    np.testing.assert_allclose(vectors, model.encode(texts), atol=1e-6)
    with pytest.raises(ValueError, match="batch_size is 0"):
        model.encode(texts, batch_size=0)


def test_a_bar_is_shown_beside_the_progress(model, capsys):
    done = []
    model.encode(TEXTS, show_progress_bar=True, progress=done.append)
    assert sum(done) == len(TEXTS)
    shown = capsys.readouterr()
    assert "Encoding" in shown.err
    assert not shown.out


def test_out_is_filled_also_when_scaled(make_tiny):
    model = tenor.load(make_tiny(normalize=False), precision="fp32")
    out = np.empty((len(TEXTS), 32), dtype=np.float32)
    assert model.encode(TEXTS, out=out, normalize_embeddings=True) is out
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("default", [None, "other"])
def test_queries_and_documents_get_their_prompts(prompted, default):
    prompts = {"query": "question: ", "document": "text: ", "other": "say "}
    ours, theirs = both(prompted(prompts=prompts, default_prompt_name=default))
    for name in ("encode_query", "encode_document", "encode"):
        found, expected = getattr(ours, name)(TEXTS), getattr(theirs, name)(TEXTS)
        np.testing.assert_allclose(found, expected, atol=1e-5, err_msg=name)
    np.testing.assert_array_equal(ours.encode_query(TEXTS), ours.encode(TEXTS, prompt_name="query"))
    np.testing.assert_array_equal(ours.encode_document(TEXTS), ours.encode(TEXTS, prompt_name="document"))
    np.testing.assert_array_equal(
        ours.encode_query(TEXTS, prompt_name="other"), ours.encode(TEXTS, prompt="say ")
    )
    np.testing.assert_array_equal(ours.encode_document(TEXTS, prompt="x "), ours.encode(TEXTS, prompt="x "))


@pytest.mark.parametrize("empty", [{}, {"document": ""}])
def test_documents_get_the_prompt_of_passages(prompted, empty):
    """Also where there is an empty one for documents, which they put into every model that they save."""
    ours, theirs = both(prompted(prompts=PROMPTS | empty))
    expected = theirs.encode(TEXTS, prompt_name="passage")
    np.testing.assert_allclose(ours.encode_document(TEXTS), expected, atol=1e-5)


def test_without_such_a_prompt_the_default_is_not_used(prompted):
    ours, theirs = both(prompted(prompts={"other": "say "}, default_prompt_name="other"))
    for name in ("encode_query", "encode_document"):
        np.testing.assert_allclose(getattr(ours, name)(TEXTS), getattr(theirs, name)(TEXTS), atol=1e-5)
        np.testing.assert_array_equal(getattr(ours, name)(TEXTS), ours.encode(TEXTS, prompt=""))


def test_a_prompt_of_no_name_is_refused_and_two_are_noted(prompted, caplog):
    model = tenor.load(prompted(), precision="fp32")
    with pytest.raises(TenorError, match="no prompt called 'quary'; its prompts: query, passage, other"):
        model.encode(TEXTS, prompt_name="quary")
    with caplog.at_level(logging.WARNING, "tenor"):
        found = model.encode(TEXTS, prompt="say ", prompt_name="query")
    assert "prompt_name 'query' is not used" in caplog.text
    np.testing.assert_array_equal(found, model.encode(TEXTS, prompt_name="other"))


def test_prompts_are_saved_in_their_format(prompted, tmp_path):
    model = tenor.load(prompted(default_prompt_name="other"), precision="fp32")
    model.save(tmp_path / "ours")
    saved = json.loads((tmp_path / "ours/config_sentence_transformers.json").read_text())
    assert (saved["prompts"], saved["default_prompt_name"]) == (PROMPTS, "other")
    ours, theirs = both(tmp_path / "ours")
    assert ours.prompts == PROMPTS
    assert {name: text for name, text in theirs.prompts.items() if text} == PROMPTS
    theirs.save(str(tmp_path / "theirs"))
    again = tenor.load(tmp_path / "theirs", precision="fp32")
    np.testing.assert_allclose(again.encode_query(TEXTS), model.encode_query(TEXTS), atol=1e-5)
    np.testing.assert_allclose(again.encode(TEXTS), model.encode(TEXTS), atol=1e-5)


@pytest.mark.parametrize("function", [None, "cosine", "dot", "euclidean", "manhattan"])
def test_similarities_are_theirs(make_tiny, function):
    folder = make_tiny(normalize=False)
    told = {"prompts": {}, "similarity_fn_name": function}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(told))
    ours, theirs = both(folder)
    assert ours.similarity_fn_name == theirs.similarity_fn_name == (function or "cosine")
    vectors = ours.encode(TEXTS)
    expected = theirs.similarity(vectors, vectors[:3]).numpy()
    scale = np.abs(expected).max()
    np.testing.assert_allclose(ours.similarity(vectors, vectors[:3]), expected, atol=1e-5 * scale + 1e-3)
    found = ours.similarity(torch.from_numpy(vectors), torch.from_numpy(vectors[:3]))
    assert isinstance(found, torch.Tensor)
    np.testing.assert_array_equal(found.numpy(), ours.similarity(vectors, vectors[:3]))
    others = vectors[::-1].copy()
    pairwise = theirs.similarity_pairwise(vectors, others).numpy()
    np.testing.assert_allclose(ours.similarity_pairwise(vectors, others), pairwise, atol=1e-4 * scale)
    assert ours.similarity(vectors[0], vectors[1]).shape == (1, 1)


def test_similarities_that_cannot_be(model, make_tiny):
    vectors = model.encode(TEXTS)
    with pytest.raises(ValueError, match="32 and of 5"):
        model.similarity(vectors, vectors[:, :5])
    with pytest.raises(ValueError, match="not 6 and 2"):
        model.similarity_pairwise(vectors, vectors[:2])
    assert model.similarity(np.zeros((1, 32)), vectors).tolist() == [[0.0] * len(TEXTS)]
    folder = make_tiny()
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"similarity_fn_name": "jaccard"}))
    with pytest.raises(TenorError, match="'jaccard'; known are cosine, dot, euclidean, manhattan"):
        _ = tenor.load(folder).similarity_fn_name


def test_a_pickled_model_gives_the_same_vectors(model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.encode(TEXTS), model.encode(TEXTS))
    assert again.precision == model.precision
