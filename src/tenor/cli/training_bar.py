"""What a training run looks like on a terminal: step, losses by task, tokens per second, time left."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tenor.training.callbacks import Callback, StepReport
from tenor.training.learner import Evaluation, Learner
from tenor.training.progress import MONITOR
from tenor.training.progress import Progress as RunProgress

_MEMORY = 0.9  # of the running means that are shown: single batches jump too much to be read


class _Bar(Callback):
    def __init__(self, console: Console, bar: Progress) -> None:
        self._console, self._bar = console, bar
        self._task = bar.add_task("", total=None, losses="", rate="", epoch="")
        self._means: dict[str, float] = {}
        self._begun: tuple[int, float] | None = None

    def note(self, text: str) -> None:
        self._console.print(text)

    def on_step_end(self, learner: Learner, progress: RunProgress, report: StepReport) -> None:
        for name, loss in report.losses.items():
            self._means[name] = _MEMORY * self._means.get(name, loss) + (1 - _MEMORY) * loss
        if self._begun is None:  # a resumed run shows its own rate
            self._begun = (progress.tokens - report.tokens, report.seconds)
        seconds = report.seconds - self._begun[1]
        rate = (progress.tokens - report.tokens - self._begun[0]) / seconds if seconds > 0 else 0.0
        self._bar.update(
            self._task,
            completed=progress.step,
            total=progress.steps,
            losses="  ".join(f"{name} {value:.3f}" for name, value in self._means.items()),
            rate=f"{rate:,.0f} tokens/s" if rate else "",
            epoch=f"epoch {progress.epoch + 1}",
        )

    def on_evaluate(
        self,
        learner: Learner,
        progress: RunProgress,
        evaluations: Mapping[str, Evaluation],
        better: Sequence[str],
    ) -> None:
        if not evaluations:
            return
        told = ", ".join(f"{name} {each.metric.name} {each.main:.4f}" for name, each in evaluations.items())
        best = " (best so far)" if MONITOR in better else ""
        when = f"epoch {progress.epoch + 1}, step {progress.step:,}" if progress.step else "before training"
        self._console.print(f"{when}: {told}{best}")


class _BadRowsOnly(Callback):
    """Keeps quiet but for rows that were lost."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def bad_rows(self, text: str) -> None:
        self._console.print(text, highlight=False)


@contextmanager
def listening(console: Console, *, quiet: bool, first: bool = True) -> Iterator[Callback]:
    """Show the bar while the block runs, where the console is a terminal; notes and scores anyway.

    Of several processes only the ``first`` speaks.
    """
    if quiet or not first:
        yield _BadRowsOnly(console) if first else Callback()
        return
    columns = [
        TextColumn("{task.fields[epoch]}"), BarColumn(bar_width=20),
        TextColumn("{task.completed}/{task.total}"), TextColumn("{task.fields[losses]}"),
        TextColumn("{task.fields[rate]}"), TimeElapsedColumn(), TimeRemainingColumn(),
    ]  # fmt: skip
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        yield _Bar(console, bar)
