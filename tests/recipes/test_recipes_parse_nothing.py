"""Recipes compose: files are read by the rooms below them, and no recipe reaches into another's folder."""

import ast
from pathlib import Path

import pytest

import tenor.recipes

ROOT = Path(tenor.recipes.__file__).parent
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
MODULES = sorted(ROOT.glob("*/**/*.py"))
# What parses files of others: formats, and our own readers, which corpora call.
PARSERS = (
    "bz2", "csv", "gzip", "lzma", "pandas", "pyarrow", "tarfile", "xml", "zipfile",
    *(f"tenor.text.{name}" for name in (
        "ccg", "conll", "conllu", "delimited", "excel", "glue", "json_array", "jsonl", "lines", "opening",
        "parquet", "readers", "sniff", "span_jsonl", "timeml", "trees",
    )),
)  # fmt: skip
READING = {"open", "read_text", "read_bytes", "load", "loads", "loadtxt", "genfromtxt", "read_csv"}
# Files that the recipe wrote itself, in its own folder of work, and models.
OWN = {
    ("alpha_embeddings/models.py", "WordVectors.load"),
    ("alpha_embeddings/models.py", "np.load"),
    ("auxiliary_languages/subword_vectors.py", "lines.open"),
    ("auxiliary_languages/tagging.py", "run.load"),
    ("embedding_dimensions/recipe.py", "WordVectors.load"),
    ("emergent_languages/recipe.py", "json.loads"),
    ("emergent_languages/recipe.py", "(place / 'runs.json').read_text"),
    ("fuzzy_words/recipe.py", "WordVectors.load"),
    ("geometric_meta_embeddings/recipe.py", "WordVectors.load"),
    ("low_resource_encoders/tagging.py", "run.load"),
    ("minbert/teaching.py", "each.read_bytes"),
    ("minbert/training.py", "own.read_bytes"),
    ("minbert/training.py", "more.read_bytes"),
    ("minbert/training.py", "(rows / f'{name}.extra.jsonl').read_bytes"),
    ("nth_order_bli/languages.py", "WordVectors.load"),
    ("temporal_adversarial/spaces.py", "WordVectors.load"),
    ("temporal_adversarial/tagging.py", "found.type.load"),
    ("transfer_fine_tuning/pretraining.py", "(encoder / name).read_text"),
    ("transfer_fine_tuning/pretraining.py", "file.open"),
    ("transfer_fine_tuning/pretraining.py", "texts.open"),
    ("transfer_fine_tuning/pretraining.py", "train.open"),
    ("transfer_fine_tuning/pretraining.py", "dev.open"),
    ("transfer_fine_tuning/pretraining.py", "json.loads"),
    ("transfer_fine_tuning/scoring.py", "train.open"),
    ("transfer_fine_tuning/untrained.py", "np.load"),
    ("zero_resource_ner/data.py", "WordVectors.load"),
    ("zero_resource_ner/taggers.py", "found.type.load"),
}


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{each.name}" for each in node.names}
    return names


def read_by(tree: ast.AST) -> set[str]:
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        ast.unparse(function)
        for function in called
        if (isinstance(function, ast.Attribute) and function.attr in READING)
        or (isinstance(function, ast.Name) and function.id in {"open", "load"})
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_recipe_reads_no_file_of_others_and_uses_no_other_recipe(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own, *_ = path.relative_to(ROOT).parts
    for name in imported(tree):
        parts = name.split(".")
        if parts[:2] == ["tenor", "recipes"] and parts[2] in FOLDERS:
            assert parts[2] == own, f"{name} belongs to another recipe: move it to a room below"
        assert not any(f"{name}.".startswith(f"{parser}.") for parser in PARSERS), f"{name} parses files"
    where = path.relative_to(ROOT).as_posix()
    unknown = {(where, call) for call in read_by(tree) if call != "tenor.load"} - OWN
    assert not unknown, "data sets are read by tenor.corpora; what a recipe wrote itself goes to OWN"


def test_the_list_of_own_files_holds_nothing_that_is_gone():
    found = {
        (path.relative_to(ROOT).as_posix(), call)
        for path in MODULES
        for call in read_by(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found >= OWN
