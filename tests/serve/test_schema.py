"""Reading requests, and that it agrees with the schema that is published."""

import dataclasses

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.serve import openai_schemas, schemas, server_schemas
from tenor.serve.schema import describe, read

REQUESTS = [
    schemas.EmbedRequest,
    schemas.CompareRequest,
    schemas.ClassifyRequest,
    schemas.TagRequest,
    schemas.SearchRequest,
    schemas.DedupeRequest,
    schemas.NeighboursRequest,
    schemas.AnalogyRequest,
    schemas.AskRequest,
    openai_schemas.OpenAIEmbeddingsRequest,
]
SHAPES = [
    each
    for module in (schemas, server_schemas, openai_schemas)
    for each in vars(module).values()
    if dataclasses.is_dataclass(each)
]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 200),
    st.floats(-2, 200),
    st.sampled_from(["", "a", "hybrid", "float"]),
)
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.lists(st.lists(st.integers(0, 3), max_size=2)))


def validator(shape):
    components = {}
    schema = describe(shape, components)
    return jsonschema_rs.Draft202012Validator({**schema, "components": {"schemas": components}})


@pytest.mark.parametrize("shape", REQUESTS, ids=lambda shape: shape.__name__)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_reader_takes_exactly_what_the_schema_allows(shape, data):
    names = [field.name for field in dataclasses.fields(shape)]
    body = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), values))
    try:
        read(shape, body)
        taken = True
    except TenorError:
        taken = False
    assert taken == validator(shape).is_valid(body), body


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_every_shape_is_described_by_a_valid_schema(shape):
    components = {}
    describe(shape, components)
    assert validator(shape) is not None
    assert all(each["description"].endswith((".", "?")) for each in components.values())


@pytest.mark.parametrize(
    ("shape", "body", "said"),
    [
        (schemas.EmbedRequest, {"texts": "a"}, "texts is 'a'; expected a list of strings"),
        (schemas.EmbedRequest, {"texts": []}, "texts is empty; expected at least 1"),
        (schemas.EmbedRequest, {"texts": ["a", 1]}, r"texts\[1\] is 1; expected a string"),
        (schemas.EmbedRequest, {}, "texts is missing. Expected are texts, prompt"),
        (schemas.EmbedRequest, {"texts": ["a"], "promt": "b"}, "no field 'promt'. Did you mean 'prompt'"),
        (schemas.EmbedRequest, ["a"], "The body is a list; expected an object"),
        (schemas.SearchRequest, {"query": "a", "mode": "hibrid"}, "Did you mean 'hybrid'"),
        (schemas.SearchRequest, {"query": "a", "k": 101}, "k is 101; expected at most 100"),
        (schemas.SearchRequest, {"query": "a", "k": True}, "k is true; expected an integer"),
        (schemas.SearchRequest, {"query": ""}, "query is empty"),
        (
            openai_schemas.OpenAIEmbeddingsRequest,
            {"input": 3, "model": "m"},
            "input is 3; expected a string or a list of strings",
        ),
        (schemas.DedupeRequest, {"texts": ["a"], "threshold": 0}, "threshold is 0.0; expected more than 0"),
        (schemas.ClassifyRequest, {}, "Give texts, or else pairs"),
        (schemas.ClassifyRequest, {"texts": None, "pairs": None}, "Give texts, or else pairs"),
        (
            schemas.NeighboursRequest,
            {"word": "a" * 1001},
            "word has 1,001 characters; expected at most 1,000",
        ),
        (openai_schemas.OpenAIEmbeddingsRequest, {"input": [], "model": "m"}, "input is empty"),
        (openai_schemas.OpenAIEmbeddingsRequest, {"input": [[1]], "model": "m"}, "input holds token ids"),
        (schemas.DedupeRequest, {"texts": ["a"], "floor": float("inf")}, "floor is inf; expected a number"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(shape, body, said):
    with pytest.raises(TenorError, match=said):
        read(shape, body)


def test_half_a_surrogate_pair_becomes_a_replacement_mark():
    assert read(schemas.EmbedRequest, {"texts": ["a\ud800b", "😀"]}).texts == ["a\ufffdb", "😀"]


def test_unknown_fields_of_the_openai_form_are_passed_over():
    assert read(openai_schemas.OpenAIEmbeddingsRequest, {"input": "a", "model": "m", "extra": 1}).input == "a"
