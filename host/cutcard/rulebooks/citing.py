"""Comparing citations of rules: a citation of a part of a rule matches the rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

_PIECE = re.compile(r"[^.()\s]+")


def meets(cited: str, wanted: str) -> bool:
    """Return whether a citation is the rule or a part of it: `7.5.5(a)(i)` meets `7.5.5`.

    `15.10` does not meet `15.1`, and `20A` does not meet `20`.
    """
    pieces = _pieces(wanted)
    return _pieces(cited)[: len(pieces)] == pieces


def any_meets(cited: Iterable[str], wanted: str) -> bool:
    return any(meets(rule, wanted) for rule in cited)


@cache
def _pieces(rule: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(rule))
