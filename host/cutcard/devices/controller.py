"""The driver of a jackpot controller.

with Controller.open("bench:controller-4") as controller:
    controller.set_prizes(1, "1 1000\\n10 100\\n")
    controller.offer(1, round=17, box=3, wager=500)
    print(controller.wait_for_press(1, round=17, box=3).amount)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import AT_ONE_TABLE, HAND_SECONDS, TALK_SECONDS, Device, E
from cutcard.devices.errors import BadArgumentError, InFaultError
from cutcard.devices.events import (
    Event,
    FaultRaised,
    IdlePress,
    NewIdentity,
    PrizeDrawn,
    ReadingsDiffer,
    Resumed,
)
from cutcard.faults import fault_name
from cutcard.prizes.draw import Draw
from cutcard.prizes.tables import MOST_TEXT
from cutcard_firmware.core.schema import messages

DRAW_SECONDS = 10.0  # for a draw and its signature: a board may take more than a second


@dataclass(frozen=True, slots=True)
class Identity:
    """The data that verifies this controller's draws: its public key, and the number of draws."""

    public_key: bytes
    tables: int
    draws: int
    chain: bytes  # hash of the last record


@dataclass(frozen=True, slots=True)
class TablePanel:
    """The state of one table at its controller. An amount of None: the display is dark."""

    fault: str | None
    detail: int
    offered: bool
    round: int
    box: int  # of the offer, as are seat, attempt and wager
    seat: int
    attempt: int
    wager: int
    prizes: int  # number of prizes to draw from; 0: not set
    digest: bytes  # SHA-256 of the text of the prizes
    shown: int  # counter of the displayed draw; 0: none
    drawn: int | None
    meter: int | None
    panel: int | None


