"""New Zealand, 16.13: the operator voids the round, or the hands that the machine affected."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cutcard.engine.events import Ruling
from hil_tests.live_rounds.live_table import Evening

OPERATOR = "casino-operator"
VOID_ROUND = Ruling("void-round", by=OPERATOR)
VOID_HAND = Ruling("void-hands", by=OPERATOR, hands=("1",))
# Ana has 12, Ben 19, the dealer a six.
CARDS = "Tc 9c 6d 2h Td"


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "nz-division-2")


def test_a_void_round_returns_every_wager(at: Evening) -> None:
    at.before_act = partial(at.bench.do, "door", how="open")
    result = at.play(CARDS, "hit", [VOID_ROUND])
    assert result == {"Ana": ("void", 0), "Ben": ("void", 0)}
    assert "16.13" in at.rules("Ben")


def test_a_void_hand_leaves_the_others_in_play(at: Evening) -> None:
    """Ana waited for a card. Ben's 19 stays in play and beats the dealer's 17."""
    at.before_act = partial(at.bench.do, "door", how="open")
    result = at.play(f"{CARDS} 5c 6h", "hit stand", [VOID_HAND])
    assert result == {"Ana": ("void", 0), "Ben": ("win", 20)}
    assert "16.13" in at.rules("Ana")
    assert "16.13" not in at.rules("Ben")


def test_only_an_affected_hand_may_be_voided(at: Evening) -> None:
    bens = Ruling("void-hands", by=OPERATOR, hands=("2",))
    at.before_act = partial(at.bench.do, "door", how="open")
    result = at.play(f"{CARDS} 5c 6h", "hit stand", [bens, VOID_HAND])
    assert result == {"Ana": ("void", 0), "Ben": ("win", 20)}
    assert at.records("refused")[0]["hands"] == [2]


def test_no_round_can_be_voided_before_the_first_card(at: Evening) -> None:
    at.bench.stick_noise()
    result = at.play(f"{CARDS} 8c 5c 6h", "hit stand stand")
    assert at.faults() == [("random-source", "before the first card")]
    assert result == {"Ana": ("win", 10), "Ben": ("win", 20)}


def test_noise_failure_in_a_round_may_void_it(at: Evening) -> None:
    at.before_act = at.bench.stick_noise
    result = at.play(f"{CARDS} 2c 2d 2s", "hit hit hit hit", [VOID_ROUND])
    assert at.faults()[0][0] == "random-source"
    assert result == {"Ana": ("void", 0), "Ben": ("void", 0)}


def test_uncalled_card_is_the_next_card(at: Evening) -> None:
    """16.2: the card was not seen, so it is Ana's next card."""
    at.before_act = at.draw_unasked
    result = at.play(f"{CARDS} 8c 5c 6h", "hit stand stand")
    assert at.irregularities() == ["drawn-in-error"]
    assert result == {"Ana": ("win", 10), "Ben": ("win", 20)}


def test_a_seen_card_goes_to_the_hand_that_must_draw(at: Evening) -> None:
    """16.4: Ana must draw on seven, and gets the nine that came with her last card."""
    at.bench.do("fumble", count=2, order="known", after=5, step="draw")
    at.floor.seen = "2d 9s"
    result = at.play("2c 9c 6d 3h 8s 2d 9s Td 5c", "hit stand stand")
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}
