"""Every side wager that the rulebooks allow: pay scale, decks and game, with the assumptions.

Wagers that the first cards or the dealer's hand decide are computed for every number of decks;
wagers that depend on play for every variant with six decks, or the most that it has. Stored in
`sides.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cutcard.edge.game.beside import edges_beside
from cutcard.edge.game.riding import riding_edges
from cutcard.edge.game.stored_sides import HANGS_ON_PLAY
from cutcard.edge.side_bets import SideEdge, side_edges
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import contents
from cutcard.rulebooks.side_wagers.catalogue import SideWager

DECKS = 6  # for wagers that depend on play
TAKEN = "every payout is taken"
BY_MAIN, BY_BOTH = "the best play of the main game", "the best play of both, side : main"
RIDES = "left riding where it gains"

Game = tuple[str, str, int]


def games_beside(rulebooks: Sequence[str] = RULEBOOKS) -> list[Game]:
    """Return every variant with the number of decks for which wagers that depend on play are
    stored."""
    found = []
    for rulebook in rulebooks:
        if any(_hangs(rulebook, bet) for bet in contents(rulebook).bets):
            for variant in contents(rulebook).variants:
                allowed = open_rulebook(rulebook, (variant,))["cards.decks"].value
                found.append((rulebook, variant, DECKS if DECKS in allowed else max(allowed)))
    return found


def rows_by_cards(rulebook: str) -> list[dict[str, Any]]:
    """Return the side wagers that do not depend on play."""
    rows = []
    for bet in contents(rulebook).bets:
        if not _hangs(rulebook, bet):
            for edge in side_edges(rulebook, bet):
                games = _games(rulebook, edge)
                assuming = "; ".join(filter(None, (edge.assuming, edge.without_meter)))
                rows.append(_row(rulebook, games, edge.decks, bet, edge.choice, assuming))
                rows[-1]["edge"] = round(float(edge.edge), 10)
    return rows


def rows_by_play(
    rulebook: str, variant: str, decks: int, only: str = "", own: SideWager | None = None
) -> list[dict[str, Any]]:
    """Return the side wagers of one game that depend on play: by the main game, and by both.

    All of them, or `only` the named one; `own` is that one with house odds.
    """
    book = open_rulebook(rulebook, (variant,))
    if own is not None:
        book = replace(book, side_wagers={**book.side_wagers, own.bet: own})
    found: list[tuple[str, str, str, float]] = []
    for each in edges_beside(book, decks, only):
        found.append((each.bet, each.choice, BY_MAIN, each.edge))
        for share, edge in each.together:
            found.append((each.bet, each.choice, f"{BY_BOTH} 1:{1 / share:g}", edge))
    for ride in riding_edges(book, decks, only):
        ratio = f"1:{1 / ride.share:g}"
        if ride.share == 1.0:
            found.append((ride.bet, ride.choice, TAKEN, ride.kept))
        by_main = f"{RIDES}, {BY_MAIN}, side : main {ratio}"
        found.append((ride.bet, ride.choice, by_main, ride.by_main))
        by_both = f"{RIDES}, {BY_BOTH} {ratio}"
        found.append((ride.bet, ride.choice, by_both, ride.together))
    return [
        _row(rulebook, [variant], decks, bet, choice, assuming) | {"edge": round(edge, 10)}
        for bet, choice, assuming, edge in found
    ]


def _row(
    rulebook: str, games: list[str], decks: int, bet: str, choice: str, assuming: str
) -> dict[str, Any]:
    return {
        "rulebook": rulebook,
        "games": games,
        "decks": decks,
        "side": bet,
        "choice": choice,
        "assuming": assuming,
    }


def _hangs(rulebook: str, bet: str) -> bool:
    side = contents(rulebook).bets[bet]
    return side.settles in HANGS_ON_PLAY or bool(side.riding)


def _games(rulebook: str, edge: SideEdge) -> list[str]:
    """Return the variants at which a side wager has this edge."""
    offered = contents(rulebook).bets[edge.bet].variants
    found = []
    for variant in contents(rulebook).variants:
        book = open_rulebook(rulebook, (variant,))
        soft_17 = book["dealer.soft_17"].value
        alike = book["cards.pack"].value == edge.pack and edge.soft_17 in ("", soft_17)
        if (
            alike
            and edge.decks in book["cards.decks"].value
            and (offered is None or variant in offered[0])
        ):
            found.append(variant)
    return found
