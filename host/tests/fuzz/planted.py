"""Targets with a deliberate fault, to check that the search finds faults."""

from __future__ import annotations


def planted(data: bytes) -> None:
    """Fail after four nested comparisons of the input."""
    if data[:1] != b"c":
        return
    if data[1:2] != b"u":
        return
    if data[2:3] != b"t":
        return
    if len(data) > 4:
        raise KeyError("planted")


def greedy(data: bytes) -> None:
    """Allocate more memory than the limit of a target."""
    if data[:1] == b"c":
        bytearray(4 << 30)
