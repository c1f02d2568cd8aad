"""A client of the bench, at the person's port or at the bench's terminal."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress

from cutcard.bench.person.words import Answer, DelayedAnswer, WordError

Hear = Callable[[str], Answer | DelayedAnswer]


class Visitor:
    """A client. Its lines are answered in order; an answer may have to wait."""

    keeps_bench = False  # the bench ends when this client ends

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = bytearray()
        self.waits_for: DelayedAnswer | None = None

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> bool:
        """Read what the client sent; False if the client has gone."""
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:
            return False
        self._unread += data
        return bool(data)

    def serve(self, hear: Hear) -> bool:
        """Answer the lines that can be answered now; return whether there were any."""
        answered = False
        if self.waits_for is not None:
            if not self.waits_for.come_about():
                return False
            due, self.waits_for = self.waits_for, None
            self.say({"ok": True, **due.answer()})
            answered = True
        while self.waits_for is None and b"\n" in self._unread:
            line, _, self._unread = self._unread.partition(b"\n")
            self._answer(line.decode(errors="replace"), hear)
            answered = True
        return answered

    def _answer(self, line: str, hear: Hear) -> None:
        """Answer a line, also an invalid one."""
        try:
            heard = hear(line)
        except WordError as error:
            self.say({"ok": False, "error": str(error), "hint": error.hint})
            return
        if isinstance(heard, DelayedAnswer):
            self.waits_for = heard
        else:
            self.say({"ok": True, **heard})

    def say(self, answer: Answer) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """The client has disconnected."""


class Caller(Visitor):
    """A client at the person's port."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection.fileno())
        self._connection = connection

    def say(self, answer: Answer) -> None:
        with suppress(OSError):  # disconnected; the next read detects it
            self._connection.sendall(json.dumps(answer).encode() + b"\n")

    def close(self) -> None:
        self._connection.close()


class ParentWatch(Visitor):
    """The process that started the bench and holds its standard input: the bench ends with it."""

    keeps_bench = True

    def say(self, answer: Answer) -> None:
        """Do nothing: this client sends no commands."""

    def serve(self, hear: Hear) -> bool:
        self._unread.clear()
        return False
