"""Figures that others printed for main games, each with its game."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from cutcard.edge.game.figures import figures_of
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.rulebooks import open_rulebook
from cutcard.rulebooks.side_wagers.pay_table import parse_odds


class PublishedFigure(NamedTuple):
    """A printed figure, in per cent, and the rules that it is for."""

    what: str
    figure: tuple[str, ...]
    source: str
    game: tuple[str, str, int]
    change: Mapping[str, Any]
    why: str

    @property
    def rules(self) -> MoneyRules:
        rulebook, variant, decks = self.game
        rules = money_rules(open_rulebook(rulebook, (variant,)), decks)
        change = dict(self.change)
        if "blackjack_odds" in change:
            change["blackjack_odds"] = parse_odds(change["blackjack_odds"])
        return replace(rules, **change)

    @property
    def slack(self) -> float:
        """Return half of the last printed digit."""
        return 0.5 * float(10 ** -len(self.figure[0].partition(".")[2]))

    def difference(self, edge: float) -> float:
        """Return the difference of our figure from the printed one; 0 within two printed bounds."""
        low, high = float(self.figure[0]), float(self.figure[-1])
        percent = 100 * edge
        return min(0.0, percent - low) + max(0.0, percent - high)


@cache
def published() -> tuple[PublishedFigure, ...]:
    text = (resources.files("cutcard.edge.game") / "published.toml").read_text("utf-8")
    return tuple(
        PublishedFigure(
            entry["what"],
            tuple(entry["figure"]),
            entry["source"],
            tuple(entry["game"]),
            entry.get("change", {}),
            entry.get("why", ""),
        )
        for entry in tomllib.loads(text)["published"]
    )


def ours(entry: PublishedFigure) -> dict[str, float]:
    """Return our figures for the game of a printed figure."""
    found = figures_of(entry.rules)
    return {"edge": round(found.edge, 10), "by_total": round(found.by_total, 10)}


@cache
def stored_beside() -> tuple[dict[str, float], ...]:
    """Return our stored figures for the printed ones, in the same order."""
    text = (resources.files("cutcard.edge.game") / "published.json").read_text("utf-8")
    return tuple(json.loads(text))
