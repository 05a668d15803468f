"""A bar on the standard error for whoever asks for one and has no bar of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

from tenor.progress import Progress


@contextmanager
def shown_progress(total: int, progress: Progress | None, *, shown: bool) -> Iterator[Progress | None]:
    """Yield what follows the texts done: ``progress`` itself, or beside it a bar if ``shown``."""
    if not shown:
        yield progress
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True)) as bars:
        bar = bars.add_task("Encoding", total=total)

        def follow(count: int) -> None:
            bars.advance(bar, count)
            if progress is not None:
                progress(count)

        yield follow
