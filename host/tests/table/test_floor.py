"""Rulings by the people at a live table."""

from __future__ import annotations

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.events import Deal, Event, Irregularity, Ruling
from cutcard.engine.round import owed, start, step
from cutcard.engine.state import Placed, Round, Table
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.machine.floor import RulingPreferences

UNSEEN = Irregularity("simultaneous-draw", cards=tuple(parse_cards("Ts 9d")))
A_IS_ABSENT = (Irregularity("absent", box=1), Ruling("continue"))


def dealt(*events: Event) -> Round:
    """Return a round with boxes 1 and 2 of A and B with 12 and 16 in Singapore, and these
    events."""
    table = Table(open_rulebook("mbs-free-bet-3"), 6)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for event in (*map(Deal, parse_cards("9c 9s 6d 3d 7d")), *events):
        round = step(round, event)
    return round


@pytest.mark.parametrize(
    ("events", "ruling"),
    [
        ((*A_IS_ABSENT, Irregularity("power-failure")), "stay"),
        ((UNSEEN, Ruling("withdraw", player="A")), "choose"),
    ],
)
def test_choice_of_two_players_is_made_by_the_present_one(
    events: tuple[Event, ...], ruling: str
) -> None:
    """Singapore 5.30.1 and 5.23.1: A is absent, or has left, and B decides."""
    round = dealt(*events)
    choice = next(choice for choice in round.choices if choice.must_be_made)
    made = RulingPreferences().rule(round, choice, machine_goes=True)
    assert made is not None
    assert (made.kind, made.player) == (ruling, "B")
    assert "a ruling" not in (owed(step(round, made)) or "")
