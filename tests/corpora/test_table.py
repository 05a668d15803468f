"""The table of corpora: every declaration is whole, and a copy of a corpus can be checked by name."""

from pathlib import Path

import pytest

from corpus_files import Write
from tenor.assets import TABLE
from tenor.corpora import CORPORA, Corpus, Split, check, look_up
from tenor.errors import TenorError
from tenor.recipes.recipe import DataFolder
from tenor.recipes.table import all_recipes


@pytest.mark.parametrize("corpus", CORPORA.values(), ids=lambda corpus: corpus.name)
def test_a_declaration_says_all_that_a_person_needs(corpus: Corpus, tmp_path: Path) -> None:
    assert corpus.about
    assert not corpus.about.endswith(".")
    assert corpus.licence
    assert corpus.obtain.endswith(".")
    assert "http" in corpus.obtain or "tenor " in corpus.obtain
    assert corpus.splits
    assert all(split.files for split in corpus.splits.values())
    assert not corpus.asset or corpus.asset in TABLE


@pytest.mark.parametrize(
    ("name", "split"),
    [(corpus.name, next(iter(corpus.splits))) for corpus in CORPORA.values()],
)
def test_a_missing_file_is_named(name: str, split: str, tmp_path: Path) -> None:
    with pytest.raises(TenorError, match=str(tmp_path)):
        list(look_up(name).read(tmp_path, split))


def test_the_files_of_assets_are_those_of_their_corpora() -> None:
    for corpus in CORPORA.values():
        if corpus.asset:
            assert set(corpus.files) == {file.name for file in TABLE[corpus.asset].files}


def test_recipes_read_declared_corpora_only() -> None:
    files = {(corpus.folder, pattern) for corpus in CORPORA.values() for pattern in corpus.files}
    for recipe in all_recipes():
        for folder in recipe.data:
            assert {(folder.name, pattern) for pattern in folder.files} <= files, (recipe.name, folder.name)


def test_an_unknown_name_names_the_nearest() -> None:
    with pytest.raises(TenorError, match=r"Did you mean 'mrpc'"):
        look_up("mrcp")
    with pytest.raises(TenorError, match=r"no split 'trian'; it has train, test. Did you mean 'train'"):
        list(look_up("mrpc").read("anywhere", "trian"))
    with pytest.raises(TenorError, match=r"no split 'sst2-\*'"):
        look_up("minbert").take("sst2-*")


def test_some_splits_are_taken_by_pattern() -> None:
    taken = look_up("minbert").take("sst-*", "quora-dev")
    assert list(taken.splits) == ["sst-train", "sst-dev", "sst-test-student", "quora-dev"]
    assert taken.files[-1] == "quora-dev.csv"


def test_folders_of_recipes_are_made_from_corpora() -> None:
    brown, chunks = look_up("brown"), look_up("conll2000")
    folder = DataFolder.of(chunks, brown, optional=True)
    assert (folder.name, folder.files, folder.optional) == ("nltk", ("conll2000.zip", "brown.zip"), True)
    assert brown.about in folder.about
    assert brown.obtain in folder.advice


def test_a_copy_is_checked(write: Write) -> None:
    head = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
    data = write("mrpc/msr_paraphrase_train.txt", head + "1\t1\t2\ta\tb\n0\t3\t4\tc\td\n")
    for folder in (data, data / "mrpc"):
        checked = check("mrpc", folder)
        assert checked.folder == data / "mrpc"
        assert checked.files == ("msr_paraphrase_train.txt",)
        assert checked.missing == ("msr_paraphrase_test.txt",)
        assert (checked.counts, checked.faults, checked.whole) == ({"train": 2}, {}, False)
    write("mrpc/msr_paraphrase_test.txt", head + "1\t1\t2\ta\n")
    checked = check("mrpc", data)
    assert "msr_paraphrase_test.txt:2: 4 cells" in checked.faults["test"]
    assert not checked.whole
    write("mrpc/msr_paraphrase_test.txt", head + "1\t1\t2\ta\tb\n")
    assert check("mrpc", data).whole


def test_a_corpus_without_an_asset_needs_a_folder() -> None:
    with pytest.raises(TenorError, match=r"which folder holds mrpc"):
        check("mrpc")


def test_a_corpus_lies_in_the_folder_of_its_name_unless_it_says_so() -> None:
    splits = {"all": Split(files=("a", "b"), read=lambda folder: [])}
    common = {"name": "one", "about": "one", "licence": "CC0", "obtain": "Write it.", "splits": splits}
    assert Corpus(**common).folder == "one"  # type: ignore[arg-type]
    assert Corpus(**common, folder="two").folder == "two"  # type: ignore[arg-type]
