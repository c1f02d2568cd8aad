"""One core for each process.

What is done at once is done by several processes beside each other; numpy's own threads would only
wait for each other there, and waiting is spinning.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

# Heeded by a process that has not loaded numpy yet: by those that are started from here on.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pool(processes: int) -> ProcessPoolExecutor:
    """Processes that start afresh: a fork would copy numpy with its threads, and the locks of the
    thread that draws the progress. They end with this one, however it ends."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), _live_with_parent)


def _live_with_parent() -> None:
    """A child ends when its parent is killed, and leaves Ctrl-C to it."""
    import multiprocessing
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None  # this runs in a child

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
