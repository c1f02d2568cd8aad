"""Common parts of `cutcard edge`: the game on the command line, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import typer

from cutcard.cli.options import called_wrongly
from cutcard.edge.own_rules import BadRuleError, odds_typed
from cutcard.engine import Placed, Table
from cutcard.engine.tables import TableRefusal, refusals
from cutcard.rulebooks.book import (
    RULEBOOKS,
    Rulebook,
    UnknownRulebookError,
    games_named,
    open_rulebook,
)
from cutcard.rulebooks.text import MalformedRulebookError

OURS = ", ".join(RULEBOOKS)
OURS_OR_OWN = f"{OURS}, or your own folder: ./club-rules"
Words = Annotated[
    list[str],
    typer.Argument(metavar="RULEBOOK [VARIANT]", help=f"{OURS_OR_OWN}; then its variant."),
]
AnyDecks = Annotated[
    int, typer.Option(help="Number of decks; default: all allowed.", show_default=False)
]


def game_named(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return one game: RULEBOOK VARIANT, RULEBOOK/VARIANT, or two variants joined by a plus."""
    games = games_named(words)
    if len(games) != 1:
        called_wrongly(f"name one game, not {len(games)}")
    rulebook, variants = games[0]
    if len(set(variants)) < len(variants):
        called_wrongly(f"{rulebook} {' '.join(variants)}: a variant is named twice")
    return rulebook, book_named(rulebook, variants).variants


def book_named(rulebook: str, variants: tuple[str, ...] = ()) -> Rulebook:
    """Return an included rulebook by its name, or another by its folder; exit 2 otherwise."""
    try:
        return open_rulebook(rulebook, variants)
    except (UnknownRulebookError, MalformedRulebookError) as error:
        called_wrongly(str(error))


def refuse_table(table: Table) -> None:
    """Exit 2 if the rulebook does not allow the table, with the rule."""
    refuse_by_rule(refusals(table, [Placed(1, "player", "main", 1000)]))


def refuse_by_rule(refused: Sequence[TableRefusal]) -> None:
    """Exit 2 with each refusal and its rule, if there is one."""
    if refused:
        called_wrongly("; ".join(each.cited for each in refused))


def odds_or_refuse(option: str, text: str) -> Fraction:
    """Parse the odds of an option; exit 2 if they are invalid."""
    try:
        return odds_typed(text)
    except BadRuleError as bad:
        called_wrongly(f"{option}: {bad}")


def layout_words(blackjack: str | None, *, forced_draw: bool) -> str:
    """Return the options of the layout, to append to the name of the game."""
    paid = f", a Blackjack pays {blackjack}" if blackjack else ""
    return paid + (", the sign forces draws" if forced_draw else "")


def numbered(number: str, one: str, several: str) -> str:
    """Return a number with the singular or plural word."""
    return f"{number} {one if number == '1' else several}"


def boxes_words(boxes: int) -> str:
    return numbered(str(boxes), "box", "boxes")


def decks_words(decks: int) -> str:
    return numbered(str(decks), "deck", "decks")


def cents_or_refuse(option: str, dollars: float) -> int:
    """Parse the amount of an option; exit 2 if it is invalid."""
    cents = round(100 * dollars)
    if not 1 <= cents <= 10**8 or abs(cents - 100 * dollars) > 1e-6:
        called_wrongly(f"{option} {dollars}: use dollars and cents, above 0, at most 1,000,000")
    return cents


def ante_of(book: Rulebook, stake: int, ante: int | None) -> int | None:
    """Return the ante in cents: the given one, else the maximum of the rulebook; None without an
    ante."""
    share = book.get("ante.share")
    if share is None or not book.flag("ante.placed"):
        if ante is not None:
            called_wrongly(f"--ante: {book.name} {' '.join(book.variants)} has none")
        return None
    return int(share.odds * stake) if ante is None else ante
