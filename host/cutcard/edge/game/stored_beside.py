"""Side wagers that hang on play, worked out for some games and kept in `beside.json`."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any

from cutcard.edge.game.beside import edges_beside
from cutcard.edge.game.riding import riding_edges
from cutcard.rulebooks import open_rulebook

GAMES = (
    ("nz-division-2", "blackjack", 6),
    ("crown-melbourne-26", "blackjack", 6),
    ("crown-melbourne-26", "crown-pontoon", 6),
    ("crown-melbourne-26", "free-bet", 6),
    ("mbs-free-bet-3", "free-bet", 6),
)


def beside_of(rulebook: str, variant: str, decks: int) -> dict[str, Any]:
    """Every such wager of one game, to ten places."""
    book = open_rulebook(rulebook, (variant,))
    return {
        "game": [rulebook, variant, decks],
        "edges": [
            {"bet": each.bet, "choice": each.choice, "edge": round(each.edge, 10)}
            for each in edges_beside(book, decks)
        ],
        "riding": [
            {
                name: round(value, 10) if isinstance(value, float) else value
                for name, value in asdict(each).items()
            }
            for each in riding_edges(book, decks)
        ],
    }


@cache
def beside_kept() -> tuple[dict[str, Any], ...]:
    text = (resources.files("cutcard.edge.game") / "beside.json").read_text("utf-8")
    return tuple(json.loads(text))
