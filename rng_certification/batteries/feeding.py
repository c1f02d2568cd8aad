"""Run a battery as a process: a stream of random bytes in, its report out.

A pipe cannot be rewound, so no battery reads the same bytes twice. If the data ends during a test,
that test has no result. A battery that continued with old data would find repetition that the
source does not have; this is dieharder's best known false alarm.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import IO, BinaryIO

PIECE = 1 << 16


class Stream:
    """Bytes that are read once, in order; the next reader continues after the last one."""

    def __init__(
        self, pieces: Iterator[bytes], seen: Callable[[bytes], None] = lambda piece: None
    ) -> None:
        self._pieces = pieces
        self._seen = seen
        self.given = 0
        self.ended = False

    def next(self) -> bytes:
        """Return the next piece; empty at the end."""
        piece = next(self._pieces, b"")
        self.ended = not piece
        self.given += len(piece)
        self._seen(piece)
        return piece


def pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        yield piece


@dataclass(frozen=True)
class Report:
    """The output of a battery, the bytes it read, and whether it needed more data."""

    output: str
    errors: str
    given: int
    ran_dry: bool
    code: int

    @property
    def rewound(self) -> bool:
        return "rewound" in self.output or "rewound" in self.errors


def feed(command: Sequence[str], stream: Stream) -> Report:
    """Run until the battery has enough data, or the data ends."""
    before = stream.given
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    output, errors = _Collected(process.stdout), _Collected(process.stderr)
    try:
        with suppress(BrokenPipeError):
            while piece := stream.next():
                process.stdin.write(piece)
    except BaseException:  # on Ctrl-C, end the battery too
        process.kill()
        raise
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        code = process.wait()
    return Report(output.text(), errors.text(), stream.given - before, stream.ended, code)


class _Collected:
    """The complete output of a pipe, read continuously so that the process never blocks."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._parts: list[bytes] = []
        self._reader = Thread(target=self._read, args=(pipe,), daemon=True)
        self._reader.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            self._parts.extend(iter(lambda: pipe.read(1 << 16), b""))

    def text(self) -> str:
        self._reader.join()
        return b"".join(self._parts).decode(errors="replace")
