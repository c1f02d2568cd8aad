"""The way of a deck through each machine: loaded, shuffled, dealt, returned, unloaded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.devices import Shuffler
from cutcard.devices.errors import CommandRefusedError
from cutcard.devices.events import CardDealt, Loaded, Returned
from hil_tests.conftest import loaded
from hil_tests.table import Table

TableAt = Callable[..., Table[Shuffler]]
mechanisms = pytest.mark.parametrize("mechanism", ["carousel", "slots", "shelves"])


@mechanisms
@pytest.mark.parametrize("pack", [52, 48])
def test_loaded_deck_is_counted(table: TableAt, mechanism: str, pack: int) -> None:
    at = loaded(table(mechanism), 1, pack)
    assert at.events_of(Loaded)[-1].cards == pack
    assert (at.status().mode, at.status().inside) == ("ready", pack)
    at.check_counts()


@mechanisms
def test_reported_card_is_the_card_that_left(table: TableAt, mechanism: str) -> None:
    at = loaded(table(mechanism))
    dealt = [str(at.device.deal().card) for _ in range(52)]
    assert dealt == [card["card"] for card in at.bench.cards()["outside"]]
    assert len(set(dealt)) == 52


@mechanisms
def test_order_of_cards_differs_from_a_new_deck(table: TableAt, mechanism: str) -> None:
    at = loaded(table(mechanism))
    at.device.unload()
    assert [card["number"] for card in at.bench.cards()["outside"]] != list(range(52))


def order_of(at: Table[Shuffler]) -> list[int]:
    at.put_in().device.unload()
    return [card["number"] for card in at.bench.cards()["outside"]]


@mechanisms
def test_device_and_host_both_determine_the_order(table: TableAt, mechanism: str) -> None:
    """The same noise and the same host entropy give the same order; a change of either changes
    it."""
    order = order_of(table(mechanism, seed=1, entropy=1))
    assert order_of(table(mechanism, seed=1, entropy=1)) == order
    assert order_of(table(mechanism, seed=2, entropy=1)) != order
    assert order_of(table(mechanism, seed=1, entropy=2)) != order


@mechanisms
def test_unload_ejects_and_counts_every_card(table: TableAt, mechanism: str) -> None:
    at = loaded(table(mechanism))
    at.device.deal()
    assert at.device.unload().cards == 51
    assert at.status().mode == "empty"
    assert at.counts()["outside"] == 52


@mechanisms
def test_unloaded_deck_can_be_loaded_again(table: TableAt, mechanism: str) -> None:
    at = loaded(table(mechanism))
    at.device.unload()
    at.bench.return_cards()
    at.bench.settle()
    assert at.device.load(1).cards == 52
    at.check_counts()


def test_discards_are_taken_back_during_the_round(shuffler: Table[Shuffler]) -> None:
    shuffler.device.begin_round()
    for _ in range(9):
        shuffler.device.deal()
    shuffler.bench.return_cards(7)
    shuffler.bench.settle()
    assert [event.cards for event in shuffler.events_of(Returned)] == [7]
    assert (shuffler.status().inside, shuffler.status().outside) == (50, 2)
    shuffler.check_counts()


def test_batch_machine_leaves_discards_in_the_tray(table: TableAt) -> None:
    at = loaded(table("slots"))
    assert at.bench.cards()["tray"] == []
    at.device.deal()
    at.bench.return_cards()
    at.bench.settle()
    assert at.counts()["tray"] == 1
    at.check_counts()


def test_big_carousel_takes_eight_decks(table: TableAt) -> None:
    at = loaded(table("carousel-44"), 8)
    assert at.status().inside == 416
    at.check_counts()
    assert at.device.unload().cards == 416


def test_drum_of_416_slots_takes_eight_decks(table: TableAt) -> None:
    at = loaded(table("slots-416"), 8)
    at.check_counts()
    assert at.device.unload().cards == 416


def test_elevator_takes_four_decks(table: TableAt) -> None:
    at = loaded(table("elevator-8"), 4)
    at.check_counts()


def test_counts_hold_after_many_rounds_of_dealing_and_returning(shuffler: Table[Shuffler]) -> None:
    for _ in range(20):
        shuffler.device.begin_round()
        for _ in range(12):
            shuffler.device.deal()
        shuffler.bench.return_cards()
        shuffler.bench.settle()
    assert shuffler.status().inside == 52
    shuffler.check_counts()


def test_first_card_of_a_round_is_marked(shuffler: Table[Shuffler]) -> None:
    shuffler.device.begin_round()
    assert [shuffler.device.deal().first_of_round for _ in range(2)] == [True, False]


def test_uncalled_card_is_reported_as_uncalled(shuffler: Table[Shuffler]) -> None:
    shuffler.do("draw", count=1, force=True)
    assert [card.uncalled for card in shuffler.events_of(CardDealt)] == [True]
    shuffler.check_counts()


def test_misfed_cards_are_fed_again(table: TableAt) -> None:
    at = table("carousel")
    at.do("misfeed", rate=0.2)
    loaded(at)
    at.check_counts()


@pytest.mark.parametrize(
    ("decks", "pack", "error"), [(0, 52, "bad-decks"), (8, 52, "bad-decks"), (1, 50, "bad-pack")]
)
def test_wrong_decks_are_refused_and_no_card_moves(
    table: TableAt, decks: int, pack: int, error: str
) -> None:
    at = table("carousel")
    at.bench.put(1)
    before = at.bench.cards()
    with pytest.raises(CommandRefusedError) as refused:
        at.device.load(decks, pack)
    assert refused.value.error == error
    assert at.bench.cards() == before
