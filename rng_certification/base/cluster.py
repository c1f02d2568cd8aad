"""Work on a Dask cluster: plain data out, plain data back, in whatever order it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any


def on_cluster(
    scheduler: str, work: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, Any]]:
    """Each result with the place of its arguments."""
    import distributed  # takes a second to load

    with distributed.Client(scheduler) as client:  # type: ignore[no-untyped-call]
        running = {
            client.submit(work, *each, pure=False): place for place, each in enumerate(arguments)
        }
        finished = distributed.as_completed(list(running), with_results=True)  # type: ignore[no-untyped-call]
        for future, result in finished:
            yield running[future], result
