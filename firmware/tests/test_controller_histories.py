"""Any history of offers, presses, repeats, faults and power cuts at a controller.

In every history, a press has exactly one prize, the records are one chain without a gap, each
prize shown was drawn and reported, and the device can always recover from a fault.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cutcard_firmware.core.devices.sensors import DOOR, WRAP
from cutcard_firmware.core.jackpot import draws
from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.panel_rig import PRIZES, PanelRig, PowerCut

EXAMPLES = 12  # `--explore TIMES` tries more
TABLE = some.integers(1, 3)  # the third has no prizes
BOX = some.integers(1, 3)
ATTEMPT = some.integers(0, 1)
NEXT = some.integers(-1, 1)  # the round: -1 the last, 0 the current, 1 the next
WAGER = some.sampled_from((0, 500, 500, 500, 700))
SCREEN = some.sampled_from(("meter", "panel"))
PLACE = ("kind", "table", "round", "box", "seat", "attempt")


class Controllers(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.rig = PanelRig(Path(self.folder.name))
        self.looked_at = 0
        self.prizes: dict[tuple[int, ...], dict[str, Any]] = {}  # by press, as first reported
        self.rounds = {1: 1, 2: 1, 3: 1}

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(seed=some.integers(0, 1 << 16), bouncing=some.booleans())
    def begin(self, seed: int, bouncing: bool) -> None:
        self.rig = PanelRig(Path(self.folder.name) / "flash", seed)
        self.rig.plant.sensors.bouncing = bouncing
        self.rig.set_up(1, 2)

    # the invariants of a controller at rest

    @invariant()
    def a_press_has_one_prize_for_ever(self) -> None:
        for event in self.rig.drawn()[self.looked_at :]:
            key = tuple(event[name] for name in PLACE)
            assert self.prizes.setdefault(key, event) == event
            assert 1 <= event["prize"] <= event["prizes"]
        self.looked_at = len(self.rig.drawn())

    @invariant()
    def the_records_are_one_chain(self) -> None:
        chain = bytes(32)
        for counter, event in enumerate(self.in_order(), 1):
            assert (event["counter"], event["previous"]) == (counter, chain)
            fields = {name: value for name, value in event.items() if name != "signature"}
            chain = sha256(draws.record(*fields.values())).digest()
        assert self.rig.counter() == len(self.prizes)
        assert self.rig.device.state.chain == chain

    @invariant()
    def each_shown_amount_was_drawn_and_reported(self) -> None:
        for table in (1, 2):
            if self.rig.of(table, draws.FAULT):
                continue
            shown = self.rig.of(table, draws.SHOWN)
            amount = self.in_order()[shown - 1]["amount"] if shown else m.BLANK
            assert self.rig.amounts(table) == (amount, amount)

    @invariant()
    def the_lamp_is_lit_while_a_press_would_draw(self) -> None:
        ready = self.rig.mode == "ready"
        for table in (1, 2, 3):
            assert self.rig.plant.lit(table) == (ready and self.rig.of(table, draws.OFFERED) == 1)

    @invariant()
    def events_are_numbered_without_gaps(self) -> None:
        numbers = [number for number, _, _ in self.rig.events]
        assert numbers == list(range(1, len(numbers) + 1))

    def in_order(self) -> list[dict[str, Any]]:
        return sorted(self.prizes.values(), key=lambda event: event["counter"])

    # the actions

    def do(self, act: Any, cut: int, before: bool) -> None:
        """Run `act`; if `cut` is positive, the power fails at that commit, before or after it."""
        self.rig.cut_in = cut or None
        self.rig.cut_before_write = before
        try:
            act()
            self.rig.run()
            self.rig.cut_in = None
        except PowerCut:
            self.rig.power_cycle()
            self.rig.run()
        self.come_out_of_faults()

    def come_out_of_faults(self) -> None:
        rig = self.rig
        if rig.mode == "fault" and not rig.plant.sensors.levels[DOOR]:
            rig.board.stuck_noise = False
            assert rig.command("resume", table=0).error == "ok"
            rig.run()

    CUT = some.sampled_from((0, 0, 0, 1, 2))

    @rule(table=TABLE, box=BOX, attempt=ATTEMPT, later=NEXT, wager=WAGER, cut=CUT)
    def offer(self, table: int, box: int, attempt: int, later: int, wager: int, cut: int) -> None:
        round = self.round(table, later)
        offer = lambda: self.rig.offer(table, round, box, wager, attempt=attempt)  # noqa: E731
        self.do(offer, cut, before=bool(box & 1))

    @rule(table=TABLE, cut=CUT, before=some.booleans())
    def hand_presses(self, table: int, cut: int, before: bool) -> None:
        self.do(lambda: self.rig.hand(table), cut, before)

    @rule(table=TABLE, box=BOX, attempt=ATTEMPT, later=NEXT, wager=WAGER, cut=CUT)
    def host_presses(
        self, table: int, box: int, attempt: int, later: int, wager: int, cut: int
    ) -> None:
        round = self.round(table, later)
        press = lambda: self.rig.press(table, round, box, wager, attempt=attempt)  # noqa: E731
        self.do(press, cut, before=bool(box & 1))

    @rule(table=TABLE, among=some.integers(0, 4), cut=CUT, before=some.booleans())
    def select(self, table: int, among: int, cut: int, before: bool) -> None:
        row = {"round": self.rounds[table], "attempt": 0, "among": among, "digest": bytes(32)}
        self.do(lambda: self.rig.command("select", table=table, **row), cut, before)

    @rule(table=TABLE, cut=CUT, before=some.booleans())
    def withdraw(self, table: int, cut: int, before: bool) -> None:
        self.do(lambda: self.rig.command("withdraw", table=table), cut, before)

    @rule(before=some.booleans())
    def the_last_command_comes_again(self, before: bool) -> None:
        self.do(lambda: self.rig.obey(self.rig.last_payload), 0, before)

    @rule(table=some.integers(1, 2), text=some.sampled_from((PRIZES, b"5 7\n", b"x", b"")))
    def other_prizes(self, table: int, text: bytes) -> None:
        self.do(lambda: self.rig.command("prizes", table=table, text=text), 0, True)

    @rule(cause=some.sampled_from(("power", "watchdog")))
    def power_cycle(self, cause: str) -> None:
        self.do(lambda: self.rig.power_cycle(cause), 0, True)

    @rule(is_open=some.booleans())
    def door(self, is_open: bool) -> None:
        self.rig.plant.set_door(is_open)
        self.do(lambda: None, 0, True)

    @rule()
    def noise_fails(self) -> None:
        self.rig.board.stuck_noise = True
        self.do(lambda: self.rig.press(1, self.rounds[1]), 0, True)
        self.rig.board.stuck_noise = False

    @rule(table=some.integers(1, 2), by_hand=some.booleans())
    def flash_takes_no_more(self, table: int, by_hand: bool) -> None:
        """A press that cannot be recorded does not count."""
        self.rig.flash_full = True
        counter = self.rig.counter()
        if by_hand:
            self.rig.hand(table)
        else:
            self.rig.press(table, self.rounds[table])
            self.rig.run()
        assert self.rig.counter() == counter
        self.rig.flash_full = False
        self.do(lambda: None, 0, True)

    @rule(table=some.integers(1, 2), name=SCREEN)
    def display_breaks_and_is_mended(self, table: int, name: str) -> None:
        rig = self.rig
        rig.plant.break_screen(table, name)
        self.do(lambda: rig.offer(table, self.rounds[table], 7), 0, True)
        rig.plant.mend_screen(table, name)
        if rig.mode != "fault" and rig.of(table, draws.FAULT):
            assert rig.command("resume", table=table).error == "ok"
        self.do(lambda: rig.power_cycle(), 0, True)
        if rig.mode != "fault" and rig.of(table, draws.FAULT):
            assert rig.command("resume", table=table).error == "ok"
            rig.run()

    def round(self, table: int, later: int) -> int:
        round = max(1, self.rounds[table] + later)
        self.rounds[table] = max(self.rounds[table], round)
        return round


Controllers.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestControllers = Controllers.TestCase


def test_damaged_state_is_reported_as_lost(tmp_path: Path) -> None:
    """The start detects a damaged key or prize table, and the old key no longer signs."""
    for name in ("signing", "prizes1", "state/state"):
        rig = PanelRig(tmp_path / name.replace("/", "-"))
        rig.set_up(1)
        rig.press(1, 1)
        rig.power_off()
        file = rig.root / "cutcard" / name
        file.write_bytes(file.read_bytes()[:-1] + b"?")
        rig.seen = 0
        rig.power_on()
        rig.run()
        assert (rig.mode, rig.fault, rig.device.state.get(st.DETAIL)) == ("fault", "state-lost", 0)
        assert rig.command("resume", table=0).error == "in-fault"
        assert rig.command("renew").error == "ok"
        assert rig.counter() == 0


@pytest.mark.parametrize("back", [1, 60_000, WRAP // 2 - 1])
def test_offer_and_prize_survive_a_clock_that_is_set_back(tmp_path: Path, back: int) -> None:
    """The clock is set back between offer and press, and again while the prize is shown."""
    rig = PanelRig(tmp_path / "flash")
    rig.set_up(1)
    assert rig.offer(1, 1) == "ok"
    rig.board.ahead -= back
    rig.plant.press(1)
    rig.run_for(60)
    rig.board.ahead -= back
    rig.run()
    [draw] = rig.drawn()
    assert rig.amounts(1) == (draw["amount"], draw["amount"])
    assert rig.press(1, 1) == "ok"
    assert rig.counter() == 1
    assert (rig.mode, rig.of(1, draws.FAULT)) == ("ready", 0)
