"""Splits by the analysis, compared with the same pack dealt card by card."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutcard.edge.game import kernels
from cutcard.edge.game.composition import VALUES
from cutcard.edge.money_rules import MoneyRules
from tests.edge.game.dealt_out import Counts, DealtOut
from tests.edge.game.small_pack import SmallPack, rules_of

ACTS = {kernels.STAND: "stand", kernels.DRAW: "draw", kernels.DOUBLE: "double"}
# One deck of few values: every hand is short, and a pair is often split again.
FEW = (2, 0, 0, 0, 0, 3, 0, 4, 0, 5)
LOW = (2, 0, 0, 0, 4, 3, 0, 0, 2, 4)


@pytest.mark.parametrize(
    ("rulebook", "variant", "pack", "value", "up"),
    [
        ("uk-blackjack", "blackjack", FEW, 8, 10),
        ("nz-division-2", "blackjack", FEW, 8, 10),
        ("crown-melbourne-26", "premier", FEW, 8, 1),
        ("crown-melbourne-26", "blackjack", LOW, 5, 10),
        ("crown-melbourne-26", "blackjack", FEW, 1, 10),
        ("mbs-free-bet-3", "free-bet", FEW, 8, 10),
        ("nz-division-2", "free-bet", FEW, 6, 8),
        ("crown-melbourne-26", "blackjack-plus", LOW, 5, 10),
        ("crown-melbourne-26", "crown-pontoon", FEW, 8, 10),
    ],
)
def test_split_has_the_value_of_dealing_it_out(
    rulebook: str, variant: str, pack: Counts, value: int, up: int
) -> None:
    rules = rules_of(rulebook, variant)
    if rules.suits_matter:
        odds = dict(rules.bonus)
        mixed = {
            f"{cards}-{suit}": odds[f"{cards}-mixed"]
            for cards in ("678", "777")
            for suit in ("suited", "spades")
        }
        rules = replace(rules, bonus=tuple(sorted((odds | mixed).items())))
    found, dealt = both_ways(rules, pack, value, up)

    assert found == pytest.approx(dealt, abs=1e-12)


def test_aces_are_split_again_if_a_reading_allows_it() -> None:
    rules = replace(rules_of("uk-blackjack", "blackjack"), aces_resplit=True)
    pack = (5, 0, 0, 0, 0, 2, 0, 2, 0, 4)

    found, dealt = both_ways(rules, pack, 1, 6)

    assert found == pytest.approx(dealt, abs=1e-12)


def both_ways(rules: MoneyRules, pack: Counts, value: int, up: int) -> tuple[float, float]:
    """Return the value of a split by the analysis, and by dealing it out."""
    game = SmallPack(rules, pack)
    against = game.best_against(up)
    plan = replace(against.plan, token_splits=(True,) * VALUES)
    hands = game.hands

    def decide(cards: Counts, kind: int) -> str:
        hand = hands.number_of(*(card - 1 for card in cards))
        free_ace = int(any(card == 1 for card in cards[2:]))
        return ACTS[int(plan.acts[kind, hand, free_ace])]

    def rescue(cards: Counts) -> bool:
        hand = hands.number_of(*(card - 1 for card in cards))
        free_ace = any(card == 1 for card in cards[2 if rules.hard_aces else 0 :])
        return bool(plan.rescues[hand, int(free_ace)])

    left = list(pack)
    left[up - 1] -= 1
    left[value - 1] -= 2
    dealt = DealtOut(rules, decide, rescue).split(tuple(left), value, up)
    return against.splitter.worth(value - 1, 0, plan).mean, dealt
