"""The dealer's finished hands: probabilities add up, and known values are reproduced."""

from fractions import Fraction

import pytest

from cutcard.edge.dealer_hands import finished_hands


@pytest.mark.parametrize("draws", [False, True])
@pytest.mark.parametrize("pack", [52, 48])
def test_probabilities_of_all_endings_sum_to_one(pack: int, draws: bool) -> None:
    assert sum(finished_hands(4, pack, draws).values()) == 1


def test_two_card_21_is_the_chance_of_a_blackjack() -> None:
    hands = finished_hands(6, 52, False)
    blackjack = sum(c for hand, c in hands.items() if (hand.total, hand.cards) == (21, 2))
    assert blackjack == Fraction(2 * 24 * 96, 312 * 311)


def test_drawing_to_soft_17_leaves_fewer_seventeens() -> None:
    def seventeens(draws: bool) -> Fraction:
        hands = finished_hands(6, 52, draws)
        return sum((c for hand, c in hands.items() if hand.total == 17), Fraction(0))

    assert seventeens(True) < seventeens(False)


def test_suited_22_needs_a_suit() -> None:
    """For example ten, two, ten in hearts: with one deck there are few, and they are counted."""
    hands = finished_hands(1, 52, False)
    three = sum(
        (c for h, c in hands.items() if (h.total, h.cards, h.alike) == (22, 3, "same-suit")),
        Fraction(0),
    )
    orders = 0
    for first in range(1, 14):
        for second in range(1, 14):
            for third in range(1, 14):
                if len({first, second, third}) == 3:
                    points = [min(card, 10) for card in (first, second, third)]
                    two = points[0] + points[1]
                    stands = two >= 17 or (1 in points[:2] and 17 <= two + 10 <= 21)
                    soft = 1 in points and sum(points) + 10 <= 21
                    orders += sum(points) == 22 and not stands and not soft
    assert three == Fraction(4 * orders, 52 * 51 * 50)
