"""Counting texts beyond a model's limit: no shortcut may miss one."""

import numpy as np
import pytest

import tenor
from tenor.use.limits import count_beyond_limit, tell_beyond_limit


@pytest.fixture(scope="module")
def model():
    return tenor.load("minilm", precision="fp32")


def counted(model, texts):
    """Count by tokenising everything."""
    return int(np.sum(model.tokenizer.tokenize(texts).dropped > 0))


def test_a_character_may_be_several_tokens(model):
    """A Korean syllable is taken apart into letters, so 220 characters can exceed 256 tokens."""
    texts = ["안녕 " * 73, "안녕 " * 20, "the cat " * 127, "the cat " * 128, "ΐ " * 100]
    assert len(texts[0]) < model.max_tokens
    assert counted(model, texts) == 2
    assert count_beyond_limit(model, texts) == 2


@pytest.mark.parametrize("words", [250, 252, 253, 254, 255])
def test_at_the_limit_and_with_a_prompt(model, words):
    text, prompt = "a " * words, "q "
    assert count_beyond_limit(model, [text]) == counted(model, [text])
    assert count_beyond_limit(model, [text], prompt=prompt) == counted(model, [prompt + text])


def test_nothing_to_tell():
    assert tell_beyond_limit(0, "truncate") is None
    assert "1 text is" in tell_beyond_limit(1, "truncate")
