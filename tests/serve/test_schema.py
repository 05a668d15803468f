"""Reading requests, and that it agrees with the schema that is published."""

import dataclasses

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.serve import shapes
from tenor.serve.schema import describe, read

REQUESTS = [
    shapes.EmbedRequest,
    shapes.CompareRequest,
    shapes.ClassifyRequest,
    shapes.SearchRequest,
    shapes.DedupeRequest,
    shapes.NeighboursRequest,
    shapes.AnalogyRequest,
    shapes.AskRequest,
    shapes.OpenAIRequest,
]
SHAPES = [each for each in vars(shapes).values() if dataclasses.is_dataclass(each)]

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
        (shapes.EmbedRequest, {"texts": "a"}, "texts is 'a'; expected a list of strings"),
        (shapes.EmbedRequest, {"texts": []}, "texts is empty; expected at least 1"),
        (shapes.EmbedRequest, {"texts": ["a", 1]}, r"texts\[1\] is 1; expected a string"),
        (shapes.EmbedRequest, {}, "texts is missing. Expected are texts, prompt"),
        (shapes.EmbedRequest, {"texts": ["a"], "promt": "b"}, "no field 'promt'. Did you mean 'prompt'"),
        (shapes.EmbedRequest, ["a"], "The body is a list; expected an object"),
        (shapes.SearchRequest, {"query": "a", "mode": "hibrid"}, "Did you mean 'hybrid'"),
        (shapes.SearchRequest, {"query": "a", "k": 101}, "k is 101; expected at most 100"),
        (shapes.SearchRequest, {"query": "a", "k": True}, "k is true; expected a whole number"),
        (shapes.SearchRequest, {"query": ""}, "query is empty"),
        (
            shapes.OpenAIRequest,
            {"input": 3, "model": "m"},
            "input is 3; expected a string or a list of strings",
        ),
        (shapes.DedupeRequest, {"texts": ["a"], "floor": float("inf")}, "floor is inf; expected a number"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(shape, body, said):
    with pytest.raises(TenorError, match=said):
        read(shape, body)


def test_half_a_surrogate_pair_becomes_a_replacement_mark():
    assert read(shapes.EmbedRequest, {"texts": ["a\ud800b", "😀"]}).texts == ["a\ufffdb", "😀"]


def test_unknown_fields_of_the_openai_form_are_passed_over():
    assert read(shapes.OpenAIRequest, {"input": "a", "model": "m", "extra": 1}).input == "a"
