"""Faults put there on purpose: a search that cannot find them finds nothing."""

from __future__ import annotations


def planted(data: bytes) -> None:
    """Four steps deep."""
    if data[:1] != b"c":
        return
    if data[1:2] != b"u":
        return
    if data[2:3] != b"t":
        return
    if len(data) > 4:
        raise KeyError("planted")


def greedy(data: bytes) -> None:
    """Takes more memory than any target may."""
    if data[:1] == b"c":
        bytearray(4 << 30)
