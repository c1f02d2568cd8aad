"""All faults, each caused by the simulated person and never by the firmware itself.

Each is latched, reported, survives a power cut, refuses all commands except questions and
recoveries, and has a recovery that ends in a verified count. docs/reference/faults.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cutcard.devices import Shoe
from cutcard.devices.errors import CommandRefusedError, DeviceError, InFaultError
from cutcard.devices.events import CardDealt, Event, Loaded, Returned, Started
from cutcard.faults import FAULTS
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.devices.sensors import EXIT
from hil_tests.conftest import loaded
from hil_tests.table import Table

HERE = Path(__file__).parent
TableAt = Callable[..., Table[Any]]
Act = Callable[[Table[Any]], None]


WHOLE_BINS = "carousel-44"  # where a push shows the number of cards in a bin


class Story:
    """The cause of a fault, the removal of the cause, and the state after recovery.

    `machine` is loaded with a deck before, unless `empty`.
    """

    def __init__(
        self,
        provoke: Act,
        mend: Act,
        machine: str = "carousel",
        empty: bool = False,
        ends: str = "ready",
        way: str = "recover",
    ) -> None:
        self.provoke = provoke
        self.mend = mend
        self.machine = machine
        self.empty = empty
        self.ends = ends
        self.way = way


def quietly(act: Callable[[], object]) -> None:
    """Call the driver and ignore the expected fault."""
    with suppress(DeviceError):
        act()


def load(at: Table[Any], decks: int = 1) -> None:
    at.bench.settle()
    quietly(lambda: at.device.load(decks))


def put_and_load(at: Table[Any]) -> None:
    at.bench.put(1)
    load(at)


def deal(at: Table[Any], cards: int = 1) -> None:
    for _ in range(cards):
        quietly(at.device.deal)
    at.bench.settle()


def nothing(at: Table[Any]) -> None:
    """Do nothing: the cause has ended by itself."""


def words(*said: dict[str, Any]) -> Act:
    """Send several commands to the simulated person, in order."""

    def act(at: Table[Any]) -> None:
        for each in said:
            each = dict(each)
            at.bench.do(each.pop("do"), **each)

    return act


def then(*acts: Act) -> Act:
    def act(at: Table[Any]) -> None:
        for each in acts:
            each(at)

    return act


def clear_into_tray(at: Table[Any]) -> None:
    at.do("clear", to="tray")
    at.bench.settle()


def hold_every_bin(at: Table[Any]) -> None:
    for number in range(38):
        at.do("bin", how="hold", number=number)


def deal_until_fault(at: Table[Any]) -> None:
    for _ in range(52):
        try:
            at.device.deal()
        except InFaultError:
            return
    raise AssertionError("no fault in a whole deck")


def add_to_every_bin(at: Table[Any]) -> None:
    for number in range(len(at.bench.status()["bins"])):
        at.do("add", bin=number)


def steal_from_full_bins(at: Table[Any]) -> None:
    for number, cards in enumerate(at.bench.status()["bins"]):
        if cards > 1:
            at.do("steal", bin=number)


def wrong_number(at: Table[Any]) -> None:
    at.do("door", how="open")
    at.bench.settle()
    at.do("door", how="close")
    at.bench.settle()
    quietly(lambda: at.device.recover(at.outside() + 1))


def forget_the_state(at: Table[Any]) -> None:
    """Remove the state file; the rest of the file system is intact.

    The device restarts its event and command numbers, so the host must restart too.
    """
    at.bench.cut_power()
    at.do("flash", what="forget")
    at.bench.restore_power()
    at.device.close()
    at.events.clear()
    at.device = at.open()


def cut_power_in_a_deal(at: Table[Any]) -> None:
    at.do("hand", on=False)
    at.device.call_for(3)
    at.bench.settle()
    at.bench.cycle_power()
    at.do("hand", on=True)


STORIES: dict[str, Story] = {
    "jam-on-entry": Story(
        then(words({"do": "jam", "where": "entry", "after": 20, "step": "feed"}), put_and_load),
        clear_into_tray,
        empty=True,
    ),
    "jam-on-exit": Story(
        then(words({"do": "jam", "where": "exit"}), deal_until_fault),
        words({"do": "clear", "to": "outside"}),
    ),
    "double-feed": Story(
        then(words({"do": "double", "after": 20, "step": "feed"}), put_and_load),
        nothing,
        empty=True,
    ),
    "bin-stuck": Story(
        then(words({"do": "bin", "how": "stuck", "after": 20, "step": "feed"}), put_and_load),
        words({"do": "clear"}),
        empty=True,
    ),
    "empty-bin": Story(then(hold_every_bin, deal_until_fault), words({"do": "clear"})),
    "count-mismatch": Story(wrong_number, nothing),
    "extra-card": Story(
        then(add_to_every_bin, deal_until_fault), nothing, WHOLE_BINS, way="unload", ends="empty"
    ),
    "missing-card": Story(
        then(steal_from_full_bins, deal_until_fault),
        nothing,
        WHOLE_BINS,
        way="unload",
        ends="empty",
    ),
    "unreadable-card": Story(then(words({"do": "swap", "with": "unreadable"}), deal), nothing),
    "face-up-card": Story(words({"do": "flip"}), words({"do": "flip"})),
    "simultaneous-draw": Story(
        then(
            words({"do": "hand", "on": False}),
            lambda at: at.device.call_for(2),
            words({"do": "settle"}, {"do": "draw", "count": 2}, {"do": "settle"}),
        ),
        words({"do": "hand", "on": True}),
    ),
    "cutting-card-missing": Story(
        then(
            words({"do": "hand", "on": False}),
            lambda at: at.device.place(3, low=1, high=40),
            words({"do": "hand", "on": True}),
            lambda at: deal(at, 6),
        ),
        nothing,
        machine="shoe-8",
    ),
    "door-open": Story(words({"do": "door", "how": "open"}), words({"do": "door", "how": "close"})),
    "motor-stall": Story(
        then(words({"do": "stall", "motor": "turn", "after": 20, "step": "feed"}), put_and_load),
        words({"do": "clear"}),
        empty=True,
    ),
    "sensor-stuck": Story(
        words({"do": "stick", "sensor": "entry", "level": 1}),
        words({"do": "release", "sensor": "entry"}),
    ),
    "random-source": Story(
        lambda at: at.bench.stick_noise(),
        words({"do": "noise", "how": "good"}),
    ),
    "state-lost": Story(forget_the_state, nothing, way="unload", ends="empty"),
    "power-lost": Story(cut_power_in_a_deal, nothing),
    "watchdog": Story(words({"do": "hang"}, {"do": "advance", "milliseconds": 9000}), nothing),
}


def in_fault(table: TableAt, name: str) -> Table[Any]:
    story = STORIES[name]
    at = table(story.machine)
    if not story.empty:
        loaded(at)
    story.provoke(at)
    return at


def test_every_fault_has_a_story_here_or_a_test_elsewhere() -> None:
    assert sorted(STORIES) == sorted(name for name, fault in FAULTS.items() if not fault.shown_by)
    for fault in FAULTS.values():
        if fault.shown_by:
            file, _, test = fault.shown_by.partition("::")
            assert f"def {test}(" in (HERE / file).read_text("utf-8"), fault.name


every_fault = pytest.mark.parametrize("name", STORIES)


@pytest.fixture(autouse=True)
def _a_board_sees_its_wheel_at_home_alone(request: pytest.FixtureRequest, benches: Benches) -> None:
    params = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    if benches.kind == CHIP and params.get("name") == "bin-stuck":
        pytest.skip(
            "a board counts pulses: a wheel that does not follow them is seen when the next card "
            "does not fit, as jam-on-entry (test_chip.py), or the next time that it comes home"
        )


@every_fault
def test_fault_is_latched_and_reported(table: TableAt, name: str) -> None:
    in_fault(table, name).expect_fault(name)


@every_fault
def test_fault_survives_a_power_cut(table: TableAt, name: str) -> None:
    at = in_fault(table, name)
    raised = at.expect_fault(name)
    at.bench.cycle_power()
    assert (at.status().mode, at.status().fault) == ("fault", name)
    assert at.status().detail == raised.detail
    assert len(at.events_of(Started)) >= 2


@every_fault
def test_fault_refuses_all_commands_and_no_card_moves(table: TableAt, name: str) -> None:
    at = in_fault(table, name)
    at.expect_fault(name)
    before = at.bench.cards()
    calls: list[Callable[[], object]] = [
        at.device.deal,
        at.device.begin_round,
        at.device.disarm,
        lambda: at.device.place(10, 1, 40),
        lambda: at.device.stack(1) if isinstance(at.device, Shoe) else at.device.load(1),
    ]
    for call in calls:
        with pytest.raises(InFaultError) as refused:
            call()
        assert refused.value.fault == name
        assert refused.value.hint
    at.bench.settle()
    assert at.bench.cards() == before


@every_fault
def test_recovery_from_a_fault_ends_in_a_verified_count(table: TableAt, name: str) -> None:
    at = in_fault(table, name)
    at.expect_fault(name)
    story = STORIES[name]
    story.mend(at)
    at.bench.settle()
    if story.way == "unload":
        there = at.inside()
        assert at.device.unload().cards == there
        assert at.inside() == 0
    else:
        at.recover()
        if not isinstance(at.device, Shoe):
            at.bench.return_cards()
            at.bench.settle()
    assert at.status().mode == story.ends
    at.check_counts()


def test_recovery_reports_the_number_of_cards_to_put_back(table: TableAt) -> None:
    """A card stuck in the exit may be in the chute, uncounted, so the entire chute is ejected."""
    at = in_fault(table, "jam-on-exit")
    STORIES["jam-on-exit"].mend(at)
    at.bench.settle()
    said = at.outside()
    recovered = at.recover()
    assert recovered.came_out == at.outside() - said > 0
    assert recovered.next_step.startswith(f"{recovered.came_out} card")
    assert at.bench.return_cards(recovered.came_out) == recovered.came_out
    at.bench.settle()
    assert at.outside() == said
    at.check_counts()


def test_recovery_after_a_wrong_count_covers_the_cards_of_both_attempts(table: TableAt) -> None:
    at = in_fault(table, "jam-on-exit")
    STORIES["jam-on-exit"].mend(at)
    at.bench.settle()
    before = at.outside()
    with pytest.raises(InFaultError) as mismatch:
        at.device.recover(before + 1)
    at.bench.settle()
    drawn = at.outside() - before
    assert (mismatch.value.fault, mismatch.value.came_out) == ("count-mismatch", drawn)
    assert at.status().expected_outside == at.outside() != at.status().outside
    recovered = at.recover()
    assert recovered.came_out == at.outside() - before >= drawn > 0
    assert recovered.next_step.startswith(f"{recovered.came_out} cards came out")


def test_recovery_counts_no_card_of_an_earlier_recovery(table: TableAt) -> None:
    at = in_fault(table, "jam-on-exit")
    STORIES["jam-on-exit"].mend(at)
    at.bench.settle()
    quietly(lambda: at.device.recover(at.outside() + 1))
    assert at.recover().came_out
    at.bench.return_cards()
    at.bench.settle()
    for how in ("open", "close"):
        at.do("door", how=how)
        at.bench.settle()
    assert at.recover().came_out == 0


def test_recovery_that_empties_the_machine_names_every_ejected_card(
    table: TableAt,
) -> None:
    """A batch machine interrupted during a load ejects all its cards."""
    at = table("slots")
    at.do("jam", where="entry", after=20, step="feed")
    put_and_load(at)
    at.expect_fault("jam-on-entry")
    clear_into_tray(at)
    outside = at.outside()
    recovered = at.device.recover(outside)
    at.bench.settle()
    assert (recovered.inside, at.inside()) == (0, 0)
    assert recovered.came_out == 52 - outside > 0
    assert "put the complete pack in" in recovered.next_step


def test_wait_for_discards_raises_a_fault_already_latched(table: TableAt) -> None:
    at = in_fault(table, "door-open")
    at.take_events()
    with pytest.raises(InFaultError) as latched:
        at.device.wait_for_returned(deadline=1)
    assert latched.value.fault == "door-open"


@pytest.mark.parametrize("kind", [CardDealt, Returned, Loaded])
def test_wait_for_an_event_of_work_raises_a_latched_fault(
    table: TableAt, kind: type[Event]
) -> None:
    at = in_fault(table, "door-open")
    list(at.device.events(deadline=0))
    with pytest.raises(InFaultError) as latched:
        at.device.wait_for(kind, deadline=1)
    assert latched.value.fault == "door-open"


def test_wait_for_a_card_raises_a_fault_that_occurs_during_it(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.do("hand", on=False)
    at.device.call_for(1)
    at.do("door", how="open", within=100)
    with pytest.raises(InFaultError) as raised:
        at.device.wait_for(CardDealt, deadline=30)
    assert raised.value.fault == "door-open"


def test_card_dealt_before_a_fault_is_still_returned(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.device.call_for(1)
    at.bench.settle()
    at.do("door", how="open")
    at.bench.settle()
    assert at.device.wait_for(CardDealt, deadline=5).card is not None


@pytest.mark.parametrize("name", [name for name in STORIES if STORIES[name].way == "recover"])
def test_wrong_count_does_not_end_a_fault(table: TableAt, name: str) -> None:
    """One card fewer than outside, or one more: the count does not match."""
    at = in_fault(table, name)
    at.expect_fault(name)
    STORIES[name].mend(at)
    at.bench.settle()
    wrong = at.outside() + (1 if at.outside() < 52 else -1)
    with pytest.raises(InFaultError) as mismatch:
        at.device.recover(wrong)
    assert mismatch.value.fault == "count-mismatch"
    at.recover()


def test_remaining_cause_keeps_the_fault(table: TableAt) -> None:
    at = in_fault(table, "door-open")
    at.bench.settle()
    with pytest.raises(CommandRefusedError) as refused:
        at.device.recover(0)
    assert refused.value.error == "not-clear"
    at.expect_fault("door-open")


@pytest.mark.parametrize("period", [2, 7, 32])
def test_periodic_noise_is_a_fault(table: TableAt, period: int) -> None:
    """Alternating noise passes the tests of runs and proportions; the lag test needs a window."""
    at = table("carousel")
    at.do("noise", how="periodic", value=period)
    for _ in range((1024 + 1088) // 64):
        at.bench.advance(5000)
    at.expect_fault("random-source")


def test_noise_that_is_still_bad_keeps_the_fault(table: TableAt) -> None:
    at = in_fault(table, "random-source")
    with pytest.raises(InFaultError) as refused:
        at.device.recover(0)
    assert refused.value.fault == "random-source"


@pytest.mark.parametrize(("order", "known"), [("known", True), ("unknown", False)])
def test_simultaneous_draw_reports_the_cards_and_whether_their_order_is_known(
    table: TableAt, order: str, known: bool
) -> None:
    at = loaded(table("shoe-8"))
    at.do("hand", on=False)
    at.device.call_for(3)
    at.bench.settle()
    drawn = at.do("draw", count=3, order=order)["drawn"]
    raised = at.expect_fault("simultaneous-draw")
    assert raised.order_known == known
    names = [str(card) for card in raised.cards]
    assert (names if known else sorted(names)) == (drawn if known else sorted(drawn))
    assert at.status().outside == 3
    at.recover()


def test_two_simultaneous_cards_are_not_reported_as_dealt(table: TableAt) -> None:
    at = in_fault(table, "simultaneous-draw")
    assert at.events_of(CardDealt) == []


def test_foreign_card_is_unreadable(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.do("swap", with_="foreign")
    deal(at)
    assert at.expect_fault("unreadable-card").detail == 254


def test_card_that_never_leaves_the_tray_is_a_jam(table: TableAt) -> None:
    at = table("carousel")
    at.do("jam", where="tray")
    put_and_load(at)
    at.expect_fault("jam-on-entry")


def test_incomplete_deck_is_a_missing_card(table: TableAt) -> None:
    at = table("carousel")
    at.bench.put(1, less=1)
    load(at)
    assert at.expect_fault("missing-card").detail == 1


def test_extra_deck_is_an_extra_card(table: TableAt) -> None:
    at = table("carousel")
    at.bench.put(2)
    load(at)
    at.expect_fault("extra-card")


def test_count_finds_two_cards_that_passed_as_one(table: TableAt) -> None:
    at = table("carousel")
    at.do("double", hidden=True, after=10, step="feed")
    put_and_load(at)
    at.expect_fault("missing-card")


def test_open_door_stops_the_machine_during_a_load(table: TableAt) -> None:
    at = table("carousel")
    at.do("door", how="open", after=20, step="enter")
    put_and_load(at)
    at.expect_fault("door-open")
    at.do("door", how="close")
    at.bench.settle()
    at.do("clear", to="tray")
    at.recover()
    at.bench.return_cards()
    at.bench.settle()
    assert at.status().mode == "ready"


def test_ejector_that_passes_two_cards_is_a_fault_with_a_recovery(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.do("double", where="exit", after=2, step="exit")
    deal_until_fault(at)
    assert at.expect_fault("extra-card").detail == EXIT
    at.recover()
    at.bench.return_cards()
    at.bench.settle()
    assert at.status().mode == "ready"
    at.check_counts()


def test_bin_with_fewer_cards_than_went_in_is_found_at_its_push(
    table: TableAt,
) -> None:
    at = loaded(table("carousel"))
    steal_from_full_bins(at)
    deal_until_fault(at)
    at.expect_fault("empty-bin")


def test_door_open_at_power_up_is_a_fault(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.bench.cut_power()
    at.do("door", how="open")
    at.bench.restore_power()
    at.expect_fault("door-open")


def test_watchdog_reset_during_a_load_is_recovered_with_a_correct_count(table: TableAt) -> None:
    at = table("carousel")
    at.bench.put(1)
    at.bench.settle()
    at.do("hang", after=20, step="feed")
    load(at)
    at.expect_fault("watchdog")
    at.do("clear", to="tray")
    at.recover()
    at.bench.return_cards()
    at.bench.settle()
    assert at.status().mode == "ready"
    at.check_counts()


@pytest.mark.parametrize("to", ["chute", "outside", "tray"])
@pytest.mark.parametrize("mechanism", ["carousel", "slots", "shelves"])
def test_card_jammed_at_the_exit_may_be_put_anywhere(
    table: TableAt, mechanism: str, to: str
) -> None:
    at = table(mechanism)
    at.do("jam", where="exit", after=2, step="exit")
    put_and_load(at)
    at.expect_fault("jam-on-exit")
    at.do("clear", to=to)
    at.bench.settle()
    at.recover()
