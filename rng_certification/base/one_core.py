"""Limit each process to one core.

Parallel work runs in several processes. Threads of numpy within each process would compete for the
same cores and spin while they wait.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# Applies to processes that load numpy later, including those started from here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pool(processes: int) -> ProcessPoolExecutor:
    """Return a pool of processes that end when this process ends, for any reason.

    Spawned, not forked: a fork would copy numpy with its threads, and the locks of the thread that
    draws the progress bar.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _live_with_parent)


def _live_with_parent() -> None:
    """End this child when its parent is killed, and let the parent handle Ctrl-C."""
    import multiprocessing
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None  # always true in a child

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
