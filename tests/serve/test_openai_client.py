"""OpenAI's own client against our server, which it takes for OpenAI's."""

import base64

import httpx
import numpy as np
import openai
import pytest

import tenor
from serve.live import checked, running
from tenor.serve.middleware import Access

TEXTS = ["the cat sat on the mat", "a dog", "漢字 😀"]


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture(scope="module")
def client(live):
    with openai.OpenAI(base_url=live.url + "/v1", api_key="none", max_retries=0, timeout=60) as made:
        yield made


def test_its_default_which_is_base64(live, client, model):
    seen = []
    with httpx.Client(event_hooks={"request": [lambda request: seen.append(request.read())]}) as wire:
        own = openai.OpenAI(base_url=live.url + "/v1", api_key="none", http_client=wire)
        found = own.embeddings.create(model=live.service.name, input=TEXTS)
    assert b'"base64"' in seen[0].replace(b" ", b"")
    vectors = np.array([row.embedding for row in found.data])
    np.testing.assert_allclose(vectors, model.encode(TEXTS), atol=1e-5)
    assert [row.index for row in found.data] == [0, 1, 2]
    assert found.usage.total_tokens == model.tokenizer.tokenize(TEXTS).lengths.sum()
    assert found.model == live.service.name


def test_floats_and_a_single_text(live, client, model):
    found = client.embeddings.create(model=live.service.name, input=TEXTS[0], encoding_format="float")
    np.testing.assert_allclose(found.data[0].embedding, model.encode(TEXTS[:1])[0], atol=1e-5)


def test_base64_is_little_endian_floats(live, model):
    body = {"input": TEXTS, "model": live.service.name, "encoding_format": "base64"}
    found = checked(live, "/v1/embeddings", live.post("/v1/embeddings", body))
    raw = b"".join(base64.b64decode(row["embedding"]) for row in found["data"])
    np.testing.assert_allclose(
        np.frombuffer(raw, dtype="<f4").reshape(len(TEXTS), -1), model.encode(TEXTS), atol=1e-5
    )


def test_models_are_listed(live, client):
    assert [each.id for each in client.models.list()] == [live.service.name]


def test_the_dimensions_may_be_asked_for_and_no_other(live, client, model):
    assert client.embeddings.create(model=live.service.name, input="a", dimensions=model.width).data
    with pytest.raises(openai.UnprocessableEntityError, match="was not trained to be truncated"):
        client.embeddings.create(model=live.service.name, input="a", dimensions=8)


@pytest.mark.parametrize("tokens", [[1, 2], [[1, 2], [3]]])
def test_token_ids_are_refused_with_advice(live, client, tokens):
    with pytest.raises(openai.UnprocessableEntityError, match="token ids"):
        client.embeddings.create(model=live.service.name, input=tokens)


def test_empty_input_is_refused(live, client):
    with pytest.raises(openai.UnprocessableEntityError, match="input is empty"):
        client.embeddings.create(model=live.service.name, input=[])


def test_another_model_is_refused_and_named_in_the_answer(live, client):
    with pytest.raises(openai.NotFoundError, match=live.service.name):
        client.embeddings.create(model="text-embedding-3-small", input="a")


def test_aliases_and_tokens(tiny_folder):
    access = Access(token="s3cret")
    with running(tiny_folder, access=access, aliases=("text-embedding-3-small",)) as server:
        url = server.url + "/v1"
        with openai.OpenAI(base_url=url, api_key="s3cret", timeout=60) as right:
            assert right.embeddings.create(model="text-embedding-3-small", input="a").data
        with (
            openai.OpenAI(base_url=url, api_key="wrong", max_retries=0) as wrong,
            pytest.raises(openai.AuthenticationError, match="token"),
        ):
            wrong.embeddings.create(model="text-embedding-3-small", input="a")
