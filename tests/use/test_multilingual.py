"""A BERT-shaped encoder with a multilingual vocabulary: one Unigram model of many scripts, as XLM-R's."""

import shutil

import numpy as np
import pytest
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

import tenor
from tenor.text import Problems
from tenor.use.compare import compare
from tenor.use.compare.comparing import CompareReport, compare_file
from tenor.use.text_watch import TextWatch

PIECES = """
▁the ▁cat ▁der ▁hund ▁schläft ▁собака ▁спит ▁的 狗 睡觉 ▁كلب ▁chien ▁dort ▁ s e a n о а と 犬 . ? і
""".split()  # noqa: SIM905
FOREIGN = ["der hund schläft.", "собака спит.", "的狗睡觉.", "犬と犬"]


@pytest.fixture(scope="module")
def folder(tiny_folder, tmp_path_factory):
    """Write the tiny model with the tokenizer of a multilingual one."""
    place = tmp_path_factory.mktemp("multilingual") / "model"
    shutil.copytree(tiny_folder, place)
    specials = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    library = Library(models.Unigram(specials + [(piece, -len(PIECES) / len(piece)) for piece in PIECES], 3))
    library.normalizer = normalizers.NFKC()
    library.pre_tokenizer = pre_tokenizers.Metaspace()
    library.decoder = decoders.Metaspace()
    library.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    for name in ("vocab.txt", "tokenizer_config.json", "special_tokens_map.json"):
        (place / name).unlink(missing_ok=True)
    library.save(str(place / "tokenizer.json"))
    return place


@pytest.fixture(scope="module")
def model(folder):
    return tenor.load(folder, precision="fp32")


def test_texts_of_all_scripts_have_vectors_of_their_own(model):
    vectors = model.encode([*FOREIGN, "the cat."])
    cosines = vectors @ vectors.T
    assert np.all(cosines[~np.eye(5, dtype=bool)] < 0.9999)
    assert model.tokenizer.unknown == 3
    assert not model.english


def test_no_warning_for_languages_that_the_vocabulary_knows(model):
    watch = TextWatch(model)
    watch.see(FOREIGN[:3])
    assert watch.warning() is None


def test_what_a_multilingual_vocabulary_lacks_is_warned_of(model, tmp_path):
    watch = TextWatch(model)
    watch.see(["собака спит.", "ประเทศไทย"])
    assert "unknown to" in watch.warning()
    assert "ประเทศไทย" in watch.warning()
    (tmp_path / "p.tsv").write_text("собака спит.\tder hund schläft.\n🍕🚀\t😀\n", encoding="utf-8")
    report = CompareReport()
    list(compare_file(model, tmp_path / "p.tsv", problems=Problems(), report=report))
    assert any("unknown to" in each for each in report.warnings(model, long="truncate"))


def test_texts_that_differ_only_in_what_it_lacks_are_no_duplicates(model):
    texts = ["собака спит 🍕", "собака спит 🚀", "собака спит 🍕"]
    groups = tenor.dedupe(texts, model=model, threshold=0.999)
    assert [[member.row for member in group.members] for group in groups] == [[0, 2]]


def test_texts_across_languages_are_compared_word_by_word(model):
    found = compare(model, "собака спит.", "der hund schläft.")
    assert 0 <= found.similarity <= 5
    assert not any("not English" in each for each in found.warnings)
