"""Every factor of zero-resource-ner reaches the network, the loss, the sentences or the split it names."""

from itertools import product

import pytest
import torch

from tenor.recipes.zero_resource_ner import data as data_module
from tenor.recipes.zero_resource_ner import recipe, taggers
from tenor.recipes.zero_resource_ner.claims import PAPER, TRIVIAL
from tenor.recipes.zero_resource_ner.data import DOMAINS, SCITECH, SOURCE, four_types, read_data
from tenor.recipes.zero_resource_ner.described import DescribedTask, frequent_examples
from tenor.recipes.zero_resource_ner.taggers import NetworkTagger, training_settings
from word_recipe_data import StubContext, cells_of, random_vectors, write

RECIPE = recipe.RECIPE
CELLS = cells_of(RECIPE)
TINY = RECIPE.plan("tiny").settings
SMALL, FULL = (RECIPE.plan(scale).settings for scale in ("small", "full"))
GRID = [
    f"{variant}-{vectors}"
    for variant, vectors in product(("crf", "mtl", "moee", "both"), ("frozen", "updated"))
]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return read_data(StubContext(tmp_path_factory.mktemp("data"), settings=TINY))


def network(name, data, folder, **plan):
    return NetworkTagger(CELLS[name].settings, {**TINY, **plan}, data, work=folder, seed=1)


@pytest.mark.parametrize("name", GRID)
def test_modules_and_vectors_of_a_cell_are_in_its_network_and_loss(name, data, tmp_path):
    made = network(name, data, tmp_path)
    variant, vectors = name.split("-")
    table = made.network.encoder.embeddings.parts[0].table.weight
    assert table.requires_grad == (vectors == "updated")
    assert (made.task.boundaries is not None) == (variant in ("mtl", "both"))
    assert hasattr(made.task.head, "mixture") == (variant in ("moee", "both"))
    batch = made.task.collate(made.task.prepare(data.train, made.tokenizer), torch.arange(4).numpy())
    losses = made.task.losses(made.network({taggers.TASK: batch})[taggers.TASK], batch)
    expected = {"loss"} | ({"boundary"} if variant in ("mtl", "both") else set())
    assert set(losses) == expected | ({"gate"} if variant in ("moee", "both") else set())


def test_cells_of_a_seed_begin_with_the_same_encoder_and_head(data, tmp_path):
    states = [
        network(name, data, tmp_path / name).network.state_dict() for name in ("crf-frozen", "mtl-frozen")
    ]
    assert all(torch.equal(states[1][name], value) for name, value in states[0].items())


def test_sizes_of_the_plan_reach_the_network(data, tmp_path):
    made = network("both-frozen", data, tmp_path, hidden_size=7, expert_size=5, dropout=0.25)
    lstm = made.network.encoder.lstm.config
    assert (lstm.hidden_size, lstm.num_layers, lstm.bidirectional) == (7, 2, True)
    assert (lstm.dropout, lstm.input_dropout) == (0.25, 0.25)
    assert made.task.head.mixture.experts.weight.shape == (5 * 5, 14)
    assert made.task.boundaries.out.weight.shape == (3, 14)


def test_settings_of_the_plan_reach_training():
    for plan in (SMALL, FULL):
        found = training_settings(CELLS["crf-frozen"].settings, plan)
        assert (found.epochs, found.patience) == (plan["epochs"], plan["patience"])
        assert found.encoder_lr == found.head_lr == plan["lr"]
        assert (found.optimizer, found.weight_decay, found.max_grad_norm) == ("adam", 0.0, 5.0)
    assert (FULL["hidden_size"], FULL["expert_size"], FULL["lr"]) == (200, 200, 1e-3)


def test_the_untrained_encoder_stays_and_its_head_learns(data, tmp_path):
    made = network("untrained", data, tmp_path, epochs=1)
    encoder = {name: value.clone() for name, value in made.network.encoder.state_dict().items()}
    head = made.task.head.out.weight.detach().clone()
    made.fit(tmp_path)
    assert all(torch.equal(value, encoder[name]) for name, value in made.network.encoder.state_dict().items())
    assert not torch.equal(made.task.head.out.weight, head)


@pytest.mark.parametrize("name", ["concept-frozen", "robust-frozen"])
def test_taggers_with_descriptions_know_their_vectors(name, data, tmp_path):
    made = network(name, data, tmp_path, epochs=1)
    assert isinstance(made.task, DescribedTask)
    vectors = made.network.encoder.embeddings
    words = ["location", "miscellaneous", "organization", "person"]
    assert torch.equal(made.task.head.descriptions, vectors.of_words(words))
    if name == "concept-frozen":
        assert made.task.head.examples is None
    else:
        examples = frequent_examples(data.train, data_module.TYPES, 2)
        assert torch.equal(made.task.head.examples.view(8, -1), vectors.of_words(examples))
        assert len(set(examples)) == 8
    made.fit(tmp_path)
    assert torch.equal(made.task.head.descriptions, vectors.of_words(words))


