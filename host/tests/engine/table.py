"""A table and a deal in one line, for tests of one behaviour."""

from __future__ import annotations

from typing import Any

from cutcard.cards import parse_cards
from cutcard.engine.events import Deal
from cutcard.engine.round import start, step
from cutcard.engine.state import Placed, Round, Table
from cutcard.rulebooks.book import open_rulebook


def dealt(rulebook: str, cards: str, *mains: tuple[int, str, int], **sign: Any) -> Round:
    """Return a round with wagers in dollars on boxes and these cards dealt."""
    variant = sign.pop("variant", None)
    decks = sign.pop("decks", 6)
    table = Table(open_rulebook(rulebook, (variant,) if variant else ()), decks, **sign)
    placed = [Placed(box, player, "main", dollars * 100) for box, player, dollars in mains]
    return deal(start(table, placed), cards)


def deal(round: Round, cards: str) -> Round:
    for card in parse_cards(cards):
        round = step(round, Deal(card))
    return round
