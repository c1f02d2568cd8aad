"""A forger: reads the records of a journal, changes them, and writes a chain of hashes that holds.

With a table's key he also signs each record. This file does not use the code that he deceives.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cutcard.journal import TableKey

Body = dict[str, Any]  # of a line, as JSON
GENESIS = "0" * 64


class Forger:
    """The records of a journal of one file, to change and to write back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        content = path.read_bytes()
        lines = content[: content.rfind(b"\n") + 1].splitlines(keepends=True)
        self.bodies: list[Body] = [json.loads(line) for line in lines]
        self._hashes = {
            id(body): _hash(line) for body, line in zip(self.bodies, lines, strict=True)
        }

    def of_kind(self, kind: str) -> list[Body]:
        """Return the records of one kind, to change in place."""
        return [body for body in self.bodies if body["kind"] == kind]

    def drop(self, is_dropped: Callable[[Body], bool]) -> None:
        """Remove records."""
        self.bodies = [body for body in self.bodies if not is_dropped(body)]

    def append(self, kind: str, data: Body, device: Body | None = None) -> Body:
        """Add a record at the end, with the time and the table of the one before it."""
        last = self.bodies[-1]
        body = {key: last[key] for key in ("v", "time", "table")} | {"kind": kind, "data": data}
        if device is not None:
            body["device"] = device
        self.bodies.append(body)
        return body

    def write(self, key: TableKey | None = None) -> None:
        """Renumber and rechain all records; sign each record if `key` is given.

        A command that gave the machine the hash of a record gives it the new hash of that record.
        The tree of each settled round is recomputed if the journal begins with the first leaf.
        """
        previous, lines = GENESIS, []
        leaves: list[bytes] = []
        renewed: dict[str, str] = {}
        for number, body in enumerate(self.bodies, start=1):
            arguments = body["data"].get("arguments", [])
            arguments[:] = [renewed.get(each, each) for each in arguments]
            fields = {name: value for name, value in body.items() if name != "signature"}
            body.clear()
            body.update(fields | {"n": number, "previous": previous})
            if "tree" in body["data"].get("state", ()):
                body["data"]["state"]["tree"] = _tree(leaves)
            line = _line(body)
            if key is not None:
                line = _signed(line, key)
                body["signature"] = json.loads(line)["signature"]
            previous = _hash(line)
            renewed[self._hashes.get(id(body), "")] = previous
            leaves.append(hashlib.sha256(b"\0" + line).digest())
            lines.append(line)
        self.path.write_bytes(b"".join(lines))

    def write_tail(self, since: int, key: TableKey | None = None) -> None:
        """Rechain the records from place `since` to the end and keep the records before it.

        For a forger without the table's key: the records before keep their signatures. `key` is
        the forger's own key.
        """
        before = self.path.read_bytes().splitlines(keepends=True)[:since]
        previous = _hash(before[-1]) if before else GENESIS
        lines = before
        for number, body in enumerate(self.bodies[since:], start=since + 1):
            fields = {name: value for name, value in body.items() if name != "signature"}
            line = _line(fields | {"n": number, "previous": previous})
            if key is not None:
                line = _signed(line, key)
            previous = _hash(line)
            lines.append(line)
        self.path.write_bytes(b"".join(lines))


def _signed(line: bytes, key: TableKey) -> bytes:
    signed = f"cutcard journal record\n{_hash(line)}\n"
    return _line(json.loads(line) | {"signature": key.sign(signed.encode())})


def _tree(leaves: list[bytes]) -> Body:
    """Return the size and the largest complete subtrees of a tree."""
    at, hashes = 0, []
    for level in reversed(range(len(leaves).bit_length())):
        if len(leaves) & 1 << level:
            hashes.append(_root(leaves[at : at + (1 << level)]).hex())
            at += 1 << level
    return {"size": len(leaves), "hashes": hashes}


def _root(leaves: list[bytes]) -> bytes:
    """Return the root of a complete tree."""
    while len(leaves) > 1:
        pairs = zip(leaves[::2], leaves[1::2], strict=True)
        leaves = [hashlib.sha256(b"\1" + left + right).digest() for left, right in pairs]
    return leaves[0]


def _line(body: Body) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _hash(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()
