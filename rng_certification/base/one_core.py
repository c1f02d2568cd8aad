"""One core for each process.

What is done at once is done by several processes beside each other; numpy's own threads would only
wait for each other there, and waiting is spinning.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# Heeded by a process that has not loaded numpy yet: by those that are started from here on.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pool(processes: int, initializer: Callable[[], None] | None = None) -> ProcessPoolExecutor:
    """Processes that start afresh: a fork would copy numpy with its threads, and the locks of the
    thread that draws the progress."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), initializer)
