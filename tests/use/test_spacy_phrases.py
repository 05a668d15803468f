"""Phrases by spaCy: spans of the words given, from a tiny parser that is trained here, and refusals."""

import shutil
import sys

import pytest

import tenor
from tenor.errors import TenorError
from tenor.use.align.candidates import constituents
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.spacy_phrases import SpacyPhrases, new_pipeline, spaces

# Words, tags, heads (by place), relations.
TREES = [
    ("my old aunt sleeps .", "PRP$ JJ NN VBZ .", [2, 2, 3, 3, 3], "poss amod nsubj ROOT punct"),
    ("my aunt sleeps .", "PRP$ NN VBZ .", [1, 2, 2, 2], "poss nsubj ROOT punct"),
    ("my dog eats my red apple .", "PRP$ NN VBZ PRP$ JJ NN .", [1, 2, 2, 5, 5, 2, 2],
     "poss nsubj ROOT poss amod dobj punct"),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    spacy.util.fix_random_seed(0)
    pipeline = new_pipeline()
    examples = []
    for text, tags, heads, relations in TREES:
        words = text.split()
        told = {"words": words, "tags": tags.split(), "heads": heads, "deps": relations.split()}
        plain = spacy.tokens.Doc(pipeline.vocab, words=words, spaces=spaces(words))
        examples.append(Example.from_dict(plain, told | {"sent_starts": [True] + [False] * (len(words) - 1)}))
    optimizer = pipeline.initialize(lambda: 30 * examples)  # rarer relations are left out
    ruler = pipeline.get_pipe("attribute_ruler")
    for tag, part in {"NN": "NOUN", "VBZ": "VERB", "JJ": "ADJ", "PRP$": "PRON", ".": "PUNCT"}.items():
        ruler.add(patterns=[[{"TAG": tag}]], attrs={"POS": part})
    for _ in range(40):
        pipeline.update(examples, sgd=optimizer)
    path = tmp_path_factory.mktemp("spacy")
    pipeline.to_disk(path)
    return path


@pytest.fixture(scope="module")
def phrases(folder):
    return SpacyPhrases.from_folder(folder, fingerprint="made up")


def by_hand(words, heads):
    """The subtrees of a tree without their marks: the words that a word governs, itself included."""
    found = set()
    for top in range(len(words)):
        under = {top}
        while more := {place for place, head in enumerate(heads) if head in under} - under:
            under |= more
        inside = sorted(place for place in under if words[place] != ".")
        if inside:
            found.add((inside[0], inside[-1] + 1))
    return found


def test_spans_are_the_subtrees_and_noun_chunks_of_the_words_given(phrases):
    texts = [text.split() for text, *_ in TREES]
    found = phrases.spans([*texts, [], ["."]])
    for words, spans, (*_, heads, _) in zip(texts, found, TREES, strict=False):
        assert set(spans) == by_hand(words, heads)  # noun chunks are subtrees here
        assert spans == sorted(set(spans))
    assert found[3:] == [[], []]
    assert (3, 6) in found[2]  # my red apple
    assert constituents(texts[1], found[1]) == [(0, 2), (0, 3)]


def test_a_text_has_the_same_phrases_in_any_company(phrases):
    texts = [text.split() for text, *_ in TREES] + [["\u200b", "Ünïcode", "aunt"], ["x" * 500] * 40]
    assert phrases.spans(texts) == [phrases.spans([words])[0] for words in texts]


def test_an_aligner_takes_phrases_from_the_parser(phrases, tiny_folder):
    model = tenor.load(tiny_folder, precision="fp32")
    pair = WordPair(tuple(TREES[0][0].split()), tuple(TREES[1][0].split()))
    (found,) = Aligner(model, parser=phrases).align([pair])
    assert found.first_phrases == tuple(constituents(pair.first, phrases.spans([pair.first])[0]))
    assert set(found.first_phrases) == {(0, 3), (0, 4), (1, 2)}
    (usual,) = Aligner(model).align([pair])
    assert usual.links == found.links
    assert usual.first_phrases != found.first_phrases


def test_trees_that_are_given_stay(phrases, tiny_folder):
    model = tenor.load(tiny_folder, precision="fp32")
    pair = WordPair(("my", "aunt"), ("my", "dog"), trees=(((0, 2), (1, 2)), ((1, 2),)))
    (with_parser,) = Aligner(model, parser=phrases).align([pair])
    (without,) = Aligner(model).align([pair])
    assert with_parser == without


def test_the_configuration_in_the_folder_is_not_looked_at(folder, phrases, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "config.cfg").write_text('[nlp]\nlang = "en"\nbefore_creation = {"@callbacks": "evil.v1"}\n')
    (copy / "meta.json").write_text("not JSON")
    (copy / "tokenizer").write_bytes(b"\x80\x04evil")
    texts = [TREES[2][0].split()]
    assert SpacyPhrases.from_folder(copy).spans(texts) == phrases.spans(texts)


@pytest.mark.parametrize("file", ["parser/model", "parser/moves", "vocab/strings.json", "tok2vec/model"])
def test_a_damaged_folder_is_refused_in_a_sentence(folder, tmp_path, file):
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / file).write_bytes(b"\x80\x04]garbage")
    with pytest.raises(TenorError, match=r"spaCy cannot read the pipeline.*tenor fetch spacy-en --force"):
        SpacyPhrases.from_folder(copy)


def test_spacy_and_its_pipeline_are_missed_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv("TENOR_CACHE", str(tmp_path))
    if "spacy" in sys.modules:
        with pytest.raises(TenorError, match="Get it with: tenor fetch spacy-en"):
            SpacyPhrases.load()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(TenorError, match=r"needs the package 'spacy'.*pip install 'tenor\[spacy\]'"):
        SpacyPhrases.load()


def test_a_pipeline_of_other_contents_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("spacy")
    from tenor.assets.cache import folder_of
    from tenor.assets.table import look_up

    monkeypatch.setenv("TENOR_CACHE", str(tmp_path))
    asset = look_up("spacy-en")
    for file in asset.files:
        path = folder_of(asset) / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\0" * file.bytes)
    with pytest.raises(TenorError, match="other contents than those that the table of assets asks for"):
        SpacyPhrases.load()
