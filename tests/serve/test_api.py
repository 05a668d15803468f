"""Each route, used over a real connection; answers are held against the server's own OpenAPI document."""

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tenor
from phrase_classifier import with_classifier
from serve.live import checked, running
from tenor.model.heads import TrainedTask
from tenor.serve.endpoints import endpoints
from tenor.serve.metrics import Metrics
from tenor.tasks.heads.in_numpy import weight_shapes
from tenor.tasks.table import task_spec
from tenor.use.classify import classify
from tenor.use.compare.comparing import compare
from tenor.use.compare.relations import NAMES
from tenor.use.dedupe.deduping import dedupe
from tenor.use.search.index import build_index
from tenor.use.search.searching import search
from tenor.words.fuzzy import FuzzyWords, ask
from tenor.words.vectors import WordVectors

TEXTS = ["the cat sat on the mat", "a dog", "the cat sat", "what is the price of the house", "漢字 😀"]


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture(scope="module")
def vectors():
    random = np.random.default_rng(3)
    return WordVectors(
        ["king", "queen", "man", "woman", "metal", "noble", "gold"], random.normal(size=(7, 5))
    )


@pytest.fixture(scope="module")
def full(tiny_folder, model, vectors, tmp_path_factory):
    """A server with an index and word vectors."""
    folder = tmp_path_factory.mktemp("serve")
    rows = [f"{number},{text},{1990 + number}" for number, text in enumerate(TEXTS)]
    (folder / "texts.csv").write_text("\n".join(["id,text,year", *rows]) + "\n", encoding="utf-8")
    build_index(folder / "texts.csv", folder / "index", model=model, column="text", id_column="id")
    with running(tiny_folder, index=folder / "index", vectors=vectors, aliases=("other-name",)) as server:
        server.index_folder = folder / "index"
        yield server


def test_embed_gives_the_vectors_of_the_model(live, model):
    found = checked(live, "/api/embed", live.post("/api/embed", {"texts": TEXTS}))
    np.testing.assert_allclose(np.array(found["vectors"]), model.encode(TEXTS), atol=1e-5)
    assert found["dimensions"] == model.width
    assert found["cut"] == [0] * len(TEXTS)
    assert found["tokens"] == model.tokenizer.tokenize(TEXTS).lengths.sum()


def test_embed_takes_prompts_and_says_what_was_cut(live, model):
    body = {"texts": ["the cat " * 100], "prompt": "query"}
    found = checked(live, "/api/embed", live.post("/api/embed", body))
    np.testing.assert_allclose(
        np.array(found["vectors"]), model.encode(body["texts"], prompt="query"), atol=1e-5
    )
    assert found["cut"][0] > 100


def test_compare_is_that_of_the_command(live, model):
    first, second = "the cat sat on the mat", "a cat sat on a small mat"
    found = checked(live, "/api/compare", live.post("/api/compare", {"first": first, "second": second}))
    expected = compare(model, first, second).to_json()
    assert found["similarity"] == pytest.approx(expected["similarity"], abs=2e-3)
    assert found["words"] == [list(words) for words in expected["words"]]
    assert [phrase["first"]["text"] for phrase in found["phrases"]] == [
        phrase["first"]["text"] for phrase in expected["phrases"]
    ]


def test_compare_takes_in_what_is_beyond_the_limit_when_asked(live, model, tiny_folder):
    long = " ".join(TEXTS * 40)
    cut, whole = (
        checked(live, "/api/compare", live.post("/api/compare", {"first": long, "second": TEXTS[0]} | more))
        for more in ({}, {"long": "chunk"})
    )
    assert cut["cut"][0] > 0
    assert whole["cosine"] == pytest.approx(compare(model, long, TEXTS[0], long="chunk").cosine, abs=1e-4)
    assert abs(whole["cosine"] - cut["cosine"]) > 1e-4
    # A warning is for people elsewhere: no flag of the command, no path of this machine.
    told = " ".join(cut["warnings"] + whole["warnings"])
    assert "Beyond the limit" in told
    assert "--long" not in told
    assert str(tiny_folder) not in told
    assert tiny_folder.name in told  # it has no fitted scale, and is named


