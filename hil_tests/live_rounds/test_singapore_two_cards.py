"""Singapore 5.23: cards that leave a shoe together, in all branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cutcard.engine.events import Ruling
from hil_tests.live_rounds.live_table import Evening, choose

# Ana has 12, Ben 17, the dealer a six; the sixth card is the first drawn by a player.
CARDS = "Tc 9c 6d 2h 8s"
SIXTH = 5


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("shoe-8", "mbs-free-bet-3")


def together(
    at: Evening, draws: int, count: int = 2, seen: str = "", order: str = "unknown"
) -> None:
    """Let the draw after `draws` draws take `count` cards, in unknown order."""
    when: dict[str, Any] = {"after": draws, "step": "draw"} if draws else {}
    at.bench.do("fumble", count=count, order=order, **when)
    at.floor.seen = seen


def rulings(at: Evening) -> list[tuple[str, ...]]:
    return [ruled.rules for ruled in at.live.round.rulings]


# A player's hand


def test_player_selects_an_unseen_card_and_the_other_is_the_next_card(at: Evening) -> None:
    """5.23.1: Ana takes the nine, 21. The king is the dealer's next: 16, then 18."""
    together(at, SIXTH)
    result = at.play(f"{CARDS} Ks 9s 2d", "hit stand", [choose("Ana", "9s")])
    assert result == {"Ana": ("win", 10), "Ben": ("lose", -20)}
    assert at.live.round.rulings[0].rules == ("5.23.1", "5.23.1.1")


def test_unseen_cards_are_dealt_in_order_if_no_player_selects(at: Evening) -> None:
    """The first card reported is Ana's, and the other the dealer's."""
    together(at, SIXTH)
    result = at.play(f"{CARDS} 9s 9d 2d", "hit stand")
    assert result == {"Ana": ("win", 10), "Ben": ("stand-off", 0)}


def test_one_seen_card_is_the_next_card(at: Evening) -> None:
    """5.23.2: the king was seen, so Ana has 22; the nine is the dealer's, 15, then 17."""
    together(at, SIXTH, seen="Ks")
    result = at.play(f"{CARDS} 9s Ks 2d", "hit stand")
    assert result == {"Ana": ("lose", -10), "Ben": ("stand-off", 0)}
    assert at.live.round.rulings[0].rules == ("5.23.2", "5.23.2.1")


def test_player_selects_from_seen_cards_and_the_next_player_may_take_the_rest(at: Evening) -> None:
    """5.23.3, 5.23.3.1: Ana takes the nine, Ben the four; the dealer draws from the shoe."""
    together(at, SIXTH, seen="4s 9s")
    script = [choose("Ana", "9s"), choose("Ben", "4s")]
    result = at.play(f"{CARDS} 4s 9s Td 2d", "hit", script)
    assert result == {"Ana": ("win", 10), "Ben": ("win", 20)}


def test_both_seen_cards_are_taken(at: Evening) -> None:
    together(at, SIXTH, seen="4s 3s")
    result = at.play(f"{CARDS} 4s 3s Td 2d", "hit stand stand", [choose("Ana", "4s 3s")])
    assert result == {"Ana": ("win", 10), "Ben": ("lose", -20)}


def test_card_declined_by_the_next_player_is_burned(at: Evening) -> None:
    """5.23.3.1, 5.24: Ben stands on 17 by declining; the dealer draws 16, 18 from the shoe."""
    together(at, SIXTH, seen="5s 9s")
    script = [choose("Ana", "9s"), Ruling("refuse-card", player="Ben")]
    result = at.play(f"{CARDS} 5s 9s Td 2d", "hit", script)
    assert result == {"Ana": ("win", 10), "Ben": ("lose", -20)}
    assert [str(card) for card in at.live.round.dealer] == ["6d", "Td", "2d"]


def test_player_may_decline_all_seen_cards(at: Evening) -> None:
    """Ana stands on 12 (5.24); Ben takes the four, 21; the king is burned."""
    together(at, SIXTH, seen="Ks 4s")
    script = [Ruling("refuse-card", player="Ana"), choose("Ben", "4s")]
    result = at.play(f"{CARDS} Ks 4s Td 2d", "hit", script)
    assert result == {"Ana": ("lose", -10), "Ben": ("win", 20)}


