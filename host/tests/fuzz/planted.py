"""A fault put there on purpose, four steps deep: a search that cannot find it finds nothing."""

from __future__ import annotations


def planted(data: bytes) -> None:
    if data[:1] != b"c":
        return
    if data[1:2] != b"u":
        return
    if data[2:3] != b"t":
        return
    if len(data) > 4:
        raise KeyError("planted")