def test_compare_tells_how_phrases_are_related(tmp_path):
    folder = with_classifier(tmp_path / "model", scale=1.0, bias=(0, 0, 0))
    texts = {"first": "the big cat sat on the mat", "second": "a small cat ran on the mat"}
    with running(folder) as served:
        found = checked(served, "/api/compare", served.post("/api/compare", texts))
        document = served.get("/openapi.json").json()
    expected = compare(tenor.load(folder, precision="fp32"), *texts.values()).to_json()
    assert len(found["phrases"]) == len(expected["phrases"]) > 1
    for told, right in zip(found["phrases"], expected["phrases"], strict=True):
        assert told["relation"] == right["relation"]
        assert told["probability"] == pytest.approx(right["probability"], abs=2e-3)
    described = document["components"]["schemas"]["PhrasePair"]["properties"]["relation"]
    names = [each["enum"] for each in described["anyOf"] if "enum" in each]
    assert names == [list(NAMES.values())]


def test_compare_without_a_classifier_says_nothing_of_relations(live):
    texts = {"first": "the cat sat", "second": "the cat sat"}
    (phrase,) = checked(live, "/api/compare", live.post("/api/compare", texts))["phrases"]
    assert phrase["relation"] is None
    assert phrase["probability"] is None


def test_compare_refuses_texts_with_nothing_to_read(live):
    response = live.post("/api/compare", {"first": " \u200b", "second": "the cat"})
    assert response.status_code == 422
    assert "nothing to read" in checked(live, "/api/compare", response)["error"]["message"]


def head(spec, width=32, seed=0):
    random = np.random.default_rng(seed)
    shapes = weight_shapes(spec, width, width)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


TASKS = {
    "tone": task_spec("classify", labels=("bad", "good")),
    "topics": task_spec("classify", labels=("a", "b", "c"), separator=","),
    "same": task_spec("pair", labels=("no", "yes"), features=("abs", "cosine", "jaccard")),
    "near": task_spec("similarity", head="cosine", range=(0.0, 5.0)),
    "paraphrase": task_spec("pair", labels=("0", "1"), features=("abs", "product")),
    "sentiment": task_spec("classify", labels=("negative", "positive")),
}


@pytest.fixture(scope="module")
def labelling(tiny_folder):
    """A server whose model has heads, of random weights."""

    def teach(service):
        tasks = {name: TrainedTask(name, spec, head(spec)) for name, spec in TASKS.items()}
        service.model.tasks = service.content.model.tasks = tasks

    with running(tiny_folder, change=teach) as server:
        yield server


def test_classify_is_that_of_the_library(labelling):
    found = checked(labelling, "/api/classify", labelling.post("/api/classify", {"texts": TEXTS}))
    expected = classify(labelling.service.content.model, TEXTS)
    for ours, theirs in zip(found["results"], expected, strict=True):
        assert set(ours) == set(theirs) == {"tone", "topics", "sentiment"}
        for name, answer in theirs.items():
            assert ours[name]["labels"] == list(answer.labels)
            assert ours[name]["probabilities"] == pytest.approx(dict(answer.probabilities), abs=1e-4)
    pairs = [{"first": TEXTS[0], "second": TEXTS[2]}]
    found = checked(labelling, "/api/classify", labelling.post("/api/classify", {"pairs": pairs}))
    expected = classify(labelling.service.content.model, [(TEXTS[0], TEXTS[2])])
    assert found["results"][0]["near"]["score"] == pytest.approx(expected[0]["near"].score, abs=1e-4)
    assert found["results"][0]["same"]["labels"] == list(expected[0]["same"].labels)
    told = labelling.get("/api/models").json()["models"][0]["tasks"]
    assert {"name": "tone", "kind": "classify", "labels": ["bad", "good"], "about": "text"} in told
    assert {each["about"] for each in told} == {"text", "pair"}


def test_compare_says_what_the_heads_say(labelling):
    body = {"first": TEXTS[0], "second": TEXTS[2]}
    found = checked(labelling, "/api/compare", labelling.post("/api/compare", body))
    expected = compare(labelling.service.content.model, TEXTS[0], TEXTS[2]).to_json()
    assert found["paraphrase"] == pytest.approx(expected["paraphrase"], abs=1e-3)
    assert [each["clear"] for each in found["sentiment"]] == [each["clear"] for each in expected["sentiment"]]
    assert [each["label"] for each in found["sentiment"]] == [each["label"] for each in expected["sentiment"]]
    assert found["sentiment"][0]["probabilities"] == pytest.approx(
        expected["sentiment"][0]["probabilities"], abs=1e-3
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "Give texts, or else pairs"),
        ({"texts": ["a"], "pairs": [{"first": "a", "second": "b"}]}, "Give texts, or else pairs"),
        ({"texts": ["a"], "tasks": ["tune"]}, "tone"),
        ({"texts": ["a"], "tasks": ["same"]}, "about two texts"),
        ({"pairs": [{"first": "a"}]}, "second is missing"),
    ],
)
def test_classify_refuses_what_does_not_fit(labelling, body, said):
    response = labelling.post("/api/classify", body)
    assert response.status_code == 422
    assert said in response.json()["error"]["message"]