def test_seeds_draw_their_own_sentences_and_cells_of_a_seed_share_them(tmp_path):
    sentences = list(range(100))
    first, again, other = (data_module.part_of(sentences, 20, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 20
    assert data_module.part_of(sentences, None, 1) == sentences


def test_the_made_up_domains_share_no_names(data):
    def names(sentences):
        pairs = [pair for one in sentences for pair in zip(one.words, one.tags, strict=True)]
        return {word for word, tag in pairs if tag != "O"}, {word for word, tag in pairs if tag == "O"}

    (source, plain), (target, same) = names([*data.train, *data.dev]), names(data.tests[SCITECH])
    assert source
    assert target
    assert not source & target
    assert same <= plain


def files(folder):
    conll = "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nran VBD I-VP O\n\n"
    conll += "Ada NNP I-NP I-PER\nBob NNP I-NP B-PER\n\n"
    for name in ("train", "testa", "testb"):
        write(folder / "conll2003" / f"eng.{name}.gz", conll * 3)
    write(
        folder / "cbs-scitech-news" / "tech_test", "Gab S-ORG\nsaid O\n\nJane B-PER\nDoe E-PER\nIBM E-ORG\n"
    )
    for domain in DOMAINS:
        write(folder / "crossner" / domain / "test.txt", "Ann\tB-writer\nOde\tB-poem\nBern\tI-country\n")


def test_the_files_become_one_source_and_six_targets_of_four_types(tmp_path, monkeypatch):
    files(tmp_path / "data")
    given = random_vectors(words=["eu", "ada", "jane", "unseen", "EU"])
    asked = []
    monkeypatch.setattr(data_module.WordVectors, "load", lambda name: asked.append(name) or given)
    settings = SMALL | {"train": 4, "dev": None, "test": 2}
    context = StubContext(tmp_path / "work", data=tmp_path / "data", seed=3, settings=settings)
    found = read_data(context)
    assert asked == ["glove-50d"]
    assert (len(found.train), len(found.dev), len(found.tests[SOURCE])) == (4, 6, 2)
    assert {one.tags for one in found.dev} == {("B-ORG", "O"), ("B-PER", "B-PER")}
    assert [one.tags for one in found.tests[SCITECH]] == [("B-ORG", "O"), ("B-PER", "I-PER", "B-ORG")]
    assert found.notes == ("1 tags of SciTech were illegal in BIOES and were repaired.",)
    assert [one.tags for one in found.tests["music"]] == [("B-PER", "B-MISC", "B-LOC")]
    monkeypatch.undo()
    kept = data_module.WordVectors.load(found.vectors)
    assert sorted(kept.words) == ["EU", "ada", "eu", "jane"]
    assert {folder.name for folder in RECIPE.data} == {"conll2003", "cbs-scitech-news", "crossner"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("politician", "PER"), ("musicalartist", "PER"), ("university", "ORG"), ("band", "ORG"),
     ("location", "LOC"), ("album", "MISC"), ("misc", "MISC"), ("astronomicalobject", "MISC")],
)  # fmt: skip
def test_types_of_crossner(name, kind):
    assert four_types(f"B-{name}") == f"B-{kind}"


def test_only_the_source_is_trained_on_and_chosen_by(data, tmp_path, monkeypatch):
    given = {}

    class Noted(taggers.TaskLearner):
        def __init__(self, network, train, **more):
            given.update(train=train, **more)
            super().__init__(network, train, **more)

    monkeypatch.setattr(taggers, "TaskLearner", Noted)
    network("crf-frozen", data, tmp_path, epochs=1, batch_size=16).fit(tmp_path)
    assert list(given["train"][taggers.TASK].examples) == data.train
    assert list(given["dev"][taggers.TASK].examples) == data.dev
    assert given["batches"] == {taggers.TASK: 16}


def test_a_cell_scores_all_test_sets_and_reads_the_gate_only_where_there_are_experts(tmp_path):
    sets = {SOURCE, SCITECH, "SciTech untyped", *DOMAINS}
    assert set(TRIVIAL) == sets
    for name in ("crf-frozen", "both-updated", "frequent-tag", "all-o"):
        context = StubContext(tmp_path / name, settings={**TINY, "epochs": 1})
        found = recipe.run(CELLS[name], context)
        gates = {"gate right on O", "gate entropy on O", "gate entropy on entities"}
        assert set(found.outcomes) == sets | (gates if name == "both-updated" else set())
        assert {each.statistic for each in found.outcomes.values()} == {"f1_of_counts"}
        assert bool(found.extras) == (name == "both-updated")
        if name == "all-o":
            assert {each.score for each in found.outcomes.values()} == {0.0}


def test_the_plans_hold_the_grid_and_enough_seeds():
    small = RECIPE.plan("small")
    assert set(GRID) < set(small.names)
    assert all(
        small.cell(name).seeds(small.seeds) >= 5 for name in (*GRID, "concept-frozen", "robust-frozen")
    )
    headline = [claim for claim in RECIPE.claims if claim.headline]
    assert RECIPE.claims[: len(headline)] == tuple(headline)
    for claim in RECIPE.claims:
        if isinstance(claim.paper, float):
            assert claim.smallest <= claim.paper
    assert RECIPE.claims[0].paper == pytest.approx(PAPER["both"][0] - PAPER["crf"][0])
