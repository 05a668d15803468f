"""Which tasks can share a head, as far as their settings tell without any data."""

from collections.abc import Mapping

from tenor.errors import TenorError, did_you_mean
from tenor.tasks.config import TaskConfig


def check_share(name: str, shared: str, shares: Mapping[str, str | None]) -> None:
    """Refuse the head of no other task, and one that is shared from a third."""
    if shared not in shares or shared == name:
        near = did_you_mean(shared, [other for other in shares if other != name])
        raise TenorError(f"Task {name}: share names {shared!r}, which is no other task.{near}")
    if shares[shared] is not None:
        raise TenorError(f"Task {name}: {shared!r} shares a head itself; name {shares[shared]!r}.")


def check_shares(tasks: Mapping[str, TaskConfig]) -> None:
    """Refuse shared heads that are not there, or that calibration would change for a task of other scores."""
    for name, task in tasks.items():
        if task.share is None:
            continue
        check_share(name, task.share, {other: each.share for other, each in tasks.items()})
        chances = task.loss == "cross_entropy" and (task.range == (0.0, 1.0) or task.scale == 1.0)
        if tasks[task.share].calibrate and not chances:
            raise TenorError(
                f"Task {task.share}: calibrate would change the head that {name!r} shares with it; leave out "
                "one of the two."
            )
