"""Our BERT against transformers' BertModel: values, all layers, gradients, every mix of lengths."""

import copy
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig as TheirConfig
from transformers import BertModel

from tenor.assets import find
from tenor.encoders.bert.checkpoint import BertCheckpoint, named_weights
from tenor.encoders.bert.config import BertConfig
from tenor.encoders.bert.encoder import BertEncoder
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch

# Tiny versions of the shapes that checkpoints have: base, large (more heads), MiniLM (narrow heads),
# multilingual (large vocabulary), other segments, activations, epsilon and limits, no layers at all.
SHAPES = {
    "base": {"hidden_size": 48, "num_attention_heads": 3, "intermediate_size": 96},
    "large": {"hidden_size": 64, "num_attention_heads": 16, "intermediate_size": 256, "num_hidden_layers": 5},
    "minilm": {"hidden_size": 24, "num_attention_heads": 12, "intermediate_size": 96},
    "multilingual": {"vocab_size": 5003},
    "one segment": {"type_vocab_size": 1},
    "many segments": {"type_vocab_size": 7},
    "gelu_new": {"hidden_act": "gelu_new"},
    "relu": {"hidden_act": "relu", "layer_norm_eps": 1e-5},
    "few positions": {"max_position_embeddings": 40},
    "no layers": {"num_hidden_layers": 0},
}
MIXES = {
    "one token": [1],
    "one text": [23],
    "equal": [7, 7, 7],
    "descending": [30, 30, 12, 11, 2, 1],
    "ascending": [1, 5, 9, 33],
    "mixed": [3, 40, 1, 17, 18, 2, 39, 5, 5],
}


def their_model(seed: int = 0, **changes: object) -> BertModel:
    sizes = {"vocab_size": 211, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
             "intermediate_size": 64, "max_position_embeddings": 512, "type_vocab_size": 2}  # fmt: skip
    torch.manual_seed(seed)
    model = BertModel(TheirConfig(**sizes | changes)).eval()
    for parameter in model.parameters():  # larger than at the start of training, so that mistakes show
        parameter.data.add_(0.15 * torch.randn_like(parameter))
    return model


def our_model(theirs: BertModel) -> BertEncoder:
    encoder = BertEncoder(BertConfig.from_json(theirs.config.to_dict())).eval()
    state = theirs.state_dict()
    for name, weight in named_weights(encoder).items():
        weight.copy_(state[name])
    return encoder


def random_batch(lengths: list[int], vocabulary: int, *, segments: int | None = None) -> PackedBatch:
    random = np.random.default_rng(len(lengths))
    # Id 0 is [PAD], which no text holds; transformers gives it no gradient.
    batch = PackedBatch.from_lists([random.integers(1, vocabulary, n).tolist() for n in lengths])
    if segments is None:
        return batch
    return batch.with_segments(torch.from_numpy(random.integers(0, segments, batch.packing.tokens)))


def their_states(
    model: BertModel, batch: PackedBatch, **given: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor]:
    if not given:
        given = {"input_ids": batch.to_padded(batch.ids)}
    if batch.segments is not None:
        given["token_type_ids"] = batch.to_padded(batch.segments)
    out = model(**given, attention_mask=batch.packing.mask.long(), output_hidden_states=True)
    return [batch.from_padded(layer) for layer in out.hidden_states], out.pooler_output


def assert_same(ours: torch.Tensor, theirs: torch.Tensor, tolerance: float = 1e-5) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=tolerance)


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_all_layers_and_pooler_on_random_weights(shape, mix):
    theirs = their_model(**SHAPES[shape])
    batch = random_batch(MIXES[mix], theirs.config.vocab_size, segments=theirs.config.type_vocab_size)
    states = our_model(theirs)(batch, all_states=True, pooler=True)
    layers, pooled = their_states(theirs, batch)
    assert len(states.layers) == len(layers)
    for ours, expected in zip(states.layers, layers, strict=True):
        assert_same(ours, expected)
    assert_same(states.last, layers[-1])
    assert_same(states.pooler, pooled)


