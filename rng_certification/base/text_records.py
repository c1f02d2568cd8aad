"""Draws, shuffles and bits that were written as text, read as the records that they stand for.

A draw is a number on a line of its own, below a heading or not; a shuffle is a line of numbers
with commas or blanks between them; bits are zeros and ones. Random records never look like that
for four thousand bytes, so nobody has to say which it is.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO

from rng_certification.base.reading import PIECE, Readable, UnusableData

LOOKED_AT = 4096
LONGEST_LINE = 1 << 16
_BITS = re.compile(rb"[01\s]+")
_TEXT = re.compile(rb"[\t\n\r -~]+")
_BETWEEN = re.compile(r"[\s,;]+")


class Watched:
    """A stream that is hashed, counted, and reported on as it is read."""

    def __init__(self, stream: BinaryIO, advance: Callable[[int], None]) -> None:
        self._stream, self._advance = stream, advance
        self._digest = hashlib.sha256()
        self._ahead = b""
        self.bytes = 0

    def read(self, size: int) -> bytes:
        if self._ahead:
            block, self._ahead = self._ahead[:size], self._ahead[size:]
            return block
        return self._read(size)

    def look_ahead(self) -> bytes:
        """The first bytes, without consuming them."""
        while len(self._ahead) < LOOKED_AT and (block := self._read(LOOKED_AT - len(self._ahead))):
            self._ahead += block
        return self._ahead

    def _read(self, size: int) -> bytes:
        block = self._stream.read(size)
        self._digest.update(block)
        self.bytes += len(block)
        self._advance(len(block))
        return block

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


class AsRecords:
    """A generator of records as a stream."""

    def __init__(self, records: Iterator[bytes]) -> None:
        self._records = records

    def read(self, size: int) -> bytes:
        return next(self._records, b"")


def is_text(kind: str, first: bytes) -> bool:
    if kind == "bits":
        return bool(_BITS.fullmatch(first)) and len(first) >= LOOKED_AT
    return bool(_TEXT.fullmatch(first)) and b"\n" in first


def records(stream: Readable, kind: str, each: int, span: int) -> AsRecords:
    """Binary records from text: `each` numbers in a line, from 0 to `span` - 1.

    Reading raises UnusableData, with the line.
    """
    if kind == "bits":
        return AsRecords(_bits(stream))
    return AsRecords(_numbers(stream, each, span, "<u2" if kind == "shuffles" else "<u4"))


def _bits(stream: Readable) -> Iterator[bytes]:
    rest = b""
    while block := stream.read(PIECE):
        if not _BITS.fullmatch(block):
            raise UnusableData("it begins as zeros and ones, and goes on as something else")
        digits = rest + b"".join(block.split())
        whole = len(digits) // 8 * 8
        if whole:
            yield int(digits[:whole], 2).to_bytes(whole // 8, "big")
        rest = digits[whole:]
    if rest:
        raise UnusableData(f"the last {len(rest)} bits are no whole byte: leave them away")


def _numbers(stream: Readable, each: int, span: int, form: str) -> Iterator[bytes]:
    code = "<%d" + ("H" if form == "<u2" else "I")
    found: list[int] = []
    for number, line in _lines(stream):
        words = [word for word in _BETWEEN.split(line) if word]
        if not words or (number == 1 and not any(word.isdecimal() for word in words)):
            continue  # a line without anything, or a heading
        found += _record(number, words, each, span)
        if len(found) >= PIECE // 4:
            yield struct.pack(code % len(found), *found)
            found = []
    if found:
        yield struct.pack(code % len(found), *found)


def _record(number: int, words: list[str], each: int, span: int) -> Iterator[int]:
    if len(words) != each and all(word.isdecimal() for word in words):
        what = "one draw a line" if each == 1 else f"a shuffle of {each} cards a line"
        raise UnusableData(
            f"line {number} has {len(words)} numbers: text needs {what}, and nothing else in it"
        )
    for word in words:
        if not (word.isdecimal() and word.isascii() and len(word) < 12 and int(word) < span):
            raise UnusableData(f"line {number}: {word[:20]!r} is no number of 0 .. {span - 1}")
        yield int(word)


def _lines(stream: Readable) -> Iterator[tuple[int, str]]:
    rest, number = b"", 0
    while block := stream.read(PIECE):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            number += 1
            yield number, line[:LONGEST_LINE].decode("ascii", "replace")
        if len(rest) > LONGEST_LINE:
            raise UnusableData(f"line {number + 1} is longer than any record")
    if rest:
        yield number + 1, rest.decode("ascii", "replace")
