"""The route that tags words: the same as from Python, over a real connection."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

import tenor
from serve.live import checked, running
from small_tagger import train_tagger
from tenor.serve.limits import Limits
from tenor.use.tag import tag

TEXTS = [
    "the cat was in the old city .",
    "👩‍👩‍👧 the dog 😀",
    "the ca\u0300t",
    "",
    "漢字\x00 the \u202e river",
    "we see the old house " * 40,
]


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    return train_tagger(tiny_folder, tmp_path_factory.mktemp("tag") / "run")


@pytest.fixture(scope="module")
def server(folder):
    with running(folder, limits=Limits(texts=8, characters=2_000)) as server:
        yield server


@pytest.fixture(scope="module")
def model(folder):
    return tenor.load(folder, precision="fp32")


def message(response):
    return response.json()["error"]["message"]


def test_the_result_is_that_of_python(server, model):
    found = checked(server, "/api/tag", server.post("/api/tag", {"texts": TEXTS}))
    assert found["model"] == server.service.name
    assert found["results"] == [each.to_json() for each in tag(model, TEXTS)]
    (city,) = [each for each in found["results"][0]["entities"] if each["type"] == "PLACE"]
    assert (city["begin"], city["end"], city["text"]) == (19, 27, "old city")
    assert found["results"][3] == {"text": "", "words": [], "entities": []}
    named = checked(server, "/api/tag", server.post("/api/tag", {"texts": TEXTS, "task": "names"}))
    assert named == found


def test_the_weights_of_experts_stand_with_every_word(tiny_folder, tmp_path):
    folder = train_tagger(tiny_folder, tmp_path / "run", head="experts", expert_size=8)
    long = "we see the old house . " * 300  # is read in stretches
    with running(folder) as server:
        found = checked(server, "/api/tag", server.post("/api/tag", {"texts": [TEXTS[0], long]}))
    for result in found["results"]:
        assert all(word["gates"].keys() == {"O", "ANIMAL", "PLACE"} for word in result["words"])
        assert all(sum(word["gates"].values()) == pytest.approx(1, abs=1e-3) for word in result["words"])
    (cat,) = [word for word in found["results"][0]["words"] if word["word"] == "cat"]
    assert max(cat["gates"], key=cat["gates"].get) == "ANIMAL"
    assert len(found["results"][1]["words"]) == 1800


def test_half_a_surrogate_pair_keeps_its_place(server):
    body = b'{"texts": ["\\ud800 the cat"]}'
    headers = {"content-type": "application/json"}
    response = httpx.post(server.url + "/api/tag", content=body, headers=headers, timeout=60, verify=False)
    (found,) = checked(server, "/api/tag", response)["results"]
    assert [(each["begin"], each["text"]) for each in found["entities"] if each["type"] == "ANIMAL"] == [
        (6, "cat")
    ]


def test_many_at_a_time_get_their_own(server, model):
    texts = [f"we see {name} ." for name in ("the cat", "a dog", "the old city", "a red river")] * 6
    expected = [each.to_json() for each in tag(model, texts)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: server.post("/api/tag", {"texts": [text]}).json(), texts))
    for each, right in zip(found, expected, strict=True):
        (result,) = each["results"]
        assert [word["tag"] for word in result["words"]] == [word["tag"] for word in right["words"]]
        assert result["text"] == right["text"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({}, 422, "texts"),
        ({"texts": []}, 422, "texts"),
        ({"texts": "the cat"}, 422, "expected a list"),
        ({"texts": ["the cat", 3]}, 422, "texts[1] is 3"),
        ({"texts": [["the", "cat"]]}, 422, "texts[0]"),
        ({"texts": ["the cat"], "task": 3}, 422, "task is 3"),
        ({"texts": ["the cat"], "tasks": ["names"]}, 422, "task"),
        ({"texts": ["the cat"], "task": "nams"}, 422, "Did you mean 'names'"),
        ({"texts": ["a"] * 9}, 413, "9 texts; at most 8"),
        ({"texts": ["a " * 1_001]}, 413, "2,002 characters; at most 2,000"),
        ([], 422, "expected an object"),
    ],
)
def test_bad_bodies_get_their_status_and_a_sentence(server, body, status, said):
    response = server.post("/api/tag", body)
    assert (response.status_code, said in message(response)) == (status, True), response.text
    checked(server, "/api/tag", response)


def test_a_model_without_a_tagger_says_what_to_do(live):
    response = live.post("/api/tag", {"texts": ["the cat"]})
    assert response.status_code == 422
    assert "no task that tags words. Train one: tenor init FILE.conll" in message(response)
    checked(live, "/api/tag", response)
