"""Specificity of texts: sums over words, which words did it, and models that cannot say."""

import numpy as np
import pytest
import torch

from tenor.encoders.operators.from_scratch import OperatorsFromScratch
from tenor.encoders.table import encoder_type
from tenor.errors import TenorError
from tenor.layers.gaussian import entropy
from tenor.layers.packed import PackedBatch
from tenor.model.loading import find_model
from tenor.use.specificity import more_specific, specificity
from tenor.use.specificity.scoring import SpecificityScorer
from tiny import write_tiny_model

TEXTS = ["some thing", "the black terrier", "a dog", ""]
TAKEN = {"some": -1.0, "thing": 0.0, "the": 0.5, "black": 2.0, "terrier": 4.0, "a": 0.0, "dog": 1.5}


@pytest.fixture
def operators(tmp_path):
    """Operators whose words take away known entropies, spread over two dimensions."""
    folder = OperatorsFromScratch(embedding_size=2).write(tmp_path / "wlo", TEXTS)
    kind = encoder_type("operators")
    encoder = kind.load(folder)
    tokenizer = kind.tokenizer(folder, max_tokens=None)
    with torch.no_grad():
        encoder.embeddings_log_scale.weight.zero_()
        for word, taken in TAKEN.items():
            (number,) = tokenizer.tokenize([word]).ids.tolist()
            encoder.embeddings_log_scale.weight[number] = torch.tensor([-0.25, -0.75]) * taken
    kind.save(encoder, folder)
    return folder


def test_scores_are_the_entropy_that_the_text_has_lost(operators):
    found = specificity(TEXTS, model=operators)
    assert [one.score for one in found] == pytest.approx([-1.0, 6.5, 1.5, 0.0])
    encoder = find_model(operators).type.load(operators)
    tokens = find_model(operators).type.tokenizer(operators, max_tokens=None).tokenize(TEXTS)
    with torch.no_grad():
        _, log_var = encoder.gaussians(PackedBatch.from_tokens(tokens))
    lost = entropy(torch.zeros_like(log_var)) - entropy(log_var)
    np.testing.assert_allclose([one.score for one in found], lost.numpy(), atol=1e-5)


def test_words_that_make_it_so_are_named_in_order(operators):
    one = specificity(["The BLACK terrier, some dog"], model=operators)[0]
    assert one.strongest() == ["terrier", "black", "dog"]
    assert [word for word, _ in one.words] == ["the", "black", "terrier", "[UNK]", "some", "dog"]
    assert one.per_word == pytest.approx(one.score / 6)
    assert specificity([""], model=operators)[0].per_word == 0


def test_order_and_batch_do_not_matter(operators):
    scorer = SpecificityScorer.of(find_model(operators), name="wlo")
    texts = ["terrier black the", *TEXTS * 3]
    np.testing.assert_allclose(scorer.scores(texts), [scorer.explained(text).score for text in texts])
    assert scorer.scores(texts)[0] == pytest.approx(6.5)
    assert scorer.scores([]).shape == (0,)


def test_slices_of_many_texts_are_put_together(operators, monkeypatch):
    from tenor.use.specificity import scoring

    scorer = SpecificityScorer.of(find_model(operators), name="wlo")
    whole = scorer.scores(TEXTS * 5)
    monkeypatch.setattr(scoring, "_AT_ONCE", 3)
    np.testing.assert_array_equal(scorer.scores(TEXTS * 5), whole)


def test_the_more_specific_of_two(operators):
    pairs = [("the terrier", "a dog"), ("some thing", "a dog"), ("a dog", "dog a"), ("", "")]
    assert more_specific(pairs, model=operators) == [0, 1, -1, -1]


def test_a_model_without_operators_says_so(tmp_path):
    folder = write_tiny_model(tmp_path / "tiny")
    assert SpecificityScorer.if_any(find_model(folder)) is None
    with pytest.raises(TenorError, match="--learn tatoeba"):
        specificity(["a"], model=folder)


def test_a_single_text_is_refused(operators):
    with pytest.raises(TypeError, match="list of texts"):
        specificity("a dog", model=operators)


def test_compare_says_which_text_is_the_more_specific_where_the_model_knows(operators, tmp_path):
    import tenor

    found = tenor.compare("the black terrier", "a dog", model=operators)
    assert found.specificities == pytest.approx((6.5, 1.5))
    assert found.to_json()["specificities"] == pytest.approx([6.5, 1.5])
    other = tenor.compare("a dog", "the cat", model=write_tiny_model(tmp_path / "tiny"))
    assert other.specificities is None


def test_the_command_compare_says_it(operators, run_command):
    code, out, err = run_command("compare", "a dog", "the black terrier", "--model", operators)
    assert code == 0, err
    assert "more specific: the second (1.50 and 6.50)" in out
