"""A witness as a server in a thread of the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from cutcard.transparency.serving import WitnessServer
from cutcard.transparency.witness import Witness


@contextmanager
def served(witness: Witness, port: int = 0) -> Iterator[str]:
    server = WitnessServer(("127.0.0.1", port), witness)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