class Controller(Device):
    """Draw one of a table's prizes for each press, and sign the draw.

    A press has a table (1 to 4), a round (numbered upwards), a box, the player's seat on the box
    (`seat`, 0 for the player who controls it), and a wager in cents. A repeated press returns the
    same prize. If a ruling orders another press, it has the next `attempt`.
    """

    KIND = "controller"

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._offered_after: dict[int, int] = {}  # by table: the last event before its offer

    # Identity and state

    def identity(self, deadline: float = TALK_SECONDS) -> Identity:
        """Return its public key, and the number of draws under it."""
        found = self._connection.ask("signer", deadline=Deadline(deadline))
        return Identity(found["public"], found["tables"], found["draws"], found["chain"])

    def panel(self, table: int, deadline: float = TALK_SECONDS) -> TablePanel:
        """Return the state of one table: prizes, offer, fault, and displayed amounts."""
        found = self._connection.ask("panel", table, deadline=Deadline(deadline))
        found["fault"] = fault_name(found["fault"]) if found["fault"] else None
        found["offered"] = bool(found["offered"])
        for name in ("drawn", "meter", "panel"):
            found[name] = None if found[name] == messages.BLANK else found[name]
        return TablePanel(**found)

    def draws(self, deadline: float = TALK_SECONDS) -> list[Draw]:
        """Return the draws of the rounds in progress, oldest first; older ones are in the
        journal."""
        allowed = Deadline(deadline)
        kept: list[Draw] = []
        while True:
            found = self._connection.ask("draws", len(kept), deadline=allowed)
            if not found["draw"]:
                return kept
            kept.append(Draw.unpacked(found["draw"]))

    def heard(self, table: int) -> Iterator[IdlePress | ReadingsDiffer]:
        """Yield the events about one table; events of other tables remain queued."""
        while True:
            event = self._connection.next_event(
                Deadline(0),
                lambda e: isinstance(e, IdlePress | ReadingsDiffer) and e.table == table,
            )
            if not isinstance(event, IdlePress | ReadingsDiffer):
                return
            yield event

    # Setting up

    def set_prizes(self, table: int, text: str, deadline: float = TALK_SECONDS) -> None:
        """Set the table's prizes, one line each: number of prizes, a space, amount.

        Raises BadArgumentError if the text is too long for a frame.
        """
        written = text.encode()
        if len(written) > MOST_TEXT:
            raise BadArgumentError(
                f"{self.port.text}: prizes: a table of prizes has at most {MOST_TEXT} bytes, and "
                f"this one has {len(written)}.",
                "Write each amount once, with the number of all its prizes. The command was not "
                "sent.",
            )
        self._connection.command("prizes", table, written, deadline=Deadline(deadline))

    # Drawing

    def offer(
        self,
        table: int,
        round: int,
        box: int,
        wager: int,
        seat: int = 0,
        attempt: int = 0,
        deadline: float = TALK_SECONDS,
    ) -> None:
        """Light the button, so that the next press draws for this wager. Return immediately."""
        before = self._before("button", Deadline(deadline))
        self._offered_after[table] = before
        self._connection.command(
            "button",
            *(table, round, box, seat, attempt, wager),
            deadline=Deadline(deadline),
            after=before,
        )

    def wait_for_press(
        self,
        table: int,
        round: int,
        box: int,
        seat: int = 0,
        attempt: int = 0,
        deadline: float = HAND_SECONDS,
    ) -> Draw:
        """Wait for the press of a button on offer, and return its draw.

        Raises InFaultError if a fault of the table or of the controller is latched and no prize was
        drawn before it, and NotInTimeError if the button is not pressed.
        """
        allowed = Deadline(deadline)
        wanted = ("prize", table, round, box, seat, attempt)
        now = self.status(allowed.within(TALK_SECONDS).seconds)
        offered_after = self._offered_after.setdefault(table, now.last_event)
        if not self._connection.has_event(_draw_or_fault(wanted, 0, offered_after)):
            self._refuse_in_fault(now, "press")
            panel = self.panel(table, allowed.within(TALK_SECONDS).seconds)
            if panel.fault is not None:
                raise InFaultError(
                    f"{self.port.text}: press", panel.fault, panel.detail, kind=self.KIND
                )
        return self._drawn("press", wanted, allowed, 0, offered_after)

    def withdraw(self, table: int, deadline: float = TALK_SECONDS) -> None:
        """Withdraw the offer of the button."""
        self._connection.command("withdraw", table, deadline=Deadline(deadline))

    def press(
        self,
        table: int,
        round: int,
        box: int,
        wager: int,
        seat: int = 0,
        attempt: int = 0,
        deadline: float = DRAW_SECONDS,
    ) -> Draw:
        """Draw without a press, as staff does if all players decline; or return the existing
        draw."""
        wanted = ("prize", table, round, box, seat, attempt)
        return self._command_draw(
            "press", wanted, (table, round, box, seat, attempt, wager), deadline
        )

    def select(
        self,
        table: int,
        round: int,
        among: int,
        digest: bytes,
        attempt: int = 0,
        deadline: float = DRAW_SECONDS,
    ) -> Draw:
        """Draw one of the `among` wagers of a list; `prize` is its place.

        `digest` is the SHA-256 of the list.
        """
        wanted = ("selection", table, round, 0, 0, attempt)
        return self._command_draw(
            "select", wanted, (table, round, attempt, among, digest), deadline
        )

    # Recovery

    def resume(self, table: int = 0, deadline: float = TALK_SECONDS) -> Resumed:
        """End a fault after its cause was removed: of one table, or (0) of the controller."""
        allowed = Deadline(deadline)
        before = self._before("resume", allowed)
        self._connection.command("resume", table, deadline=allowed, after=before)
        return self._since(before, Resumed, allowed)

    def renew(self, deadline: float = DRAW_SECONDS) -> NewIdentity:
        """Make a new key after the state was lost; verifiers of draws need its public key."""
        allowed = Deadline(deadline)
        before = self._last_event(allowed)
        self._connection.command("renew", deadline=allowed)
        return self._since(before, NewIdentity, allowed)

    # Implementation

    def _last_event(self, deadline: Deadline) -> int:
        return self.status(deadline.within(TALK_SECONDS).seconds).last_event

    def _command_draw(
        self,
        name: str,
        wanted: tuple[object, ...],
        arguments: tuple[int | bytes, ...],
        deadline: float,
    ) -> Draw:
        allowed = Deadline(deadline)
        before = self._before(name, allowed)
        self._connection.command(name, *arguments, deadline=allowed, after=before)
        return self._drawn(name, wanted, allowed, before, before)

    def _drawn(
        self,
        name: str,
        wanted: tuple[object, ...],
        deadline: Deadline,
        after: int,
        faults_after: int,
    ) -> Draw:
        is_it = _draw_or_fault(wanted, after, faults_after)
        event = self._next(is_it, deadline, "PrizeDrawn")
        if isinstance(event, FaultRaised):
            where = f"{self.port.text}: {name}"
            raise InFaultError(where, event.fault, event.detail, event, kind=self.KIND)
        assert isinstance(event, PrizeDrawn)
        return event.draw

    def _since(self, before: int, kind: type[E], deadline: Deadline) -> E:
        event = self._next(
            lambda e: isinstance(e, kind) and e.number > before, deadline, kind.__name__
        )
        assert isinstance(event, kind)
        return event

    def _next(self, is_it: Callable[[Event], bool], deadline: Deadline, what: str) -> Event:
        event = self._connection.next_event(deadline, is_it)
        if event is None:
            raise self._not_in_time(what, deadline.seconds)
        return event


def _draw_or_fault(
    wanted: tuple[object, ...], after: int, faults_after: int
) -> Callable[[Event], bool]:
    """Return a test for the wanted draw, or for a fault that prevents the table's draw."""

    def is_it(event: Event) -> bool:
        if isinstance(event, PrizeDrawn) and event.number > after:
            draw = event.draw
            place = (draw.kind, draw.table, draw.round, draw.box, draw.seat, draw.attempt)
            return place == wanted
        if isinstance(event, FaultRaised) and event.number > faults_after:
            return event.fault not in AT_ONE_TABLE or event.detail & 0xFF == wanted[1]
        return False

    return is_it
