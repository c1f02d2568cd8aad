"""Read records written as text, and convert them to binary.

A draw is a number on its own line, with or without a heading; a shuffle or a press is a line of
numbers separated by commas or blanks; bits are zeros and ones. Random binary records never look
like this for four thousand bytes, so the format is detected automatically.
"""

from __future__ import annotations

import csv
import hashlib
import re
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from rng_certification.base.reading import PIECE, ByteSource, UnusableDataError

LOOKED_AT = 4096
LONGEST_LINE = 1 << 16
_BITS = re.compile(rb"[01\s]+")
_TEXT = re.compile(rb"[\t\n\r -~]+")
_BETWEEN = re.compile(r"[\s,;]+")


class MeasuredStream:
    """A stream that hashes, counts and reports the bytes as they are read."""

    def __init__(self, stream: ByteSource, advance: Callable[[int], None]) -> None:
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
        """Return the first bytes without consuming them."""
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


class TruncatedStream:
    """The first `size` bytes of a stream, as if it ended there."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._left = stream, size

    def read(self, size: int) -> bytes:
        block = self._stream.read(min(size, self._left))
        self._left -= len(block)
        return block


class RecordStream:
    """A generator of records, as a stream."""

    def __init__(self, records: Iterator[bytes]) -> None:
        self._records = records

    def read(self, size: int) -> bytes:
        return next(self._records, b"")


class TextForm(Protocol):
    """The text format of records of one kind."""

    def fits(self, first: bytes) -> bool:
        """Return whether data that begins so is text of this form; binary records never are."""
        ...

    @property
    def required(self) -> bool:
        """Whether an option for text only was given, so that binary data is an error."""
        ...

    def records(self, stream: ByteSource) -> Iterator[bytes]:
        """Yield the records in binary. Raises UnusableDataError with the line number."""
        ...


class ZerosAndOnes:
    """Bits, eight to a byte, with any number of blanks between them."""

    required = False

    def fits(self, first: bytes) -> bool:
        return bool(_BITS.fullmatch(first)) and len(first) >= LOOKED_AT

    def records(self, stream: ByteSource) -> Iterator[bytes]:
        rest = b""
        while block := stream.read(PIECE):
            if not _BITS.fullmatch(block):
                raise UnusableDataError(
                    "the data begins with zeros and ones, but has other characters later"
                )
            digits = rest + b"".join(block.split())
            whole = len(digits) // 8 * 8
            if whole:
                yield int(digits[:whole], 2).to_bytes(whole // 8, "big")
            rest = digits[whole:]
        if rest:
            raise UnusableDataError(
                f"the last {len(rest)} bits are not a complete byte: remove them"
            )


class LineRecords(ABC):
    """One record per line: words separated by commas or blanks, with or without a heading."""

    required = False

    def fits(self, first: bytes) -> bool:
        return bool(_TEXT.fullmatch(first)) and b"\n" in first

    def records(self, stream: ByteSource) -> Iterator[bytes]:
        found = bytearray()
        for number, line in _lines(stream):
            words = self.words(number, line)
            if not words or (number == 1 and self.is_heading(words)):
                continue
            found += self.record(number, words)
            if len(found) >= PIECE:
                yield bytes(found)
                found.clear()
        if found:
            yield bytes(found)

    def words(self, number: int, line: str) -> list[str]:
        """Return the words of a line. Raises UnusableDataError."""
        return [word for word in _BETWEEN.split(line) if word]

    @abstractmethod
    def is_heading(self, words: list[str]) -> bool:
        """Return whether the first line is a heading and not a record."""

    @abstractmethod
    def record(self, number: int, words: list[str]) -> bytes:
        """Return the record of a line. Raises UnusableDataError."""


class NumberLines(LineRecords):
    """Lines of numbers, each between its least and its most.

    `what` describes one line; `code` is the record's format for `struct`. `column` selects one
    column of a CSV file, by its heading or its number from 1. `first` is the number in the file
    that means 0; None for files numbered from 0.
    """

    def __init__(
        self,
        what: str,
        code: str,
        *,
        least: tuple[int, ...],
        most: tuple[int, ...],
        column: str | None = None,
        first: int | None = None,
    ) -> None:
        self._what, self._code = what, code
        self._least, self._most = least, most
        self._column, self._place = column, None if column is None else _place(column)
        self._separator = ","
        self._first = first or 0
        self.required = column is not None or first is not None

    def words(self, number: int, line: str) -> list[str]:
        if self._column is None:
            return super().words(number, line)
        if not line.strip():
            return []
        if number == 1:
            self._separator = max(",;\t", key=line.count)
        fields = [field.strip() for field in next(csv.reader([line], delimiter=self._separator))]
        if self._place is None:
            if self._column not in fields:
                raise UnusableDataError(
                    f"line 1 has no column {self._column[:20]!r}; it has "
                    f"{', '.join(map(repr, fields))[:200]}"
                )
            self._place = fields.index(self._column)
        if self._place >= len(fields):
            raise UnusableDataError(
                f"line {number} has {len(fields)} columns, not {self._place + 1}: use another "
                "--column"
            )
        return [fields[self._place]]

    def is_heading(self, words: list[str]) -> bool:
        return not any(word.isdecimal() for word in words)

    def record(self, number: int, words: list[str]) -> bytes:
        if len(words) != len(self._most) and all(word.isdecimal() for word in words):
            raise UnusableDataError(
                f"line {number} has {len(words)} numbers: text needs {self._what} on each "
                f"line, without other fields{self._hint_of_column(words)}"
            )
        found = []
        for place, word in enumerate(words[: len(self._most)]):
            least, most = self._least[place] + self._first, self._most[place] + self._first
            if not (is_number(word) and least <= int(word) <= most):
                raise UnusableDataError(
                    f"line {number}: {word[:20]!r} is not a number from {least} to "
                    f"{most}{self._hint_of_first(word, most) or self._hint_of_column(words)}"
                )
            found.append(int(word) - self._first)
        if len(words) != len(self._most):
            raise UnusableDataError(
                f"line {number}: text needs {self._what} on each line{self._hint_of_column(words)}"
            )
        return struct.pack(self._code, *found)

    def _hint_of_column(self, words: list[str]) -> str:
        """Suggest --column if a record is one number and the line has several."""
        if len(self._most) > 1 or len(words) == 1:
            return ""
        return "; choose a column with --column NAME or --column 1"

    def _hint_of_first(self, word: str, most: int) -> str:
        if self._first or self._least[0] or not is_number(word) or int(word) != most + 1:
            return ""
        return "; if the file numbers from 1, add --first 1"


def _place(column: str) -> int | None:
    """Return the index of a column given by its number; None for one given by its heading."""
    if not column.isdecimal():
        return None
    return max(int(column) - 1, 0)


def is_number(word: str) -> bool:
    """Return whether the word is digits, and few enough to convert quickly."""
    return word.isdecimal() and word.isascii() and len(word) < 18


def _lines(stream: ByteSource) -> Iterator[tuple[int, str]]:
    rest, number = b"", 0
    while block := stream.read(PIECE):
        *lines, rest = (rest + block).split(b"\n")
        for at, line in enumerate((*lines, rest), start=number + 1):
            if len(line) > LONGEST_LINE:
                raise UnusableDataError(f"line {at} is longer than any record")
        for line in lines:
            number += 1
            yield number, line.decode("ascii", "replace")
    if rest:
        yield number + 1, rest.decode("ascii", "replace")
