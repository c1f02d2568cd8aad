"""Tables and wagers that a rulebook does not allow, each refusal with its rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import NamedTuple

from cutcard.engine.refusal import BadValueError, RefusedError
from cutcard.engine.side_wagers import offering
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import Rulebook, Rules, contents, layer_of
from cutcard.rulebooks.side_wagers.pay_table import parse_odds


class TableRefusal(NamedTuple):
    """The reason to refuse a table or a wager on it; `rules` is empty if no rule covers it."""

    why: str
    rules: Rules

    @property
    def cited(self) -> str:
        return f"{self.why} [{', '.join(self.rules)}]" if self.rules else self.why


def check_values(table: Table, placed: Sequence[Placed]) -> None:
    """Raise RefusedError for the number of decks, BadValueError for an unknown wager."""
    for refusal in _cards(table):
        raise RefusedError(refusal.why, refusal.rules)
    bets = ("main", *table.book.side_wagers)
    for wager in placed:
        if wager.bet not in bets:
            like = get_close_matches(wager.bet, bets, 1)
            meant = f"; did you mean {like[0]!r}?" if like else "."
            raise BadValueError(
                f"Placed: {table.book.name} has no wager {wager.bet!r}{meant} It has "
                f"{', '.join(bets)}"
            )


def refusals(table: Table, placed: Sequence[Placed]) -> list[TableRefusal]:
    """Return every reason to refuse a table before its first card."""
    return [
        *_variants(table),
        *_cards(table),
        *_odds(table),
        *_boxes(table, placed),
        *_side_wagers(table, placed),
        *_ante(table),
        *_signs(table, placed),
    ]


def indistinguishable(placed: Sequence[Placed]) -> list[TableRefusal]:
    """Return a refusal for each wager with the same box, player and bet as an earlier one."""
    keys = [wager.key for wager in placed]
    return [
        TableRefusal(f"{key.player} already has {key.bet} on box {key.box}", ())
        for number, key in enumerate(keys)
        if key in keys[:number]
    ]


def _variants(table: Table) -> Iterator[TableRefusal]:
    book = table.book
    have = contents(book.source, book.as_of)
    for variant in book.variants:
        if variant in have.later_variants:
            yield TableRefusal(f"{variant} did not exist on {book.as_of}", ())
    others = [v for v in book.variants if v != have.variants[0]]
    layers = {v: layer_of(book.source, f"variant-{v}") for v in others}
    for first in others:
        for second in others:
            if first < second and not (
                second in layers[first].together_with or first in layers[second].together_with
            ):
                sections = (layers[first].section, layers[second].section)
                yield TableRefusal(f"{first} and {second} do not apply together", sections)


def _cards(table: Table) -> Iterator[TableRefusal]:
    decks = table.book["cards.decks"]
    if table.decks not in decks.value:
        allowed = ", ".join(map(str, decks.value))
        yield TableRefusal(
            f"{table.decks} decks are not allowed; the rulebook allows {allowed}", decks.rules
        )


def _odds(table: Table) -> Iterator[TableRefusal]:
    if table.blackjack is None:
        return
    layout = table.book.get("blackjack.layout")
    if layout is not None:
        if table.blackjack not in layout.value:
            yield TableRefusal(f"a Blackjack may not pay {table.blackjack}", layout.rules)
        return
    odds = table.book["blackjack.odds"]
    if parse_odds(table.blackjack) != odds.odds:
        yield TableRefusal(f"a Blackjack pays {odds.value}, not {table.blackjack}", odds.rules)


def _boxes(table: Table, placed: Sequence[Placed]) -> Iterator[TableRefusal]:
    most, players = table.book["boxes.most"], table.book["boxes.players"]
    highest = max((wager.box for wager in placed), default=0)
    if most.value and highest > most.value:
        yield TableRefusal(f"there is no box {highest}: the table has {most.value}", most.rules)
    own = Counter((wager.box, wager.player) for wager in placed if wager.bet == "main")
    if table.book.flag("boxes.one_wager_each") and any(count > 1 for count in own.values()):
        rules = table.book.rules("boxes.one_wager_each")
        yield TableRefusal("a player may not place two main wagers on one box", rules)
    mains = Counter(wager.box for wager in placed if wager.bet == "main")
    for box, count in mains.items():
        if players.value and count > players.value:
            yield TableRefusal(
                f"{count} players on box {box}; at most {players.value} are allowed", players.rules
            )


def _side_wagers(table: Table, placed: Sequence[Placed]) -> Iterator[TableRefusal]:
    known = table.book.side_wagers
    for rule in offering.refused_offers(
        known, table.offers, table.book.variants, table.decks, table.pack
    ):
        why = "these side wagers may not be offered at this table"
        yield TableRefusal(why, (rule,) if rule else ())
    for wager in placed:
        if wager.bet == "main" or wager.bet in table.offers:
            continue
        entry = known.get(wager.bet)
        rules = (entry.section, entry.placed.rule) if entry else ()
        yield TableRefusal(f"{wager.bet} is not offered at this table", rules)
    for rule in offering.refused_placements(known, placed):
        yield TableRefusal("a side wager is on a place where it is not allowed", (rule,))


def _ante(table: Table) -> Iterator[TableRefusal]:
    share = table.book.get("ante.share")
    if share is None or table.ante is None or table.minimum is None:
        return
    if Fraction(table.ante) > share.odds * table.minimum:
        yield TableRefusal("the ante is more than 12.5 % of the table's minimum", share.rules)


def may_force_draws(book: Rulebook) -> bool:
    """Return whether the rulebook has a sign that forces draws; variations may exclude it."""
    base = layer_of(book.source, "base").entries.get("draw.forced")
    return book.says("draw.forced", "on-sign") or (base is not None and base.value == "on-sign")


def _signs(table: Table, placed: Sequence[Placed]) -> Iterator[TableRefusal]:
    forced = table.book["draw.forced"]
    if table.forced_draw and may_force_draws(table.book) and forced.value == "never":
        yield TableRefusal("this variation does not allow forced draws", forced.rules)
    for wager in placed:
        stake = table.stakes.get(wager.bet)
        key = f"side_stakes.{wager.bet}"
        if stake is None or not table.book.flag(key):
            continue
        if wager.amount != stake and not wager.carried:
            rules = table.book.rules(key)
            yield TableRefusal(f"the sign requires exactly {stake / 100:g} for {wager.bet}", rules)
