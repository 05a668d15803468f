"""Which tasks can share a head: by their settings alone, and by what was settled."""

from collections.abc import Mapping
from dataclasses import replace

from tenor.errors import TenorError, did_you_mean
from tenor.tasks.config import TaskConfig
from tenor.tasks.spec import TaskSpec
from tenor.tasks.texts.config import OF_HEAD
from tenor.tasks.texts.spec import TextSpec, taken_over


def check_share(name: str, shared: str, shares: Mapping[str, str | None]) -> None:
    """Refuse the head of no other task, and one that is shared from a third."""
    if shared not in shares or shared == name:
        near = did_you_mean(shared, [other for other in shares if other != name])
        raise TenorError(f"Task {name}: share_head_with names {shared!r}, which is no other task.{near}")
    if shares[shared] is not None:
        raise TenorError(f"Task {name}: {shared!r} shares a head itself; name {shares[shared]!r}.")


def check_shares(configs: Mapping[str, TaskConfig]) -> None:
    """Refuse shared heads that are not there, or that calibration would change for a task of other scores."""
    shares: dict[str, str | None] = {
        name: getattr(config, "share_head_with", None) for name, config in configs.items()
    }
    for name, shared in shares.items():
        if shared is None:
            continue
        check_share(name, shared, shares)
        if getattr(configs[shared], "calibrate", None) and not getattr(configs[name], "probabilities", False):
            raise TenorError(
                f"Task {shared}: calibrate would change the head that {name!r} shares with it; leave out one "
                "of the two."
            )


def join_head(name: str, spec: TextSpec, specs: Mapping[str, TaskSpec]) -> TextSpec:
    """Return a specification with the settings of the head that it shares, or say why it cannot share it."""
    if spec.share_head_with is None:
        return spec
    check_share(name, spec.share_head_with, {task: each.shares_head_of for task, each in specs.items()})
    other = specs[spec.share_head_with]
    if not isinstance(other, TextSpec) or other.texts != spec.texts:
        raise TenorError(
            f"Task {name}: {spec.share_head_with!r} is about single texts; a pair cannot share its head."
        )
    if other.of_cosine:
        raise TenorError(
            f"Task {name}: the head {other.head!r} of {spec.share_head_with!r} cannot be shared."
        )
    shared = replace(spec, **taken_over(other, OF_HEAD))
    if shared.outputs != other.outputs:
        raise TenorError(
            f"Task {name}: its head would have {shared.outputs} outputs, that of {spec.share_head_with!r} "
            f"gives {other.outputs}; only a score and a yes-or-no can share a head, or tasks with equal "
            "labels."
        )
    return shared
