"""Run work on a Dask cluster; arguments and results are plain data, results arrive in any order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any

from cutcard.untrusted import why_unreadable

ANSWERS_WITHIN = "10s"


class ClusterFailedError(Exception):
    """The named scheduler does not answer, or the connection was lost during the work."""


def on_cluster(
    scheduler: str, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Yield each result with its index in `arguments`. Raises ClusterFailedError and errors of
    `work`."""
    import distributed  # takes a second to load
    from distributed.comm.core import CommClosedError

    for talks in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(talks).setLevel(logging.CRITICAL)  # ClusterFailedError reports it
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
                f"the connection to the Dask cluster at {scheduler} was lost before the "
                "work was complete"
            ) from error
