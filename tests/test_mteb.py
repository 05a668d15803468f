"""Our models under the real mteb library, on small tasks that are made here."""

import json
import sys

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.mteb import MtebEncoder

ABOUT = {
    "description": "A task of the tests.",
    "reference": None,
    "dataset": {"path": "made/here", "revision": "1"},
    "category": "t2t",
    "modalities": ["text"],
    "eval_splits": ["test"],
    "eval_langs": ["eng-Latn"],
    "date": ("2020-01-01", "2020-01-01"),
    "domains": ["Written"],
    "task_subtypes": [],
    "license": "mit",
    "annotations_creators": "derived",
    "dialect": [],
    "sample_creation": "created",
    "bibtex_citation": "",
}
PAIRS = [
    ("the cat sat", "the cat sat", 5.0),
    ("a good film", "the good film", 4.0),
    ("the man can read", "a woman will write", 2.0),
    ("red house", "play the guitar", 0.0),
]


@pytest.fixture
def mteb():
    import mteb

    return mteb


@pytest.fixture
def made(mteb):
    """Small tasks: similarity, classification, retrieval."""
    from datasets import Dataset, DatasetDict
    from mteb.abstasks.classification import AbsTaskClassification
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata

    class Similar(AbsTaskSTS):
        metadata = TaskMetadata(**ABOUT, name="Similar", type="STS", main_score="cosine_spearman")
        min_score, max_score = 0, 5

        def load_data(self, **_):
            rows = [dict(zip(("sentence1", "sentence2", "score"), row, strict=True)) for row in PAIRS]
            self.dataset, self.data_loaded = DatasetDict({"test": Dataset.from_list(rows)}), True

    class Mood(AbsTaskClassification):
        metadata = TaskMetadata(**ABOUT, name="Mood", type="Classification", main_score="accuracy")
        samples_per_label, n_experiments = 4, 2

        def load_data(self, **_):
            texts = [
                f"a {word} {noun}" for noun in ("film", "book", "day", "cat") for word in ("good", "bad")
            ]
            rows = Dataset.from_dict({"text": texts, "label": [0, 1] * 4})
            self.dataset, self.data_loaded = DatasetDict({"train": rows, "test": rows}), True

    class Find(AbsTaskRetrieval):
        metadata = TaskMetadata(**ABOUT, name="Find", type="Retrieval", main_score="ndcg_at_10")

        def load_data(self, **_):
            texts = ["the cat sat on the mat", "python code", "the price of food"]
            split = RetrievalSplitData(
                corpus=Dataset.from_dict({"id": ["d0", "d1", "d2"], "title": [""] * 3, "text": texts}),
                queries=Dataset.from_dict({"id": ["q0", "q1", "q2"], "text": texts}),
                relevant_docs={f"q{n}": {f"d{n}": 1} for n in range(3)},
                top_ranked=None,
            )
            self.dataset, self.data_loaded = {"default": {"test": split}}, True

    return {task.__name__: task() for task in (Similar, Mood, Find)}


@pytest.fixture
def run(mteb, tiny_folder):
    def evaluate(task, encoder=None):
        encoder = encoder or MtebEncoder(tiny_folder, precision="fp32")
        found = mteb.evaluate(encoder, [task], cache=None, co2_tracker=False, show_progress_bar=False)
        (result,) = found.task_results
        return result.scores["test"][0]

    return evaluate


def test_the_protocol_is_met(mteb, tiny_folder):
    from mteb.models.models_protocols import EncoderProtocol

    encoder = MtebEncoder(tiny_folder)
    assert isinstance(encoder, EncoderProtocol)
    meta = encoder.mteb_model_meta
    assert (meta.name, meta.embed_dim, meta.max_tokens) == ("tenor/model", 32, 40)
    assert meta.revision == tenor.load(tiny_folder).fingerprint[:40]


def test_similarity_is_scored_as_by_hand(made, run, tiny_folder):
    from scipy.stats import spearmanr

    model = tenor.load(tiny_folder, precision="fp32")
    first, second, scores = map(list, zip(*PAIRS, strict=True))
    cosines = model.similarity_pairwise(model.encode(first), model.encode(second))
    assert run(made["Similar"])["cosine_spearman"] == pytest.approx(spearmanr(cosines, scores)[0])


def test_classification_and_retrieval_run(made, run):
    assert 0.5 <= run(made["Mood"])["main_score"] <= 1
    assert run(made["Find"])["main_score"] > 0.5


def test_the_scores_are_those_of_sentence_transformers(mteb, made, run, tiny_folder):
    from sentence_transformers import SentenceTransformer

    theirs = mteb.models.SentenceTransformerEncoderWrapper(
        SentenceTransformer(str(tiny_folder), device="cpu")
    )
    for task in made.values():
        assert run(task)["main_score"] == pytest.approx(run(task, theirs)["main_score"], abs=1e-5)


def test_queries_documents_and_tasks_get_their_prompts(mteb, made, make_tiny):
    from mteb.types import PromptType

    folder = make_tiny()
    prompts = {"query": "question: ", "passage": "text: ", "Similar": "like: ", "Retrieval-query": "find: "}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    encoder = MtebEncoder(folder, precision="fp32")
    texts = ["the cat", "a dog", "red"]
    batches = [{"text": texts[:2]}, {"text": texts[2:]}]

    def check(task, prompt_type, prompt):
        found = encoder.encode(
            batches, task_metadata=made[task].metadata, hf_split="test", hf_subset="default",
            prompt_type=prompt_type, batch_size=2,
        )  # fmt: skip
        np.testing.assert_array_equal(found, encoder.model.encode(texts, prompt=prompt))

    check("Similar", None, "Similar")
    check("Find", PromptType.query, "Retrieval-query")
    check("Find", PromptType.document, "passage")
    check("Mood", PromptType.query, "query")
    check("Mood", None, "")


def test_without_mteb_the_error_names_the_extra(tiny_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "mteb", None)
    with pytest.raises(TenorError, match=r"tenor\[mteb\]"):
        MtebEncoder(tiny_folder)
