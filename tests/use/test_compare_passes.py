"""How often one comparison tokenises and encodes: once, whatever is asked of the vectors."""

import pytest

import tenor
from phrase_classifier import with_classifier
from tenor.encoders.table import encoder_type
from tenor.encoders.torch_engine import TorchEngine
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.word_model import WordModel
from tenor.text.problems import Problems
from tenor.text.tokenizer import Tokenizer
from tenor.use.compare import compare
from tenor.use.compare import comparing as module
from tenor.use.compare.comparing import CompareReport, compare_file
from tenor.use.text_watch import TextWatch
from tenor.words import WordVectors

FIRST, SECOND = "the cat sat on the mat", "a dog ran home"


class CountingEngine:
    """An engine that counts its passes."""

    def __init__(self, engine, passes=None):
        self._engine = engine
        self.passes = [] if passes is None else passes

    def __getattr__(self, name):
        return getattr(self._engine, name)

    def raw(self):
        return CountingEngine(self._engine.raw(), self.passes)

    def vectors(self, tokens):
        self.passes.append("vectors")
        return self._engine.vectors(tokens)

    def map(self, batches):
        return map(self.vectors, batches)

    def states(self, tokens, *, layers):
        self.passes.append("states")
        return self._engine.states(tokens, layers=layers)

    def vectors_and_states(self, tokens, *, layers):
        self.passes.append("vectors and states")
        return self._engine.vectors_and_states(tokens, layers=layers)


@pytest.fixture
def tokenised(monkeypatch):
    """All texts that were cut into pieces since the test began; the probe for special tokens is empty."""
    texts = []
    pieces = Tokenizer._pieces

    def counted(self, some, *, words):
        texts.extend(text for text in some if text != "")
        return pieces(self, some, words=words)

    monkeypatch.setattr(Tokenizer, "_pieces", counted)
    return texts


def counting(model):
    model.engine = CountingEngine(model.engine)
    return model


def starter():
    try:
        return tenor.load("minilm", precision="fp32")
    except TenorError as error:
        pytest.skip(f"the starter is not at hand: {error}")


def on_torch(folder):
    model = tenor.load(folder, precision="fp32")
    model.engine = TorchEngine(encoder_type("bert").load(folder), pooling=PoolingConfig(), normalize=True)
    return model


def word_vectors():
    return WordModel(WordVectors(["the", "cat", "dog"], [[2, 0], [0, 4], [1, 3]]))


@pytest.mark.parametrize("engine", ["openvino", "torch", "starter with three heads", "word vectors"])
@pytest.mark.parametrize("long", ["truncate", "chunk"])
def test_a_comparison_tokenises_each_text_once_and_runs_the_encoder_once(
    engine, long, tiny_folder, tokenised
):
    made = {
        "openvino": lambda: tenor.load(tiny_folder, precision="fp32"),
        "torch": lambda: on_torch(tiny_folder),
        "starter with three heads": starter,
        "word vectors": word_vectors,
    }
    model = counting(made[engine]())
    tokenised.clear()
    found = compare(model, FIRST, SECOND, long=long)
    assert tokenised == [FIRST, SECOND]
    assert model.engine.passes == ["vectors and states"]
    assert found.cut == (0, 0)


def test_the_phrasal_classifier_reads_both_texts_as_one_sequence_once_more(tmp_path, tokenised):
    model = counting(tenor.load(with_classifier(tmp_path / "model"), precision="fp32"))
    tokenised.clear()
    compare(model, "the cat sat", "the dog sat")
    assert tokenised == ["the cat sat", "the dog sat", ["the", "cat", "sat"], ["the", "dog", "sat"]]
    assert model.engine.passes == ["vectors and states", "states"]


def test_only_chunks_of_a_long_text_need_a_further_pass(tiny_folder, tokenised):
    model = counting(tenor.load(tiny_folder, precision="fp32"))
    long = "the cat sat " * 20
    compare(model, long, SECOND)
    assert tokenised == [long, SECOND]
    assert model.engine.passes == ["vectors and states"]
    compare(model, long, SECOND, long="chunk")
    assert model.engine.passes[1:] == ["vectors and states", "vectors"]


def test_a_file_of_pairs_is_tokenised_once_and_has_one_pass_a_window(
    tiny_folder, tmp_path, tokenised, monkeypatch
):
    monkeypatch.setattr(module, "WINDOW_PAIRS", 3)
    pairs = [(f"the cat {number}", f"a dog {number}") for number in range(6)]
    file = tmp_path / "pairs.tsv"
    file.write_text("sentence1\tsentence2\n" + "".join(f"{one}\t{other}\n" for one, other in pairs))
    model = counting(tenor.load(tiny_folder, precision="fp32"))
    # What looks for unknown words reads the first texts by itself, so it is left out here.
    report = CompareReport(watch=TextWatch(model, limit=0))
    found = list(compare_file(model, file, problems=Problems(), report=report))
    assert [one.pair.texts for one in found] == pairs
    assert sorted(tokenised) == sorted(text for pair in pairs for text in pair)
    assert model.engine.passes == ["vectors", "vectors"]
