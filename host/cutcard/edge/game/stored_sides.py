"""The included figures of side wagers, and the rules that let each be offered."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from cutcard.rulebooks.book import contents

HANGS_ON_PLAY = ("third-card", "tokens")


@cache
def stored_sides() -> tuple[dict[str, Any], ...]:
    """Return the results of `side_sweep`: first by cards, rulebook by rulebook, then by play."""
    text = (resources.files("cutcard.edge.game") / "sides.json").read_text("utf-8")
    return tuple(json.loads(text))


def cited(row: dict[str, Any]) -> tuple[str, ...]:
    """Return the rules under which the wager may be offered there: they do not forbid it."""
    side = contents(row["rulebook"]).bets[row["side"]]
    where = (side.variants[1],) if side.variants is not None else ()
    rules = (side.section, side.pay_rule, side.decks_rule, *where)
    return tuple(dict.fromkeys(rule for rule in rules if rule))


def hangs_on_play(row: dict[str, Any]) -> bool:
    """Return whether the wager of a row depends on its owner's play; insurance is on no such
    list."""
    side = contents(row["rulebook"]).bets.get(row["side"])
    return side is not None and (side.settles in HANGS_ON_PLAY or bool(side.riding))