def test_a_model_without_tasks_says_so(live):
    response = live.post("/api/classify", {"texts": ["a"]})
    assert response.status_code == 422
    assert "has no task" in response.json()["error"]["message"]


def test_comparisons_at_the_same_time(live):
    body = {"first": "the cat sat on the mat", "second": "a dog sat on a mat"}
    alone = live.post("/api/compare", body).json()
    with ThreadPoolExecutor(8) as threads:
        found = [
            each.result() for each in [threads.submit(live.post, "/api/compare", body) for _ in range(24)]
        ]
    assert {each.status_code for each in found} == {200}
    for each in found:
        assert each.json()["similarity"] == pytest.approx(alone["similarity"], abs=1e-4)
        assert each.json()["links"] == alone["links"]


def test_dedupe_groups_as_the_command_does(live, model):
    texts = [*TEXTS, "The cat  sat", "", "a dog", "a dog runs", "the dog"]
    found = checked(
        live, "/api/dedupe", live.post("/api/dedupe", {"texts": texts, "threshold": 0.8, "floor": 0})
    )
    expected = dedupe(model, texts, threshold=0.8)
    assert [[each["row"] for each in group] for group in found["groups"]] == [
        [each.row for each in group.members] for group in expected
    ]
    assert found["same"] == [0, 1, 2, 3, 4, 2, -1, 1, 8, 9]
    vectors = model.encode(texts)
    cosines = vectors @ vectors.T
    distinct = [0, 1, 2, 3, 4, 8, 9]
    assert {(one, two) for one, two, _ in found["pairs"]} == {
        (one, two) for one in distinct for two in distinct if one < two and cosines[one, two] >= 0
    }
    for one, two, score in found["pairs"]:
        assert score == pytest.approx(cosines[one, two], abs=1e-4)
    points = np.array(found["points"])
    assert points.shape == (len(texts), 2)
    assert np.abs(points).max() <= 1


@pytest.mark.parametrize("texts", [[""], ["one"], ["one", "two"], ["same"] * 5, [" "] * 3])
def test_dedupe_of_tiny_lists(live, texts):
    found = checked(live, "/api/dedupe", live.post("/api/dedupe", {"texts": texts}))
    assert len(found["points"]) == len(texts)


def test_dedupe_refuses_a_threshold_that_is_no_cosine(live):
    response = live.post("/api/dedupe", {"texts": ["a", "b"], "threshold": 3})
    assert "threshold is 3" in checked(live, "/api/dedupe", response)["error"]["message"]


def test_search_is_that_of_the_command(full):
    body = {"query": "the cat", "k": 3, "where": "year < 1994"}
    found = checked(full, "/api/search", full.post("/api/search", body))
    expected = search(full.index_folder, "the cat", k=3, where="year < 1994")
    assert [hit["id"] for hit in found["hits"]] == [hit.id for hit in expected]
    assert found["hits"][0]["columns"]["year"] == expected[0].columns["year"]


@pytest.mark.parametrize("where", ["yeer = 3", "year > 'x", "../../etc", "(" * 100])
def test_a_bad_filter_is_told_in_a_sentence(full, where):
    response = full.post("/api/search", {"query": "cat", "where": where})
    assert response.status_code == 422
    assert "filter" in response.text or "no column" in response.text


