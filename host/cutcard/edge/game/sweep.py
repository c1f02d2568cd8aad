"""Every game that the rulebooks allow: variant, decks, layout, each doubtful rule both ways.

What has been worked out is kept in `figures.json`, and `cutcard edge sweep --compute` writes it
anew; a test works a sample of it out again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any, NamedTuple

from cutcard.edge.game.figures import best_edge, figures_of
from cutcard.edge.money_rules import MoneyRules, Switch, money_rules, switched, switches
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import contents, layer_of

WAGERS = (10, 25)  # dollars; only the Super Bonus knows the difference


class Configuration(NamedTuple):
    """One game as a table may offer it. `reading` is the doubtful rule that is read otherwise."""

    rulebook: str
    variants: tuple[str, ...]
    decks: int
    blackjack: str = ""
    wager: int = WAGERS[0]
    reading: str = ""

    @property
    def rules(self) -> MoneyRules:
        book = open_rulebook(self.rulebook, self.variants)
        rules = money_rules(
            book, self.decks, blackjack=self.blackjack or None, wager=Fraction(self.wager)
        )
        switch = self.switch
        return rules if switch is None else switched(rules, switch)

    @property
    def switch(self) -> Switch | None:
        book = open_rulebook(self.rulebook, self.variants)
        found = switches(book, money_rules(book, self.decks))
        return next((switch for switch in found if switch.name == self.reading), None)

    @property
    def cited(self) -> tuple[str, ...]:
        """The rules by which this table may be offered: they do not forbid it."""
        book = open_rulebook(self.rulebook, self.variants)
        sections = tuple(
            layer_of(self.rulebook, f"variant-{variant}").section for variant in self.variants
        )
        layout = book.get("blackjack.layout")
        paid = layout.rules if layout is not None and self.blackjack else ()
        return tuple(dict.fromkeys((*sections, *book.rules("cards.decks"), *paid)))


def configurations(rulebooks: Sequence[str] = RULEBOOKS) -> Iterator[Configuration]:
    """Every game with every number of decks, layout, wager and reading; one reading at a time."""
    for rulebook in rulebooks:
        for variants in games_of(rulebook):
            for decks in open_rulebook(rulebook, variants)["cards.decks"].value:
                for table in _tables(Configuration(rulebook, variants, decks)):
                    yield table
                    rules, book = table.rules, open_rulebook(rulebook, variants)
                    for switch in switches(book, rules):
                        if switched(rules, switch) != rules:
                            yield table._replace(reading=switch.name)


def _tables(plain: Configuration) -> Iterator[Configuration]:
    """The layouts and wagers that move money, first as the rulebook has it."""
    book = open_rulebook(plain.rulebook, plain.variants)
    layouts = book.get("blackjack.layout")
    others = layouts.value if layouts is not None else ()
    for blackjack in ("", *(odds for odds in others if odds != book["blackjack.odds"].value)):
        yield plain._replace(blackjack=blackjack)
    if book.get("super_bonus.prize") is not None:
        yield plain._replace(wager=WAGERS[1])


def games_of(rulebook: str) -> Iterator[tuple[str, ...]]:
    """Every variant, and every two that the rulebook lets apply together."""
    variants = contents(rulebook).variants
    for variant in variants:
        yield (variant,)
    for pair in combinations(variants, 2):
        layers = [layer_of(rulebook, f"variant-{variant}") for variant in pair]
        if pair[0] in layers[1].together_with or pair[1] in layers[0].together_with:
            yield pair


def row_of(configuration: Configuration) -> dict[str, Any]:
    """The figures of one game, whole for a game as its rulebook has it, else the edge alone."""
    row: dict[str, Any] = {
        "rulebook": configuration.rulebook,
        "variants": list(configuration.variants),
        "decks": configuration.decks,
        "blackjack": configuration.blackjack,
        "wager": configuration.wager,
        "reading": configuration.reading,
    }
    if configuration == configuration._replace(blackjack="", wager=WAGERS[0], reading=""):
        found = figures_of(configuration.rules)
        return row | {
            "edge": round(found.edge, 10),
            "by_total": round(found.by_total, 10),
            "action": round(found.action, 10),
            "variance": round(found.variance, 4),
        }
    return row | {"edge": round(best_edge(configuration.rules), 10)}


@cache
def stored() -> tuple[dict[str, Any], ...]:
    """What has been worked out, in the order of `configurations`."""
    text = (resources.files("cutcard.edge.game") / "figures.json").read_text("utf-8")
    return tuple(json.loads(text))


def configuration_of(row: dict[str, Any]) -> Configuration:
    return Configuration(
        row["rulebook"],
        tuple(row["variants"]),
        row["decks"],
        row["blackjack"],
        row["wager"],
        row["reading"],
    )


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """One row a line, as it is stored."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
