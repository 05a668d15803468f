"""The kinds of tasks, by name; a kind of one's own is registered from outside."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tenor.encoders.encoder_type import EncoderType
from tenor.errors import OF_ONES_OWN, TenorError, did_you_mean
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.classify.kind import ClassifyKind
from tenor.tasks.config import TaskConfig
from tenor.tasks.contrastive.kind import ContrastiveKind
from tenor.tasks.kind import Kind
from tenor.tasks.mlm.kind import MlmKind
from tenor.tasks.pair.kind import PairKind
from tenor.tasks.parse.kind import ParseKind
from tenor.tasks.phrases.kind import PhrasesKind
from tenor.tasks.similarity.kind import SimilarityKind
from tenor.tasks.spec import TaskSpec
from tenor.tasks.tag.kind import TagKind

if TYPE_CHECKING:
    from tenor.encoders.encoder import Encoder
    from tenor.tasks.task import Task

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        TagKind(),
        SimilarityKind(),
        PairKind(),
        ContrastiveKind(),
        ClassifyKind(),
        MlmKind(),
        PhrasesKind(),
        ParseKind(),
    )
}
"""In the order in which they are asked whether a data file looks like theirs."""


def register(kind: Kind) -> None:
    """Add a kind of one's own, for this process: run files, folders and commands know it then."""
    if kind.name in KINDS and type(KINDS[kind.name]) is not type(kind):
        raise TenorError(f"There is a kind {kind.name!r} already; give yours another name.")
    KINDS[kind.name] = kind


def kind_of(name: Any) -> Kind:
    """Return a kind by name, or say which there are."""
    if isinstance(name, str) and name in KINDS:
        return KINDS[name]
    from tenor.migration import value_hint

    near = value_hint("kind", name) or did_you_mean(str(name), KINDS)
    known = ", ".join(KINDS)
    raise TenorError(f"kind is {name!r}; known are {known}.{near or ' ' + OF_ONES_OWN}")


def task_config(kind: str, **settings: Any) -> Any:
    """Return the settings of a task of a kind.

    >>> task_config("classify", columns={"text": 0, "label": 1}).batch_size
    16
    """
    return kind_of(kind).config(kind=kind, **settings)


def task_spec(kind: str, **settings: Any) -> Any:
    """Return what a task of a kind predicts, with nothing left open.

    >>> task_spec("pair", labels=("no", "yes"), features=("abs",)).outputs
    1
    """
    return kind_of(kind).spec(**settings)


def spec_from_json(table: Any, *, where: str) -> TaskSpec:
    """Read what ``TaskSpec.to_json`` wrote, trusting nothing."""
    if not isinstance(table, dict):
        raise TenorError(f"{where} must be a table of settings, not {str(table)[:60]!r}.")
    if "kind" not in table:
        raise TenorError(f"{where} does not say its kind.")
    try:
        kind = kind_of(table["kind"])
    except TenorError as error:
        raise TenorError(f"{where}: {error}") from error
    return kind.spec.from_json(table, where=where)


def joined(specs: Mapping[str, TaskSpec]) -> dict[str, TaskSpec]:
    """Give every task what it takes over from others, such as a shared head, or say why it cannot."""
    return {name: kind_of(spec.kind).join(name, spec, specs) for name, spec in specs.items()}


def check_together(configs: Mapping[str, TaskConfig]) -> None:
    """Refuse tasks whose settings do not go with those of others."""
    for name in configs:
        if not name or "." in name or ":" in name:
            raise TenorError(f"A task cannot be called {name!r}: a name has no dot and no colon.")
    for kind in dict.fromkeys(config.kind for config in configs.values()):
        kind_of(kind).check_together(configs)


def check_on_encoder(configs: Mapping[str, TaskConfig], encoder: EncoderType) -> None:
    """Refuse cross-encoders on an encoder that has no segments to tell the two texts apart by."""
    for name, config in configs.items():
        if config.cross and not encoder.segments:
            raise TenorError(
                f"Task {name} is a cross-encoder, but an encoder of type {encoder.model_type} cannot tell "
                'two texts in one sequence apart. Take encoding = "bi", or a BERT encoder.'
            )


def build_tasks(
    configs: Mapping[str, TaskConfig],
    examples: Mapping[str, Sequence[Any]],
    *,
    encoder: "Encoder",
    pooling: PoolingConfig,
    seed: int = 1,
) -> dict[str, "Task"]:
    """Build the tasks of a run on an encoder; ``examples`` to train on by task.

    The initial weights of a head depend on the seed and the task's name alone, not on what other tasks there
    are.
    """
    check_together(configs)
    specs = {
        name: kind_of(config.kind).settle(config, examples[name], name=name)
        for name, config in configs.items()
    }
    tasks = tasks_of(specs, encoder=encoder, pooling=pooling, seed=seed)
    for name, task in tasks.items():
        task.weight = configs[name].weight
        task.begin(examples[name])
    return tasks


def tasks_of(
    specs: Mapping[str, TaskSpec],
    *,
    encoder: "Encoder",
    pooling: PoolingConfig,
    seed: int = 1,
) -> dict[str, "Task"]:
    """Build tasks from settled specifications; what is shared is the same object in both."""
    specs = joined(specs)
    built: dict[str, Task] = {}
    for name in sorted(specs, key=lambda name: specs[name].shares_head_of is not None):
        spec = specs[name]
        built[name] = kind_of(spec.kind).build(
            name, spec, encoder=encoder, pooling=pooling, seed=seed, tasks=built
        )
    return {name: built[name] for name in specs}
