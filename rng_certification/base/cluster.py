"""Run work on a Dask cluster; arguments and results are plain data, results arrive in any order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from cutcard.untrusted import why_unreadable

if TYPE_CHECKING:
    from distributed import Client

ANSWERS_WITHIN = "10s"


class ClusterFailedError(Exception):
    """The named scheduler does not answer, or the connection was lost during the work."""


def on_cluster(
    scheduler: str | Client, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Yield each result with its index in `arguments`.

    `scheduler` is an address, or a client that stays open. Raises ClusterFailedError and errors of
    `work`.
    """
    import distributed  # takes a second to load
    from distributed.comm.core import CommClosedError

    address = scheduler
    opened: AbstractContextManager[Client]
    if isinstance(scheduler, str):
        opened = _connected(scheduler)
    else:
        address = scheduler.scheduler_info()["address"]
        opened = nullcontext(scheduler)
    with opened as client:
        running = {
            client.submit(work, *each, pure=False): place for place, each in enumerate(arguments)
        }
        try:
            for future in distributed.as_completed(list(running)):  # type: ignore[no-untyped-call]
                yield running[future], future.result()
        except (CancelledError, CommClosedError, distributed.KilledWorker) as error:
            raise ClusterFailedError(
                f"the connection to the Dask cluster at {address} was lost before the "
                "work was complete"
            ) from error


def _connected(address: str) -> AbstractContextManager[Client]:
    """Return a new client of the scheduler at this address. Raises ClusterFailedError."""
    import distributed

    for name in ("distributed", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the error has one message, ours
    try:
        client = distributed.Client(address, timeout=ANSWERS_WITHIN)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ClusterFailedError(
            f"no Dask scheduler answers at {address}: {why_unreadable(error)}"
        ) from error
    return client