def test_words_are_those_of_the_library(full, vectors):
    numbers, scores = vectors.neighbours(["king"], 3)
    found = checked(
        full, "/api/words/neighbours", full.post("/api/words/neighbours", {"word": "king", "k": 3})
    )
    assert [each["word"] for each in found["words"]] == [vectors.words[number] for number in numbers[0]]
    assert found["words"][0]["score"] == pytest.approx(scores[0, 0], abs=1e-4)
    body = {"a": "man", "b": "king", "c": "woman", "k": 2}
    found = checked(full, "/api/words/analogy", full.post("/api/words/analogy", body))
    assert [each["word"] for each in found["words"]] == [
        word for word, _ in vectors.analogy("man", "king", "woman", 2)
    ]
    found = checked(full, "/api/words/ask", full.post("/api/words/ask", {"query": "noble & metal", "k": 2}))
    assert [each["word"] for each in found["words"]] == [
        near.word for near in ask(FuzzyWords.of(vectors), "noble & metal", 2)
    ]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/api/words/neighbours", {"word": "qing"}, "no vector for 'qing'"),
        ("/api/words/ask", {"query": "noble & & metal"}, "noble & & metal"),
        ("/api/words/ask", {"query": "(noble"}, "noble"),
    ],
)
def test_bad_word_queries_are_told_in_a_sentence(full, path, body, said):
    response = full.post(path, body)
    assert response.status_code == 422
    assert said in response.json()["error"]["message"]


def test_models_say_what_there_is_and_no_path(full, live, tiny_folder):
    found = checked(full, "/api/models", full.get("/api/models"), "get")
    assert found["models"][0]["dimensions"] == 32
    assert found["index"]["texts"] == len(TEXTS)
    assert {"name": "year", "kind": "integer"} in found["index"]["columns"]
    examples = ["man", "king", "woman"]
    assert found["vectors"] == {"name": "vectors", "words": 7, "dimensions": 5, "examples": examples}
    assert str(tiny_folder.parent) not in full.get("/api/models").text
    bare = checked(live, "/api/models", live.get("/api/models"), "get")
    assert bare["index"] is None
    assert bare["vectors"] is None


def test_what_was_not_given_says_how_to_get_it(live):
    for path, option in (("/api/search", "--index"), ("/api/words/ask", "--vectors")):
        response = live.post(path, {"query": "x"})
        assert response.status_code == 404
        assert option in response.json()["error"]["message"]
        assert path not in live.get("/openapi.json").json()["paths"]


def test_health_and_metrics(live):
    assert checked(live, "/api/health", live.get("/api/health"), "get")["status"] == "ok"
    live.post("/api/embed", {"texts": ["the cat"]})
    response = live.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = response.text.splitlines()
    sample = re.compile(r'^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [-+.0-9einf]+$')
    assert all(line.startswith("# ") or sample.match(line) for line in lines)
    assert any(line.startswith('tenor_requests_total{path="/api/embed",status="200"}') for line in lines)
    declared = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(declared) == len(set(declared))


def test_the_document_lists_every_route(full):
    document = full.get("/openapi.json").json()
    operations = [each.operation for each in endpoints(full.service, Metrics())]
    assert {(each.path, each.method.lower()) for each in operations} == {
        (path, method) for path, methods in document["paths"].items() for method in methods
    }
    for each in operations:
        assert full.service is not None
        response = full.get(each.path) if each.method == "POST" else full.post(each.path, {})
        assert response.status_code == 405
        assert response.headers["allow"]


def test_requests_that_arrive_together_share_passes(tiny_folder, model):
    """Sixteen requests over sixteen connections, while the engine is held: far fewer passes than requests."""

    gate, busy = threading.Event(), threading.Event()

    def hold(service):
        right = service.batcher._engine.vectors

        class Held:
            width, token_budget = service.model.width, service.model.engine.token_budget

            def vectors(self, tokens):
                busy.set()
                assert gate.wait(60)
                return right(tokens)

        service.batcher._engine = Held()

    texts = [f"the cat {number} sat on the mat" for number in range(16)]
    with running(tiny_folder, change=hold) as server, ThreadPoolExecutor(17) as threads:
        workers = server.service.batcher._workers
        held = [threads.submit(server.post, "/api/embed", {"texts": [f"a dog {n}"]}) for n in range(workers)]
        assert busy.wait(60)
        asked = [threads.submit(server.post, "/api/embed", {"texts": [text]}) for text in texts]
        batcher = server.service.batcher
        while batcher.counts.waiting_requests < workers + len(texts) or batcher._new or batcher._reading:
            time.sleep(0.001)
        gate.set()
        found = np.concatenate([each.result().json()["vectors"] for each in asked])
        assert all(each.result().status_code == 200 for each in held)
        assert batcher.counts.passes <= 2 * workers + 2
    np.testing.assert_allclose(found, model.encode(texts), atol=1e-5)
