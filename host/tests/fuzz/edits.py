"""Turn random bytes into edits of a valid tree of tables, lists and values.

A parser rejects most random bytes at the first line. An edited valid tree also reaches the checks
after the parser.
"""

from __future__ import annotations

import copy
from datetime import date
from decimal import Decimal
from typing import Any

MOST_EDITS = 12
VALUES: tuple[Any, ...] = (
    0,
    1,
    -1,
    2**31,
    2**63,
    10**40,
    True,
    False,
    "",
    "a",
    "0",
    "\0",
    "1:0",
    "As",
    "dealer",
    "é" * 300,
    [],
    {},
    [[]],
    {"": ""},
    [0, "0"],
    1.5,
    -0.0,
    float("nan"),
    float("inf"),
    Decimal("1E+999999"),
    Decimal("NaN"),
    date(1, 1, 1),
    date(9999, 12, 31),
)


class Instructions:
    """Read bytes as small numbers; return zeros after the last byte."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, n: int) -> int:
        return self._byte() % n if n <= 256 else (self._byte() << 8 | self._byte()) % n

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    @property
    def left(self) -> bool:
        return self._at < len(self._data)


def edited(tree: Any, instructions: Instructions) -> Any:
    """Return a copy with up to twelve edits: values replaced; keys deleted, moved, duplicated."""
    changed = copy.deepcopy(tree)
    for _ in range(MOST_EDITS):
        if not instructions.left:
            break
        changed = _edit(changed, instructions)
    return changed


def _edit(node: Any, instructions: Instructions) -> Any:
    keys = _keys(node)
    if not keys or instructions.below(5) == 0:
        return _replaced(node, instructions)
    key = keys[instructions.below(len(keys))]
    what = instructions.below(8)
    if what == 0:
        del node[key]
    elif what == 1:
        _put(node, _new_key(keys, instructions), copy.deepcopy(node[key]))
    else:
        node[key] = _edit(node[key], instructions)
    return node


def _keys(node: Any) -> list[Any]:
    if isinstance(node, dict):
        return list(node)
    return list(range(len(node))) if isinstance(node, list) else []


def _new_key(keys: list[Any], instructions: Instructions) -> Any:
    known = keys[instructions.below(len(keys))]
    return known if instructions.below(2) else f"{known}x"


def _put(node: Any, key: Any, value: Any) -> None:
    if isinstance(node, dict):
        node[str(key)] = value
    else:
        node.append(value)


def _replaced(node: Any, instructions: Instructions) -> Any:
    if isinstance(node, int) and instructions.below(2):
        return node + instructions.below(7) - 3
    if isinstance(node, str) and node and instructions.below(2):
        at = instructions.below(len(node))
        return node[:at] + chr(32 + instructions.below(95)) + node[at + 1 :]
    return copy.deepcopy(VALUES[instructions.below(len(VALUES))])
