"""Effects of cards that the dealer draws only for a side wager: computed, and dealt."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cutcard.cards import Card
from cutcard.edge.game.figures import figures_of
from cutcard.edge.game.needless_cards import needless_cards
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.game import game_of
from cutcard.edge.simulate.job import whole_pack
from cutcard.edge.simulate.strategy import play_of
from cutcard.engine import Placed, Table
from cutcard.engine.hands import count
from cutcard.rulebooks import open_rulebook
from tests.edge.simulate.oracle import KernelsTable, RoundLog

BOOK = open_rulebook("crown-melbourne-26", ("blackjack",))
DECKS, ROUNDS = 6, 8000


def done(logs: RoundLog) -> tuple[bool, bool]:
    """Return whether the box was split, and whether it had busted or was paid before the dealer
    drew."""
    box = [Card.from_code(code) for number, _, code in logs.cards if number]
    up = next(Card.from_code(code) for number, _, code in logs.cards if not number)
    if any(hand for number, hand, _ in logs.cards if number):
        return True, False
    total = count(box).points
    natural = len(box) == 2 and total == 21 and up.points not in (1, 10)
    return False, total > 21 or natural


@pytest.fixture(scope="module")
def dealt() -> list[RoundLog]:
    """Return rounds with Buster in addition to the main wager, by the best play."""
    table = Table(BOOK, DECKS, minimum=200, offers={"buster": "a"})
    placed = [Placed(1, "P1", "main", 200), Placed(1, "P1", "buster", 100)]
    play = play_of(figures_of(money_rules(BOOK, DECKS)).strategy, game_of(table, placed))
    kernels = KernelsTable(table, placed, play, Counter())
    chance, pack = np.random.default_rng(7), whole_pack(DECKS, 52)
    logs = [kernels.round(chance.permutation(pack)) for _ in range(ROUNDS)]
    return [each for each in logs if each is not None]


def test_cost_of_the_other_reading_equals_the_loss_in_dealt_rounds(
    dealt: list[RoundLog],
) -> None:
    taken, more = [], []
    for logs in dealt:
        split, over = done(logs)
        back = max(0, logs.sides[1, "buster"] / 100 + 1)
        taken.append(back if over else 0.0)
        more.append(back if over or split else 0.0)
    found = next(each for each in needless_cards(BOOK, DECKS, "buster") if each.choice == "a")

    for measured, worked_out in ((taken, found.least), (more, found.most)):
        error = float(np.std(measured)) / len(measured) ** 0.5
        assert abs(float(np.mean(measured)) - (worked_out - found.as_read)) < 4 * error


def test_reading_has_the_edge_in_the_list_of_side_wagers(dealt: list[RoundLog]) -> None:
    found = next(each for each in needless_cards(BOOK, DECKS, "buster") if each.choice == "a")
    kept = [-logs.sides[1, "buster"] / 100 for logs in dealt]

    assert abs(float(np.mean(kept)) - found.as_read) < 4 * float(np.std(kept)) / len(kept) ** 0.5
    assert found.as_read < found.least < found.most
