"""The jackpot button at a live table (New Zealand 15A, Crown 11): offered, pressed, shown, paid.

The controller draws and signs; a draw is in the journal before the engine pays it. A drawn press is
reported again after any interruption, so a power cut changes no prize.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from cutcard.bench.client import Bench
from cutcard.devices.controller import Controller, TablePanel
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import HAND_SECONDS
from cutcard.devices.errors import DeviceError, InFaultError, NotInTimeError
from cutcard.devices.events import Event, IdlePress, ReadingsDiffer
from cutcard.engine.books.buttons import button_rules
from cutcard.engine.button import waiting
from cutcard.engine.device_faults import controllers_irregularity, restarted
from cutcard.engine.events import Irregularity, Press
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Placed, Round, Wager
from cutcard.prizes.draw import Draw
from cutcard.prizes.tables import text_of
from cutcard.rulebooks.side_wagers.catalogue import SideWager
from cutcard.rulebooks.side_wagers.prize_table import PrizeTable
from cutcard.table.display_names import words
from cutcard.table.jackpot.interface import Jackpot, NotOfferedError, check_draw
from cutcard.table.replay.replay_log import REKEYED

if TYPE_CHECKING:
    from cutcard.table.play.live import LiveTable

GLANCE_SECONDS = 2.0  # after this time without a press, check whether it is still on offer
SHOW_SECONDS = 5.0  # for the displays to report their amounts


@dataclass(frozen=True, slots=True)
class ButtonPress:
    """The player who pressed a button; None: it fired by itself. `nominated`: the owner had asked
    for it."""

    by: str | None
    nominated: bool = False


@dataclass(frozen=True, slots=True)
class PressResult:
    """The result of a press: the draw, the player, and the amounts on the two displays."""

    draw: Draw
    pressed: ButtonPress
    meter: int | None
    panel: int | None

    def as_json(self) -> dict[str, Any]:
        by = {"by": self.pressed.by, "nominated": self.pressed.nominated}
        return {"draw": self.draw.as_json(), **by, "meter": self.meter, "panel": self.panel}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> PressResult:
        pressed = ButtonPress(said["by"], said["nominated"])
        return cls(Draw.from_json(said["draw"]), pressed, said["meter"], said["panel"])


class AtTheButton(Protocol):
    """The people at a jackpot button: players who press it, and staff who repair it."""

    def press(self, place: int, player: str) -> ButtonPress:
        """Offer the lit button to this player, and return the press."""

    def press_without_offer(self, place: int) -> tuple[str, int] | None:
        """Return the player who pressed a button not on offer, and the box; None if unknown."""

    def mend(self, place: int, fault: str) -> bool:
        """Remove the cause of a fault; return False if that is impossible now."""


class BenchButton:
    """The people at a button on the bench, through the person's port."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def press(self, place: int, player: str) -> ButtonPress:
        self.bench.do("press", table=place)
        self.bench.settle()
        return ButtonPress(player)

    def press_without_offer(self, place: int) -> tuple[str, int] | None:
        return None

    def mend(self, place: int, fault: str) -> bool:
        for which in ("meter", "panel"):
            self.bench.do("display", how="mend", table=place, which=which)
        self.bench.do("door", how="close")
        self.bench.do("noise", how="good")
        self.bench.settle()
        return True


