"""Read data from a file or a pipe, in pieces, and check each record before use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from rng_certification.base.compiled import Bytes, Decks, Draws, compiled

PIECE = 1 << 20


class ByteSource(Protocol):
    """A source of bytes: a file, a pipe or a generator."""

    def read(self, size: int, /) -> bytes: ...


class UnusableDataError(Exception):
    """The input does not match its declared format, or is too short for a verdict."""

    def __init__(self, problem: str, offset: int | None = None) -> None:
        super().__init__(problem if offset is None else f"{problem}, at byte {offset}")
        self.problem = problem
        self.offset = offset


def pieces(stream: ByteSource, record: int, seen: Callable[[bytes], None]) -> Iterator[bytes]:
    """Yield complete records of `record` bytes, about a mebibyte at a time; `seen` receives every
    byte."""
    size = max(1, PIECE // record) * record
    offset = 0
    rest = b""
    while block := stream.read(size - len(rest)):
        seen(block)
        block = rest + block
        whole = len(block) // record * record
        if whole:
            yield block[:whole]
        rest = block[whole:]
        offset += whole
    if rest:
        raise UnusableDataError(
            f"the last record is incomplete: {len(rest)} of {record} bytes", offset
        )


def as_bytes(piece: bytes, offset: int) -> Bytes:
    return np.frombuffer(piece, dtype=np.uint8)


def as_draws(piece: bytes, offset: int, span: int) -> Draws:
    draws = np.frombuffer(piece, dtype="<u4").astype(np.uint32, copy=False)
    if int(draws.max()) >= span:
        bad = int(np.argmax(draws >= span))
        raise UnusableDataError(
            f"record {offset // 4 + bad} is {draws[bad]}, not in 0 .. {span - 1}", offset + 4 * bad
        )
    return draws


def as_decks(piece: bytes, offset: int, cards: int) -> Decks:
    decks = np.frombuffer(piece, dtype="<u2").astype(np.uint16, copy=False).reshape(-1, cards)
    bad = first_invalid_permutation(decks)
    if bad >= 0:
        raise UnusableDataError(
            f"record {offset // (2 * cards) + bad} is not a permutation of 0 .. {cards - 1}",
            offset + 2 * cards * bad,
        )
    return decks


@compiled
def first_invalid_permutation(decks: Decks) -> int:
    """Return the number of the first record that is not a permutation of the cards, or -1."""
    size = decks.shape[1]
    seen = np.full(size, -1, dtype=np.int64)
    for record in range(len(decks)):
        for card in decks[record]:
            if card >= size or seen[card] == record:
                return record
            seen[card] = record
    return -1