@torch.no_grad()
def test_equal_to_the_last_digits_in_double_precision():
    """float32 hides small mistakes in its rounding; float64 does not."""
    theirs = their_model().double()
    batch = random_batch([512, 1, 37, 5, 5], 211)
    states = our_model(theirs).double()(batch, pooler=True)
    layers, pooled = their_states(theirs, batch)
    assert_same(states.last, layers[-1], 1e-11)
    assert_same(states.pooler, pooled, 1e-11)


@torch.no_grad()
def test_caller_supplied_embeddings():
    theirs = their_model()
    encoder, batch = our_model(theirs), random_batch([4, 9, 2], 211, segments=2)
    embeddings = torch.randn(15, 32)
    moved = batch.with_embeddings(embeddings)
    layers, _ = their_states(theirs, batch, inputs_embeds=batch.to_padded(embeddings))
    assert_same(encoder(moved).last, layers[-1])
    assert torch.equal(
        encoder(batch.with_embeddings(encoder.input_embeddings(batch))).last, encoder(batch).last
    )
    assert torch.equal(encoder.run(encoder.embed(moved), moved).last, encoder(moved).last)


def test_gradients_reach_caller_supplied_embeddings():
    theirs = their_model().double()
    encoder, batch = our_model(theirs).double(), random_batch([4, 9, 2], 211)
    gradients = []
    for layers in (
        lambda given: encoder(batch.with_embeddings(given)).last,
        lambda given: their_states(theirs, batch, inputs_embeds=batch.to_padded(given))[0][-1],
    ):
        embeddings = torch.linspace(-1, 1, 15 * 32, dtype=torch.float64).view(15, 32).requires_grad_()
        gradients.append(torch.autograd.grad(layers(embeddings).sin().sum(), embeddings)[0])
    assert_same(*gradients, 1e-10)


@torch.no_grad()
def test_positions_of_the_caller():
    theirs = their_model()
    encoder, batch = our_model(theirs), random_batch([6], 211)
    positions = torch.tensor([5, 4, 3, 2, 1, 0])
    moved = PackedBatch(batch.packing, ids=batch.ids, given_positions=positions)
    expected = theirs(input_ids=batch.ids[None], position_ids=positions[None]).last_hidden_state[0]
    assert_same(encoder(moved).last, expected)


@torch.no_grad()
def test_causal_attention():
    theirs = their_model(is_decoder=True)
    settings = theirs.config.to_dict() | {"is_decoder": False}
    encoder = BertEncoder(BertConfig.from_json(settings)).eval()
    for name, weight in named_weights(encoder).items():
        weight.copy_(theirs.state_dict()[name])
    batch = random_batch([3, 20, 1, 11], 211)
    causal = PackedBatch(batch.packing, ids=batch.ids, attention="causal")
    layers, _ = their_states(theirs, batch)
    assert_same(encoder(causal).last, layers[-1])
    assert (encoder(batch).last - layers[-1]).abs().max() > 0.01


@pytest.mark.parametrize("shape", ["base", "large", "gelu_new"])
def test_gradients_of_every_weight(shape):
    theirs = their_model(**SHAPES[shape])
    encoder = our_model(theirs)
    batch = random_batch(MIXES["mixed"], 211, segments=2)
    torch.manual_seed(1)
    target = torch.randn(batch.packing.tokens, encoder.config.hidden_size)
    states = encoder(batch, pooler=True)
    ((states.last * target).mean() + states.pooler.square().mean()).backward()
    layers, pooled = their_states(theirs, batch)
    ((layers[-1] * target).mean() + pooled.square().mean()).backward()
    gradients = copy.deepcopy(encoder)
    for holder, parameter in zip(gradients.parameters(), encoder.parameters(), strict=True):
        holder.data = parameter.grad
    expected = {name: parameter.grad for name, parameter in theirs.named_parameters()}
    ours = named_weights(gradients)
    assert ours.keys() == expected.keys()
    for name, gradient in ours.items():
        assert_same(gradient, expected[name])
    assert max(gradient.abs().max() for gradient in ours.values()) > 1e-3  # not equal for being all zero