class JackpotButton(Jackpot):
    """The jackpot button of one table of a controller: Madness 21 or Pontoon Pandemonium."""

    def __init__(self, controller: Controller, place: int, bet: str, people: AtTheButton) -> None:
        self.controller = controller
        self.place = place
        self.bet = bet
        self.people = people
        self.works = True
        self._attempts: dict[tuple[int, str], int] = {}
        self._last: Draw | None = None

    # Start of the table and of a round

    def opened(self, live: LiveTable, kept: Mapping[str, Any] | None) -> None:
        """Write the public key to the journal first: it verifies all later draws."""
        rules = button_rules(live.table.book.name)
        if rules is None:
            raise NotOfferedError(self.bet, f"{live.table.book.title} has no button", ())
        self.rules = rules
        self.prizes = self._prizes(live)
        self._text = text_of(self.prizes).encode()
        if kept is not None:
            self._public_key, self.works = bytes.fromhex(kept["public"]), kept["works"]
            return
        public = live.memory.ask(
            "status", "public key", lambda: self.controller.identity().public_key.hex()
        )
        self._public_key = bytes.fromhex(public)
        live.memory.write("key", {"place": self.place, "public": public})
        live.memory.effect(
            "prizes",
            {"place": self.place},
            lambda: self.controller.set_prizes(self.place, self._text.decode()),
            write=lambda _: None,
            read=lambda _: None,
        )

    def met_another(self, live: LiveTable) -> None:
        """Give another controller the table's prizes, and record them with its key."""
        if REKEYED not in live.memory.noted:
            public = self.controller.identity().public_key.hex()
            self.controller.set_prizes(self.place, self._text.decode())
            live.memory.note(REKEYED, {"place": self.place, "public": public})
        self._public_key = bytes.fromhex(live.memory.noted[REKEYED]["public"])

    def kept(self) -> dict[str, Any]:
        return {"public": self._public_key.hex(), "works": self.works}

    def last_round(self, live: LiveTable) -> int:
        return live.memory.ask(
            "status", "last round", lambda: self.controller.panel(self.place).round
        )

    def enter(self, live: LiveTable, placed: Sequence[Placed]) -> Sequence[Placed]:
        """Refuse wagers while the button does not work (16.12; Crown 11.6.4(c))."""
        self._attempts, self._last = {}, None
        if any(wager.bet == self.bet for wager in placed) and not self._is_ready(live):
            raise NotOfferedError(self.bet, "its equipment has failed", self.rules.not_offered)
        return placed

    def _is_ready(self, live: LiveTable) -> bool:
        if not self.works:
            self.works = self._mended(live, None)
        return self.works

    # The button

    def go_on(self, live: LiveTable) -> bool:
        """Offer the button to the next player who has won a press."""
        wager = self._next(live.round)
        if wager is None:
            return False
        box, seat = _seat(live.round, wager)
        place = {"round": live.number, "box": box, "seat": seat}
        place["attempt"] = self._attempts.get((box, wager.key.player), 0)
        try:
            drawn = live.memory.effect(
                "press",
                {"place": self.place, **place},
                lambda: self._drawn(live, wager, place),
                PressResult.as_json,
                PressResult.from_json,
            )
        except DeviceError as failed:
            self._failed(live, failed)
            return True
        live.memory.write("draw", drawn.draw.as_json())
        live.log(f"   draw {drawn.draw.counter}: ${drawn.draw.amount:,} for each $1")
        self._take(live, wager, drawn)
        return True

    def _next(self, round: Round) -> Wager | None:
        """Return the next wager: boxes in order; on each its caller first, then in layout order
        (11.5.5(a))."""
        if self.bet in round.out_of_order:
            return None
        won = waiting(round, self.bet)
        return min(won, key=lambda wager: _seat(round, wager), default=None)

    def _drawn(self, live: LiveTable, wager: Wager, place: dict[str, int]) -> PressResult:
        """Return the result of one press.

        After a restart it is requested again, and a prize already drawn remains valid.
        """
        allowed = Deadline(HAND_SECONDS)
        before = live.memory.noted.get("pressed", {})
        pressed = ButtonPress(wager.key.player)
        if before.get("place") == place:  # answered before the program ended, and drawn since then
            pressed = ButtonPress(before["by"], before["nominated"])
        while not allowed.over:
            self.controller.offer(self.place, wager=self.rules.staked(live.round, wager), **place)
            if self.controller.panel(self.place).offered:
                live.log(f"   the button is offered to {wager.key.player} (box {place['box']})")
                pressed = self.people.press(self.place, wager.key.player)
                said = {"place": place, "by": pressed.by, "nominated": pressed.nominated}
                live.memory.note("pressed", said)
            draw = self._wait(place, allowed)
            if draw is not None:
                check_draw(draw, self._public_key, self._text)
                shown = self._displays()
                return PressResult(draw, pressed, shown.meter, shown.panel)
        raise NotInTimeError(
            f"the button at table {self.place} was not pressed.", "Offer it again."
        )

    def _wait(self, place: dict[str, int], allowed: Deadline) -> Draw | None:
        """Return the draw of the press; None if the offer ended without a draw."""
        while True:
            seconds = allowed.within(GLANCE_SECONDS).seconds
            try:
                return self.controller.wait_for_press(self.place, **place, deadline=seconds)
            except NotInTimeError:
                if allowed.over or not self.controller.panel(self.place).offered:
                    return None

    def _displays(self) -> TablePanel:
        """Return the table's two displays, once both have reported their amounts.

        A meter that stays dark differs from the panel, which decides at Crown (11.6.3). New Zealand
        pays the displayed amount (15A.7), and a dark display has no amount.
        """
        allowed = Deadline(SHOW_SECONDS)
        while True:
            shown = self.controller.panel(self.place)
            if shown.fault == "display-failed":
                if not self.rules.panel_prevails or shown.panel is None:
                    raise InFaultError(
                        f"table {self.place}", shown.fault, shown.detail, kind="controller"
                    )
                return shown
            if None not in (shown.meter, shown.panel) or allowed.over:
                return shown

    def _take(self, live: LiveTable, wager: Wager, shown: PressResult) -> None:
        """Report the press to the engine: as a press, or as a press by the wrong person
        (11.6.1)."""
        key, draw, pressed = wager.key, shown.draw, shown.pressed
        self._last = draw
        seen = [amount for amount in (shown.meter, shown.panel) if amount is not None]
        prize = next((amount for amount in seen if self.prizes.has(amount)), draw.amount)
        entitled = pressed.by == key.player or pressed.nominated
        if entitled or pressed.by in live.table.book.roles:
            live.take(Press(self.bet, key.box, pressed.by, prize))
            self.listen(live)
            if shown.meter is None and shown.panel is not None:
                live.notice(Irregularity("meter-mismatch", bet=self.bet, panel=shown.panel))
            return
        self._attempts[key.box, key.player] = draw.attempt + 1
        misfire = Irregularity("button-misfire", bet=self.bet, box=key.box, player=key.player)
        live.notice(replace(misfire, prize=prize, offered=True))

    # Events of the controller

    def listen(self, live: LiveTable) -> None:
        def look() -> list[Event]:
            self.controller.status()  # all earlier events have arrived with this
            return list(self.controller.heard(self.place))

        try:
            heard = live.memory.look("controller", look)
        except DeviceError as failed:
            self._failed(live, failed)
            return
        for event in heard:
            if isinstance(event, IdlePress):
                self._press_without_offer(live)
            elif isinstance(event, ReadingsDiffer):
                self._readings_differ(live, event)

    def _readings_differ(self, live: LiveTable, said: ReadingsDiffer) -> None:
        """Report that meter and panel show different amounts for the last prize (11.6.3; 15A.7)."""
        live.memory.write(
            "readings", {"drawn": said.drawn, "meter": said.meter, "panel": said.panel}
        )
        if self._last is None or said.counter != self._last.counter or live.round.over:
            return
        meter, panel = said.meter or 0, said.panel or 0
        live.notice(Irregularity("meter-mismatch", bet=self.bet, meter=meter, panel=panel))

    def _press_without_offer(self, live: LiveTable) -> None:
        """Record a press without an offer, which is void (11.5.6, 11.6.2)."""
        live.memory.write("idle-press", {"place": self.place})
        if live.round.over:
            return
        who = live.memory.ask(
            "answer",
            f"who pressed at table {self.place}",
            lambda: self.people.press_without_offer(self.place),
            lambda said: None if said is None else list(said),
            lambda said: None if said is None else (said[0], said[1]),
        )
        if who is not None:
            try:
                live.take(Press(self.bet, who[1], who[0], 0))
                return
            except RefusedError as refused:
                live.log(f"   void: {refused}")
        box = who[1] if who else next(iter(live.round.boxes))
        live.notice(Irregularity("button-misfire", bet=self.bet, box=box))

    # Failures

    def _failed(self, live: LiveTable, failed: DeviceError) -> None:
        """Recover and ask again after a restart; report any other failure to the engine."""
        fault = failed.fault if isinstance(failed, InFaultError) else failed.code
        live.memory.write("controller", {"place": self.place, "fault": fault})
        live.log(f"   controller: {words(fault)}")
        self.works = self._mended(live, fault) if restarted(fault) else False
        if not self.works and not live.round.over and self._hangs_on_it(live.round):
            live.notice(controllers_irregularity(self.bet))

    def _hangs_on_it(self, round: Round) -> bool:
        open_ = any(wager.open and wager.key.bet == self.bet for wager in round.wagers)
        return open_ and self.bet not in round.out_of_order

    def _mended(self, live: LiveTable, fault: str | None) -> bool:
        return live.memory.effect(
            "mend", {"place": self.place}, lambda: self._mend(fault), bool, bool
        )

    def _mend(self, fault: str | None) -> bool:
        """Repair the controller; return whether it works again. An unnamed fault is requested."""
        if fault is None:
            fault = self.controller.panel(self.place).fault or ""
        if not self.people.mend(self.place, fault):
            return False
        try:
            if self.controller.status().fault is not None:
                self.controller.resume()
            if self.controller.panel(self.place).fault is not None:
                self.controller.resume(self.place)
        except DeviceError:
            return False
        return True

    def _prizes(self, live: LiveTable) -> PrizeTable:
        table = live.table
        side: SideWager = table.book.side_wagers[self.bet]
        return side.column(table.offers[self.bet], table.decks, table.pack).prizes


def _seat(round: Round, wager: Wager) -> tuple[int, int]:
    """Return the box, and the player's place on it: place 0 controls the box."""
    mains = [main.player for main in round.boxes[wager.key.box].mains]
    return wager.key.box, mains.index(wager.key.player)
