"""The API fuzzed from its own OpenAPI document: no 500, no hang, no answer that it does not describe."""

import re

import numpy as np
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from serve.live import running
from serve.test_api import TASKS, TEXTS, head
from small_tagger import train_tagger
from tenor.model.heads import TrainedTask
from tenor.use.search.index import build_index
from tenor.words.vectors import WordVectors

pytestmark = pytest.mark.slow

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]
# Beyond what a schema can say: the words of the vectors, the grammar of queries and filters, texts
# without a single word, and which tasks are about pairs.
UNKNOWABLE = re.compile("no vector for|query|filter|nothing to read|at most|no column|among the|is about")


@pytest.fixture(scope="module")
def schema(tiny_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "texts.txt").write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    tagger = train_tagger(tiny_folder, folder / "run")
    build_index(folder / "texts.txt", folder / "index", model=str(tagger))
    vectors = WordVectors(["king", "queen", "man"], np.eye(3))

    def teach(service):
        tasks = {name: TrainedTask(name, spec, head(spec)) for name, spec in TASKS.items()}
        service.model.tasks = tasks | service.model.tasks

    with running(tagger, index=folder / "index", vectors=vectors, change=teach) as server:
        yield schemathesis.openapi.from_url(server.url + "/openapi.json")


# Names that random texts never hit, so that valid requests get beyond them.
KNOWN = {"model": "model", "task": "names", "word": "king", "a": "king", "b": "queen", "c": "man"}
PATHS = [
    ("POST", "/api/embed"),
    ("POST", "/v1/embeddings"),
    ("POST", "/api/compare"),
    ("POST", "/api/classify"),
    ("POST", "/api/tag"),
    ("POST", "/api/dedupe"),
    ("POST", "/api/search"),
    ("POST", "/api/words/neighbours"),
    ("POST", "/api/words/analogy"),
    ("POST", "/api/words/ask"),
    ("GET", "/api/models"),
    ("GET", "/api/health"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/{id}"),
    ("GET", "/metrics"),
]


def test_all_routes_are_fuzzed(schema):
    found = {(each.ok().method.upper(), each.ok().path) for each in schema.get_all_operations()}
    assert found == set(PATHS)


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
@pytest.mark.parametrize(("method", "path"), PATHS, ids=[f"{method} {path}" for method, path in PATHS])
def test_no_request_breaks_the_server(schema, method, path, mode):
    operation = schema[path][method]
    if method == "GET" and mode is GenerationMode.NEGATIVE:
        pytest.skip("takes nothing that could be invalid")

    @settings(
        max_examples=60,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def fuzz(case):
        if mode is GenerationMode.POSITIVE and isinstance(case.body, dict):
            case.body |= {name: value for name, value in KNOWN.items() if name in case.body}
        response = case.call(timeout=30)
        checks = list(CHECKS)
        if mode is GenerationMode.POSITIVE and not UNKNOWABLE.search(response.text):
            checks.append(positive_data_acceptance)
        case.validate_response(response, checks=checks)

    fuzz()
