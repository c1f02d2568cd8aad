"""Situations with the same outcome in every rulebook: several faults, invalid rulings, mishaps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cutcard.engine.events import Irregularity, Ruling
from hil_tests.live_rounds.live_table import Evening

HIGHER_DUTIES = "tg-higher-duties-dealer"
VOID = Ruling("void-round", by=HIGHER_DUTIES)
GO_ON = Ruling("continue", by=HIGHER_DUTIES)
ALL_VOID = {"Ana": ("void", 0), "Ben": ("void", 0)}
# Ana has 12, Ben 17, the dealer a six.
CARDS = "Tc 9c 6d 2h 8s"
PLAYED = f"{CARDS} 9s Td 2d"
RESULT = {"Ana": ("win", 10), "Ben": ("lose", -20)}


@pytest.fixture
def at(live: Callable[..., Evening]) -> Evening:
    return live("carousel-38", "crown-melbourne-26")


@pytest.fixture
def shoe(live: Callable[..., Evening]) -> Evening:
    return live("shoe-8", "crown-melbourne-26")


def open_door(at: Evening) -> None:
    at.bench.do("door", how="open")
    at.bench.settle()


def test_device_with_two_faults_reports_the_first_and_recovers_from_both(at: Evening) -> None:
    def both() -> None:
        open_door(at)
        at.bench.do("noise", how="stuck")
        at.bench.do("jam", where="exit")

    at.before_act = both
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert len(at.faults()) == 1
    assert at.irregularities() == ["malfunction"]


def test_two_faults_of_a_round_get_one_ruling_each(at: Evening) -> None:
    """The door is open and the power fails: rule 9.12 applies to the first, 32.4 to the second."""

    def both() -> None:
        open_door(at)
        at.bench.cycle_power()

    at.before_act = both
    assert at.play(PLAYED, "hit stand", [GO_ON, GO_ON]) == RESULT
    assert sorted(at.irregularities()) == ["malfunction", "power-failure"]
    cited = [rule for ruled in at.live.round.rulings for rule in ruled.rules]
    assert sorted(rule for rule in cited if not rule.startswith("reading")) == ["32.4", "9.12"]


def test_fault_during_a_ruling_gets_a_separate_ruling(at: Evening) -> None:
    """The power fails before the ruling on the malfunction is made; both rulings are requested."""
    at.before_act = partial(open_door, at)
    at.floor.meanwhile = at.bench.cycle_power
    assert at.play(PLAYED, "hit stand", [GO_ON, GO_ON]) == RESULT
    assert at.ruled() == [("power-failure", "continue"), ("malfunction", "continue")]


def test_void_round_closes_all_other_choices(at: Evening) -> None:
    at.before_act = partial(open_door, at)
    at.floor.meanwhile = at.bench.cycle_power
    assert at.play(CARDS, "hit", [VOID]) == ALL_VOID
    assert at.ruled() == [("malfunction", None), ("power-failure", "void-round")]


def test_ruling_by_a_person_not_entitled_is_refused_and_recorded(at: Evening) -> None:
    at.before_act = partial(open_door, at)
    by_the_dealer = Ruling("void-round", by="dealer")
    assert at.play(PLAYED, "hit stand", [by_the_dealer, GO_ON]) == RESULT
    (refused,) = at.records("refused")
    assert (refused["by"], refused["rules"][0]) == ("dealer", "9.12")
    assert HIGHER_DUTIES in refused["why"]


def test_ruling_not_in_the_rulebook_is_refused(at: Evening) -> None:
    at.before_act = partial(open_door, at)
    burn = Ruling("burn", by=HIGHER_DUTIES)
    assert at.play(PLAYED, "hit stand", [burn, GO_ON]) == RESULT
    assert at.records("refused")[0]["ruling"] == "burn"


def test_ruling_on_a_settled_round_is_refused_without_effect(at: Evening) -> None:
    at.before_act = partial(open_door, at)
    at.play(PLAYED, "hit stand", [GO_ON])
    before = at.live.round
    assert not at.live.rule(VOID)
    assert at.live.round is before
    assert at.records("refused")[0]["rules"] == ["9.9.1"]


def test_fault_reported_twice_counts_once(at: Evening) -> None:
    """The cable is pulled while the ruling is open, so the device reports all events again."""
    at.before_act = partial(open_door, at)

    def pull_the_cable() -> None:
        at.bench.do("unplug")
        at.bench.do("replug")

    at.floor.meanwhile = pull_the_cable
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert len(at.faults()) == 1
    assert at.irregularities() == ["malfunction"]


def test_fault_reported_again_by_a_person_counts_once(at: Evening) -> None:
    at.before_act = partial(open_door, at)
    again = Irregularity("malfunction", device="shuffler", hands=("1",))
    at.floor.meanwhile = partial(at.live.notice, again)
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert at.irregularities() == ["malfunction", "malfunction"]
    assert at.ruled() == [("malfunction", "continue")]


def test_machine_fault_between_rounds_changes_no_wager(at: Evening) -> None:
    assert at.play(PLAYED, "hit stand") == RESULT
    at.bench.do("jam", where="entry", after=2, step="feed")
    at.live.bring_back_discards()
    assert at.faults() == [("jam-on-entry", "settled")]
    assert at.irregularities() == []


def test_table_does_not_wait_for_a_machine_with_all_its_cards(at: Evening) -> None:
    at.live.bring_back_discards()
    assert at.play(PLAYED, "hit stand") == RESULT


@pytest.mark.parametrize("times", [1, 2])
def test_overlooked_cause_is_searched_again(at: Evening, times: int) -> None:
    at.floor.overlooks = times
    at.before_act = partial(open_door, at)
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert len(at.records("recovered")) == 1


def test_miscount_corrected_by_a_second_count_is_verified(at: Evening) -> None:
    """A miscount of the cards on the table is no wrong card: the round continues."""
    said = iter([1])
    true_count = at.floor.clear
    at.floor.clear = lambda *of: true_count(*of) + next(said, 0)  # type: ignore[method-assign]
    at.before_act = partial(open_door, at)
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert at.records("unverified") == [{"fault": "count-mismatch", "said": 6}]
    assert len(at.records("recovered")) == 1


@pytest.mark.parametrize("count", [209, 99_999])
def test_count_above_the_pack_is_repeated_without_asking_the_machine(
    at: Evening, count: int
) -> None:
    """The machine does not get the count, because it would only refuse it."""
    said = iter([count])
    true_count = at.floor.clear
    at.floor.clear = lambda *of: next(said, true_count(*of))  # type: ignore[method-assign]
    at.before_act = partial(open_door, at)
    assert at.play(PLAYED, "hit stand", [GO_ON]) == RESULT
    assert f"   {count} cards outside, and the machine has 208 in all" in at.lines
    assert len(at.records("recovered")) == 1


def test_foreign_card_is_wrong_cards_after_inspection(shoe: Evening) -> None:
    """All cards are removed; 9.13 voids the round, and the shoe is filled with new cards."""
    assert shoe.play(f"{CARDS} foreign", "hit") == ALL_VOID
    assert shoe.irregularities() == ["malfunction", "wrong-cards"]
    assert shoe.records("unloaded")[0]["found"] == "foreign"
    assert shoe.records("loaded") == [{"cards": 208}]


def test_cutting_card_orders_a_shuffle_at_the_end_of_the_round(shoe: Evening) -> None:
    shoe.device.place(4, low=1, high=100)
    shoe.bench.settle()
    assert shoe.play(PLAYED, "hit stand") == RESULT
    assert shoe.irregularities() == ["cut-card"]
    assert [(order.what, order.when) for order in shoe.live.round.orders] == [
        ("shuffle", "at the end of the round")
    ]
    assert shoe.records("shuffled") == [{"cards": 208}]


def test_face_up_card_is_discarded_at_crown(shoe: Evening) -> None:
    """9.2: the king leaves the shoe and goes to no hand; Ana draws the nine behind it."""
    shoe.before_act = shoe.turn_next_card
    assert shoe.play(f"{CARDS} Ks 9s Td 2d", "hit stand") == RESULT
    assert shoe.faults() == [("face-up-card", "a player's turn")]
    assert shoe.live.round.rulings[0].rules == ("9.2",)


def test_face_up_card_is_dealt_in_singapore(live: Callable[..., Evening]) -> None:
    """5.5: Ana gets the king, and has 22."""
    shoe = live("shoe-8", "mbs-free-bet-3")
    shoe.before_act = shoe.turn_next_card
    result = shoe.play(f"{CARDS} Ks Td 2d", "hit stand")
    assert result == {"Ana": ("lose", -10), "Ben": ("lose", -20)}