@torch.no_grad()
def test_a_text_does_not_depend_on_its_batch():
    encoder = our_model(their_model())
    batch = random_batch(MIXES["mixed"], 211)
    together = encoder(batch).last.split(MIXES["mixed"])
    for text, states in zip(batch.ids.split(MIXES["mixed"]), together, strict=True):
        assert_same(encoder(PackedBatch.from_lists([text.tolist()])).last, states)


@torch.no_grad()
def test_inner_layers_without_the_rest():
    encoder, batch = our_model(their_model()), random_batch([3, 8], 211)
    layers = encoder(batch, all_states=True).layers
    for layer, states in enumerate(layers):
        assert torch.equal(encoder(batch, upto=layer).last, states)


@torch.no_grad()
def test_empty_batches_and_empty_texts():
    encoder = our_model(their_model())
    assert encoder(PackedBatch.from_lists([]), pooler=True).pooler.shape == (0, 32)
    with_empty = encoder(PackedBatch.from_lists([[1, 2], [], [3]])).last
    assert_same(with_empty, encoder(PackedBatch.from_lists([[1, 2], [3]])).last)


def test_too_long_a_text_is_told():
    encoder = our_model(their_model(max_position_embeddings=8))
    with pytest.raises(TenorError, match="9 tokens, but the encoder has 8 positions"):
        encoder(PackedBatch.from_lists([[1] * 9]))


def test_freezing_layers():
    encoder = our_model(their_model())
    encoder.embeddings.requires_grad_(False)
    encoder.blocks[0].requires_grad_(False)
    encoder(random_batch([3, 8], 211)).last.sum().backward()
    assert encoder.embeddings.words.weight.grad is None
    assert encoder.blocks[0].attention.qkv.weight.grad is None
    assert encoder.blocks[1].attention.qkv.weight.grad is not None


def test_masks_on_weights_go_through_named_views():
    encoder = our_model(their_model())
    named_weights(encoder)["encoder.layer.1.attention.self.key.weight"].mul_(0)
    fused = encoder.blocks[1].attention.qkv.weight
    assert (fused[32:64] == 0).all()
    assert (fused[:32] != 0).all()
    assert (fused[64:] != 0).all()


@pytest.fixture(scope="module")
def minilm() -> Path:
    try:
        return find("minilm")
    except TenorError as error:
        pytest.skip(str(error))


@torch.no_grad()
def test_real_weights(minilm):
    theirs = BertModel.from_pretrained(minilm, local_files_only=True).eval()
    encoder = BertCheckpoint.load(minilm).encoder
    lengths = [512, 1, 9, 10, 9, 31, 128, 2]
    random = np.random.default_rng(0)
    batch = PackedBatch.from_lists([[101, *random.integers(999, 30000, n - 1).tolist()] for n in lengths])
    states = encoder(batch, all_states=True, pooler=True)
    layers, pooled = their_states(theirs, batch)
    for ours, expected in zip(states.layers, layers, strict=True):
        assert_same(ours, expected)
    assert_same(states.pooler, pooled)


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_first_tokens_alone_have_the_same_states_and_gradients(layers):
    encoder = our_model(their_model(num_hidden_layers=layers))
    batch = random_batch([3, 0, 8, 1, 8], 211)
    there = batch.packing.lengths > 0
    firsts = batch.packing.firsts[there]
    found = []
    for alone in (False, True):
        encoder.zero_grad()
        states = encoder(batch, wanted=firsts if alone else None, pooler=True)
        (states.last[firsts].square().sum() + states.pooler[there].sum()).backward()
        gradients = {name: value.grad for name, value in encoder.named_parameters()}
        found.append((states.last, states.pooler, gradients))
    (whole, pooler, gradients), (cut, same_pooler, same_gradients) = found
    assert_same(cut[firsts], whole[firsts])
    assert_same(same_pooler, pooler)
    for name, gradient in gradients.items():
        torch.testing.assert_close(same_gradients[name], gradient, rtol=1e-4, atol=1e-5)
    if layers:
        others = torch.ones(len(whole), dtype=torch.bool).index_fill(0, firsts, False)
        assert not cut[others].any()
        assert whole[others].any()
