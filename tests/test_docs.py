"""The guides: run files in them are read, Python in them runs, links lead somewhere."""

import re
from pathlib import Path

import pytest

from tenor.encoders.table import ENCODERS
from tenor.objectives.table import OBJECTIVES
from tenor.tasks.table import KINDS
from tenor.training.runfile import read_run

ROOT = Path(__file__).parent.parent
GUIDES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
HEAD = '[tasks.mood]\nkind = "mlm"\ntrain = "texts.txt"\n'  # of an example that shows other sections only


def blocks(path, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.mark.parametrize(
    "text", [text for path in GUIDES for text in blocks(path, "toml")], ids=lambda text: text.split("\n")[0]
)
def test_run_files_are_read(text, tmp_path):
    named = re.findall(r'^(?:train|dev) = "(.+?)"', text, re.MULTILINE)
    for file in [*named, *re.findall(r'= "([\w-]+\.txt)"', text), "texts.txt"]:
        (tmp_path / file).write_text("a text\n")
    (tmp_path / "run.toml").write_text(text if "[tasks." in text else HEAD + text)
    assert read_run(tmp_path / "run.toml").tasks


def headings(path):
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target, _, heading in (
        link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    ):
        if target.startswith(("http:", "https:")):
            continue
        there = path if not target else path.parent / target
        assert there.exists(), target
        assert not heading or heading in headings(there), f"{target}#{heading}"


TERMS = (
    "hard negatives", "learning rate", "warmup", "early stopping", "mixed precision",
    "mean pooling", "BIO", "Viterbi", "CRF", "CSLS", "Procrustes", "cross-encoder", "bi-encoder",
    "soft labels", "distillation", "in-batch negatives", "triplet", "cosine similarity",
    "gradient accumulation", "gradient clipping", "label smoothing", "class weights", "tokenizer",
    "perplexity", "confusion matrix", "Spearman", "bootstrap", "permutation test", "hyperparameter",
    "GridSearchCV", "random seed", "batch size", "dropout", "LSTM", "biaffine", "beam search",
    "int8", "CUDA", "torchrun", "masked language model", "fine-tuning", "HNSW", "BM25", "reranking",
    "skip-gram", "negative sampling", "PCA", "whitening", "domain adaptation", "multi-task",
    "weight decay", "checkpoint", "named entity", "part-of-speech", "dependency parsing",
    "paraphrase", "logistic regression", "confidence interval", "overfitting", "transfer learning",
    "semantic search", "truncation", "validation split",
)  # fmt: skip


def test_a_newcomer_finds_the_terms_of_the_field():
    guides = [*(ROOT / "docs").glob("*.md"), ROOT / "README.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in guides).lower()
    assert [term for term in TERMS if term.lower() not in text] == []


def sections():
    """Return how to add each thing, by its name."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding")[2]
    return dict(re.findall(r"^\*\*(An? .+?)\.\*\* (.+?)\n\n", text + "\n", re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("name", sections())
def test_a_section_on_adding_something_is_short_and_names_what_there_is(name):
    text = sections()[name]
    assert text.count("\n") < 5
    files = [path for folder in ("src", "tests", "docs") for path in (ROOT / folder).rglob("*.py")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    for term in re.findall(r"`([^`]+)`", text):
        if "/" in term and " " not in term and "NAME" not in term:
            pattern = re.sub(r"\{.*?\}", "*", term).rstrip("/")
            assert [*ROOT.glob(pattern), *(ROOT / "src" / "tenor").glob(pattern)], term
        elif re.fullmatch(r"[A-Za-z_.]+", term):
            assert re.search(rf"\b{term.rpartition('.')[2]}\b", code), term


@pytest.mark.slow
def test_the_python_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "guide"}
    try:
        for text in blocks(ROOT / "docs" / "python.md", "python"):
            exec(compile(text, "docs/python.md", "exec"), names)
    finally:
        for table, name in ((ENCODERS, "gru"), (OBJECTIVES, "small_states"), (KINDS, "rating")):
            table.pop(name, None)
