"""A progress bar on a terminal: how many bytes have been read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(total: int | None) -> Iterator[Callable[[int], None]]:
    """What to tell how many bytes more have been read, of `total` if that is known; elsewhere than
    on a terminal nothing is shown."""
    if not (sys.stderr and sys.stderr.isatty()):
        yield lambda _size: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    from cogen.signals.kernels import quiet

    columns = (BarColumn(), DownloadColumn(binary_units=True), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        token = quiet.set(True)
        try:
            yield lambda size: bar.advance(task, size)
        finally:
            quiet.reset(token)