def test_three_seen_cards_are_offered(at: Evening) -> None:
    together(at, SIXTH, count=3, seen="Ks 9s 4s")
    script = [choose("Ana", "9s"), choose("Ben", "4s")]
    result = at.play(f"{CARDS} Ks 9s 4s Td 2d", "hit", script)
    assert result == {"Ana": ("win", 10), "Ben": ("win", 20)}


def test_dissatisfied_player_may_withdraw(at: Evening) -> None:
    """5.25: Ben withdraws his wager before a further card is dealt."""
    together(at, SIXTH, seen="9s")
    result = at.play(f"{CARDS} 9s Ks 2d", "hit", [Ruling("withdraw", player="Ben")])
    assert result == {"Ana": ("win", 10), "Ben": ("void", 0)}
    assert at.rules("Ben") == {"5.25"}


def test_other_player_may_not_select(at: Evening) -> None:
    together(at, SIXTH)
    script = [choose("Ben", "Ks"), choose("Ana", "9s")]
    result = at.play(f"{CARDS} Ks 9s 2d", "hit stand", script)
    assert result["Ana"] == ("win", 10)
    assert at.records("refused")[0]["player"] == "Ben"


def test_player_of_the_box_selects_in_the_initial_deal(at: Evening) -> None:
    together(at, 0)
    result = at.play("9c Tc 6d 2h 8s Td 2d", "stand stand", [choose("Ana", "Tc")])
    assert at.faults() == [("simultaneous-draw", "before the first card")]
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}


def test_cards_in_known_order_were_not_drawn_together(at: Evening) -> None:
    """The first card is Ana's; the second was dealt in error and is the next card (5.8)."""
    together(at, SIXTH, order="known")
    result = at.play(f"{CARDS} 9s Ks 2d", "hit stand")
    assert at.irregularities() == ["drawn-in-error"]
    assert result == {"Ana": ("win", 10), "Ben": ("lose", -20)}


# The dealer's hand


def test_pit_manager_selects_the_dealers_unseen_card(at: Evening) -> None:
    """5.23.4.1, 5.23.4.2: the king makes 16; the other card is next and makes 21."""
    together(at, SIXTH)
    result = at.play(f"{CARDS} 5s Ks", "stand stand", [choose("pit-manager", "Ks")])
    assert [str(card) for card in at.live.round.dealer] == ["6d", "Ks", "5s"]
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}


def test_one_seen_card_is_the_dealers_next_card(at: Evening) -> None:
    """5.23.4.3, 5.23.4.4."""
    together(at, SIXTH, seen="5s")
    at.play(f"{CARDS} Ks 5s", "stand stand")
    assert [str(card) for card in at.live.round.dealer] == ["6d", "5s", "Ks"]
    assert at.live.round.rulings[0].rules == ("5.23.4.3", "5.23.4.4")


def test_dealer_gets_the_most_detrimental_of_two_seen_cards(at: Evening) -> None:
    """5.23.4.5, 5.23.4.6: with 16, a nine busts the dealer; the five is discarded."""
    together(at, SIXTH + 1, seen="5s 9s")
    result = at.play(f"{CARDS} Ks 5s 9s", "stand stand", [choose("pit-manager", "9s")])
    assert [str(card) for card in at.live.round.dealer] == ["6d", "Ks", "9s"]
    assert result == {"Ana": ("win", 10), "Ben": ("win", 20)}


def test_selection_of_a_less_detrimental_card_is_refused(at: Evening) -> None:
    together(at, SIXTH + 1, seen="5s 9s")
    script = [choose("pit-manager", "5s"), choose("pit-manager", "9s")]
    result = at.play(f"{CARDS} Ks 5s 9s", "stand stand", script)
    assert result["Ben"] == ("win", 20)
    assert "most detrimental" in at.records("refused")[0]["why"]
