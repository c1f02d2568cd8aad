"""A dealing shoe: stacked, cut, marked, burned from and dealt to the end."""

from __future__ import annotations

import pytest

from cutcard.devices import Shoe
from cutcard.devices.errors import CommandRefusedError
from cutcard.devices.events import Burned, CardDealt, CuttingCard, LastCard
from hil_tests.table import Table


def stack(shoe: Table[Shoe]) -> list[str]:
    return [card["card"] for card in shoe.bench.cards()["stack"]]


def refused(call: pytest.ExceptionInfo[CommandRefusedError]) -> tuple[str, int, int]:
    return call.value.error, call.value.a, call.value.b


def test_cards_are_dealt_in_the_order_of_the_stack(shoe: Table[Shoe]) -> None:
    there = stack(shoe)
    assert [str(shoe.device.deal().card) for _ in range(20)] == there[:20]
    shoe.check_counts()


def test_cut_moves_the_front_to_the_back(shoe: Table[Shoe]) -> None:
    before = stack(shoe)
    shoe.device.cut(20, low=10, high=42)
    shoe.bench.settle()
    assert stack(shoe) == before[20:] + before[:20]


@pytest.mark.parametrize("depth", [9, 43])
def test_cut_outside_its_bounds_is_refused_and_the_bounds_reported(
    shoe: Table[Shoe], depth: int
) -> None:
    before = stack(shoe)
    with pytest.raises(CommandRefusedError) as call:
        shoe.device.cut(depth, low=10, high=42)
    assert refused(call) == ("out-of-bounds", 10, 42)
    assert "10" in str(call.value)
    assert "42" in str(call.value)
    assert stack(shoe) == before


@pytest.mark.parametrize("depth", [29, 41])
def test_cutting_card_outside_its_bounds_is_refused_and_the_bounds_reported(
    shoe: Table[Shoe], depth: int
) -> None:
    with pytest.raises(CommandRefusedError) as call:
        shoe.device.place(depth, low=30, high=40)
    assert refused(call) == ("out-of-bounds", 30, 40)
    assert "cutting" not in stack(shoe)


def test_cutting_card_is_reported_with_its_position(shoe: Table[Shoe]) -> None:
    shoe.device.begin_round()
    shoe.device.place(3, low=1, high=40)
    for _ in range(5):
        shoe.device.deal()
    assert [(c.position, c.first_of_round) for c in shoe.events_of(CuttingCard)] == [(3, False)]
    assert len(shoe.events_of(CardDealt)) == 5
    shoe.check_counts()


def test_cutting_card_before_the_first_card_of_a_round_is_reported_as_such(
    shoe: Table[Shoe],
) -> None:
    shoe.device.place(2, low=1, high=40)
    for _ in range(2):
        shoe.device.deal()
    shoe.device.begin_round()
    card = shoe.device.deal()
    assert [(c.position, c.first_of_round) for c in shoe.events_of(CuttingCard)] == [(2, True)]
    assert card.first_of_round


def test_two_cutting_cards_are_reported_in_order(shoe: Table[Shoe]) -> None:
    shoe.device.place(8, low=1, high=40)
    shoe.device.place(4, low=1, high=40)
    for _ in range(10):
        shoe.device.deal()
    assert [c.position for c in shoe.events_of(CuttingCard)] == [4, 8]
    shoe.check_counts()


def test_third_cutting_card_is_refused(shoe: Table[Shoe]) -> None:
    for depth in (10, 20):
        shoe.device.place(depth, low=1, high=40)
    with pytest.raises(CommandRefusedError) as call:
        shoe.device.place(30, low=1, high=40)
    assert refused(call) == ("no-cutting-card", 2, 2)


def test_burned_cards_are_not_read(shoe: Table[Shoe]) -> None:
    there = stack(shoe)
    assert len(shoe.device.burn(2)) == 2
    assert str(shoe.device.deal().card) == there[2]
    assert len(shoe.events_of(Burned)) == 2
    assert len(shoe.events_of(CardDealt)) == 1
    shoe.check_counts()


def test_last_card_is_reported(shoe: Table[Shoe]) -> None:
    for _ in range(52):
        shoe.device.deal()
    assert len(shoe.events_of(LastCard)) == 1
    assert shoe.status().inside == 0
    with pytest.raises(CommandRefusedError) as call:
        shoe.device.deal()
    assert refused(call) == ("not-enough-cards", 1, 0)


def test_shoe_is_emptied_and_stacked_again(shoe: Table[Shoe]) -> None:
    shoe.device.place(30, low=1, high=40)
    shoe.device.deal()
    assert shoe.device.unload().cards == 51
    shoe.bench.return_cards()
    shoe.bench.settle()
    assert shoe.device.stack(1).cards == 52
    shoe.check_counts()


def test_empty_shoe_cannot_be_reported_as_stacked(shoe: Table[Shoe]) -> None:
    shoe.device.unload()
    with pytest.raises(CommandRefusedError) as call:
        shoe.device.stack(1)
    assert call.value.error == "tray-empty"
