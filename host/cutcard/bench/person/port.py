"""The server of the person's port: a socket that only its owner can reach, line by line."""

from __future__ import annotations

import socket
from pathlib import Path

from cutcard.bench.person import (  # noqa: F401  (makes their words known)
    cards,
    chip,
    faults,
    panel,
    power,
)
from cutcard.bench.person.visitor import Caller, Hear, Visitor


class PersonPort:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self.visitors: dict[int, Visitor] = {}

    def fileno(self) -> int:
        return self._listener.fileno()

    def welcome(self) -> None:
        connection, _ = self._listener.accept()
        self.visitors[connection.fileno()] = Caller(connection)

    def leave(self, visitor: int) -> None:
        self.visitors.pop(visitor).close()

    @property
    def somebody_waits(self) -> bool:
        return any(visitor.waits_for is not None for visitor in self.visitors.values())

    def serve_waiting(self, hear: Hear) -> bool:
        """Answer waiting clients, as far as possible; return whether any was answered."""
        waiting = [each for each in self.visitors.values() if each.waits_for is not None]
        return sum(each.serve(hear) for each in waiting) > 0

    def close(self) -> None:
        for visitor in list(self.visitors):
            self.leave(visitor)
        self._listener.close()
