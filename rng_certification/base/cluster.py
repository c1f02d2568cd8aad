"""Work on a Dask cluster: plain data out, plain data back, in whatever order it comes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from cutcard.untrusted import why_unreadable

ANSWERS_WITHIN = "10s"


class ClusterFailedError(Exception):
    """Raised where no scheduler answers, or one goes away with work under way; it names it."""


def on_cluster(
    scheduler: str, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Each result with its index in `arguments`. Raises ClusterFailedError and errors of `work`."""
    import distributed  # takes a second to load
    from distributed.comm.core import CommClosedError

    for talks in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(talks).setLevel(logging.CRITICAL)  # of what is told in one sentence here
    try:
        client = distributed.Client(scheduler, timeout=ANSWERS_WITHIN)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterFailedError(
            f"no Dask scheduler answers at {scheduler}: {why_unreadable(error)}"
        ) from error
    with client:
        running = {
            client.submit(work, *each, pure=False): place for place, each in enumerate(arguments)
        }
        try:
            for future in distributed.as_completed(list(running)):  # type: ignore[no-untyped-call]
                yield running[future], future.result()
        except (CancelledError, CommClosedError, distributed.KilledWorker) as error:
            raise ClusterFailedError(
                f"the Dask cluster at {scheduler} went away with work under way"
            ) from error
