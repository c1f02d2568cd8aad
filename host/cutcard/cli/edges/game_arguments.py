"""What the commands of `cutcard edge` share: the game that somebody typed, and how to refuse."""

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
OURS_OR_OWN = f"{OURS}, or a folder of your own: ./club-rules"
Words = Annotated[
    list[str],
    typer.Argument(metavar="RULEBOOK [VARIANT]", help=f"{OURS_OR_OWN}; then its variant."),
]
AnyDecks = Annotated[
    int, typer.Option(help="Number of decks; all allowed without it.", show_default=False)
]


def game_named(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """One game as people type it: RULEBOOK VARIANT, RULEBOOK/VARIANT, two variants with a plus."""
    games = games_named(words)
    if len(games) != 1:
        called_wrongly(f"name one game, not {len(games)}")
    rulebook, variants = games[0]
    if len(set(variants)) < len(variants):
        called_wrongly(f"{rulebook} {' '.join(variants)}: a variant is named twice")
    return rulebook, book_named(rulebook, variants).variants


def book_named(rulebook: str, variants: tuple[str, ...] = ()) -> Rulebook:
    """A rulebook of ours by its name, or one of one's own by its folder; exit 2 for neither."""
    try:
        return open_rulebook(rulebook, variants)
    except (UnknownRulebookError, MalformedRulebookError) as error:
        called_wrongly(str(error))


def refuse_table(table: Table) -> None:
    """Exit 2 where the rulebook does not allow the table, with the rule that forbids it."""
    refuse_by_rule(refusals(table, [Placed(1, "player", "main", 1000)]))


def refuse_by_rule(refused: Sequence[TableRefusal]) -> None:
    """Exit 2 with each of these and its rule, if there is one."""
    if refused:
        called_wrongly("; ".join(each.cited for each in refused))


def odds_or_refuse(option: str, text: str) -> Fraction:
    """Odds that were typed behind an option; exit 2 where they are none."""
    try:
        return odds_typed(text)
    except BadRuleError as bad:
        called_wrongly(f"{option}: {bad}")


def layout_words(blackjack: str | None, *, forced_draw: bool) -> str:
    """What of the layout a figure is for, behind the name of the game."""
    paid = f", a Blackjack pays {blackjack}" if blackjack else ""
    return paid + (", the sign forces draws" if forced_draw else "")


def numbered(number: str, one: str, several: str) -> str:
    """A number as it is written, with the word for one or for several."""
    return f"{number} {one if number == '1' else several}"


def boxes_words(boxes: int) -> str:
    return numbered(str(boxes), "box", "boxes")


def decks_words(decks: int) -> str:
    return numbered(str(decks), "deck", "decks")


def cents_or_refuse(option: str, dollars: float) -> int:
    """An amount that was typed behind an option; exit 2 where it is none that can be paid."""
    cents = round(100 * dollars)
    if not 1 <= cents <= 10**8 or abs(cents - 100 * dollars) > 1e-6:
        called_wrongly(f"{option} {dollars}: dollars and whole cents, above 0, at most 1,000,000")
    return cents


def ante_of(book: Rulebook, stake: int, ante: int | None) -> int | None:
    """The ante in cents: what was typed, else the most that the rulebook allows; None without."""
    share = book.get("ante.share")
    if share is None or not book.flag("ante.placed"):
        if ante is not None:
            called_wrongly(f"--ante: {book.name} {' '.join(book.variants)} has none")
        return None
    return int(share.odds * stake) if ante is None else ante
