"""Games with house rules, compared with figures that others printed for the same rules."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cutcard.edge.game.figures import GameFigures, figures_of
from cutcard.edge.money_rules import money_rules
from cutcard.edge.own_rules import own_value, with_own
from cutcard.rulebooks import open_rulebook

PRINTED = tomllib.loads((Path(__file__).parent / "published_rules.toml").read_text("utf-8"))
COMMON = ("dealer.peeks=true", "split.hands=4")
# Each rule in the format of --set.
RULES = {
    "H17": ("dealer.soft_17=draw",),
    "NDAS": ("double.after_split=false",),
    "D9": ("double.totals=hard-9-10-11",),
    "D10": ("double.totals=hard-10-11",),
    "SP2": ("split.hands=2",),
    "RSA": ("split.aces_again=true",),
    "ENHC": ("dealer.peeks=false",),
    "LS": (
        "surrender.kind=in-turn",
        "surrender.against=23456789TJQKA",
        "surrender.alone=false",
    ),
    "6:5": ("blackjack.odds=6:5",),
    "1:1": ("blackjack.odds=1:1",),
    "2:1": ("blackjack.odds=2:1",),
}


def printed() -> Iterator[Any]:
    for source, of in PRINTED.items():
        for each in of["edges"]:
            name = "-".join([source, str(each["decks"]), *each.get("of", ()), *each["rules"]])
            yield pytest.param(of, each, id=f"{name}-{'edge' if 'edge' in each else 'change'}")


@cache
def figures_with(decks: int, rules: tuple[str, ...]) -> GameFigures:
    typed = [*COMMON, *(each for rule in rules for each in RULES[rule])]
    values = dict(map(own_value, typed))
    return figures_of(money_rules(with_own(open_rulebook("uk-blackjack"), values), decks))


def edge_with(decks: int, rules: tuple[str, ...], by: str) -> float:
    found = figures_with(decks, rules)
    return 100 * (found.edge if by == "cards" else found.by_total)


@pytest.mark.parametrize(("source", "each"), list(printed()))
def test_printed_figure_is_ours(source: dict[str, Any], each: dict[str, Any]) -> None:
    decks, base, by = each["decks"], tuple(each.get("of", ())), source["by"]
    with_it = edge_with(decks, (*base, *each["rules"]), by)
    figure = with_it if "edge" in each else with_it - edge_with(decks, base, by)
    expected = each["edge"] if "edge" in each else each["change"]

    assert figure == pytest.approx(expected, abs=each.get("within", source["within"]))


def test_at_least_forty_combinations_of_rules_are_compared() -> None:
    played = {
        (each["decks"], *sorted({*each.get("of", ()), *each["rules"]}))
        for source in PRINTED.values()
        for each in source["edges"]
    }
    assert len(played) >= 40
