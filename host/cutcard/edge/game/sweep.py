"""Every game that the rulebooks allow: variant, decks, layout, each doubtful rule in both readings.

The figures are stored in `figures.json`, and `cutcard edge sweep --compute` computes them again; a
test computes a sample of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any, NamedTuple

from cutcard.edge.game.figures import best_edge, figures_of
from cutcard.edge.money_rules import MoneyRules, Switch, money_rules, switched, switches
from cutcard.edge.own_rules import with_own
from cutcard.edge.strategy import OWN_RULES
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import Rulebook, contents, layer_of, source_of

WAGERS = (10, 25)  # dollars; they only matter for the Super Bonus


class Configuration(NamedTuple):
    """One game as a table may offer it.

    `reading` is the doubtful rule with its other reading, `own` the rules that replace the
    rulebook's.
    """

    rulebook: str
    variants: tuple[str, ...]
    decks: int
    blackjack: str = ""
    wager: int = WAGERS[0]
    reading: str = ""
    own: tuple[tuple[str, Any], ...] = ()

    @property
    def book(self) -> Rulebook:
        return with_own(open_rulebook(self.rulebook, self.variants), dict(self.own))

    @property
    def rules(self) -> MoneyRules:
        book = self.book
        rules = money_rules(
            book, self.decks, blackjack=self.blackjack or None, wager=Fraction(self.wager)
        )
        switch = self.switch
        return rules if switch is None else switched(rules, switch)

    @property
    def switch(self) -> Switch | None:
        book = self.book
        found = switches(book, money_rules(book, self.decks))
        return next((switch for switch in found if switch.name == self.reading), None)

    @property
    def cited(self) -> tuple[str, ...]:
        """Return the rules under which this table may be offered: they do not forbid it."""
        book, source = self.book, source_of(self.rulebook)
        sections = tuple(
            layer_of(source, f"variant-{variant}").section for variant in self.variants
        )
        layout = book.get("blackjack.layout")
        paid = layout.rules if layout is not None and self.blackjack else ()
        return tuple(dict.fromkeys((*sections, *book.rules("cards.decks"), *paid)))


def configurations(
    rulebooks: Sequence[str] = RULEBOOKS, own: Mapping[str, Any] | None = None
) -> Iterator[Configuration]:
    """Yield every game with every number of decks, layout, wager and reading, one at a time.

    `own` replaces values of every game. Raises BadRuleError if a game cannot have them.
    """
    values = tuple((own or {}).items())
    for rulebook in rulebooks:
        for variants in games_of(rulebook):
            plain = Configuration(rulebook, variants, 0, own=values)
            for decks in plain.book["cards.decks"].value:
                for table in _tables(plain._replace(decks=decks)):
                    yield table
                    rules, book = table.rules, table.book
                    for switch in switches(book, rules):
                        if switched(rules, switch) != rules:
                            yield table._replace(reading=switch.name)


def _tables(plain: Configuration) -> Iterator[Configuration]:
    """Yield the layouts and wagers that change the money, first the rulebook's own."""
    book = plain.book
    layouts = book.get("blackjack.layout")
    others = layouts.value if layouts is not None else ()
    for blackjack in ("", *(odds for odds in others if odds != book["blackjack.odds"].value)):
        yield plain._replace(blackjack=blackjack)
    if book.get("super_bonus.prize") is not None:
        yield plain._replace(wager=WAGERS[1])


def games_of(rulebook: str) -> Iterator[tuple[str, ...]]:
    """Yield every variant, and every two that the rulebook lets apply together."""
    source = source_of(rulebook)
    variants = contents(source).variants
    for variant in variants:
        yield (variant,)
    for pair in combinations(variants, 2):
        layers = [layer_of(source, f"variant-{variant}") for variant in pair]
        if pair[0] in layers[1].together_with or pair[1] in layers[0].together_with:
            yield pair


def row_of(configuration: Configuration) -> dict[str, Any]:
    """Return the figures of one game, complete for the rulebook's own game, else only the edge."""
    row: dict[str, Any] = {
        "rulebook": configuration.rulebook,
        "variants": list(configuration.variants),
        "decks": configuration.decks,
        "blackjack": configuration.blackjack,
        "wager": configuration.wager,
        "reading": configuration.reading,
    }
    if configuration.own:
        row[OWN_RULES] = dict(configuration.own)
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
    """Return the stored figures, in the order of `configurations`."""
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
        tuple(row.get(OWN_RULES, {}).items()),
    )


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """Return the rows as stored, one per line."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
