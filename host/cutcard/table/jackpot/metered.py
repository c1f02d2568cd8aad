"""A jackpot wager for prize meters at a live table (Crown 21 and 24).

Wagers are entered before the first card; the controller may pick one of them. When the initial deal
is complete, the outcome is recorded, which is the time of settlement: the engine gets the meters'
records, and must compute the same prizes.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

from cutcard.devices.controller import Controller
from cutcard.devices.errors import DeviceError
from cutcard.engine.device_faults import controllers_irregularity
from cutcard.engine.events import Metered
from cutcard.engine.ledger import net
from cutcard.engine.side_betting import pay_table, sight
from cutcard.engine.side_wagers.decide import decide
from cutcard.engine.state import Phase, Placed, Round
from cutcard.meters import MeterError, Meters
from cutcard.meters.errors import DatabaseBusyError, DatabaseUnreachableError
from cutcard.meters.ledger import Receipt
from cutcard.prizes.draw import Draw
from cutcard.table.jackpot.interface import Jackpot, NotOfferedError, check_draw
from cutcard.table.replay.replay_log import REKEYED

if TYPE_CHECKING:
    from cutcard.table.play.live import LiveTable

T = TypeVar("T")
NOT_SETTLED = (Phase.INITIAL_DEAL, Phase.BEFORE_INTERIM)
PATIENCE = 3  # requests to a meter without an answer
SILENT = (DatabaseUnreachableError, DatabaseBusyError)


class MetersDisagreeError(Exception):
    """Raised when engine and meters compute different prizes: stop, and check the journal."""


class MetersSilentError(Exception):
    """Raised when the meters do not answer during a round: the table ends, and resumes there."""


@dataclass(frozen=True, slots=True)
class WagerPicker:
    """A controller that picks wagers at one table, each with a chance of 1 in `one_in`."""

    controller: Controller
    place: int
    one_in: int

    def pick(self, table: str, round: int, boxes: Sequence[int]) -> tuple[Draw, str]:
        """Pick a wager; return the draw, and its list (wagers first, then blanks)."""
        among = max(self.one_in, len(boxes))
        listed = "".join(f"{table}/{round}/{box}\n" for box in boxes)
        text = f"{listed}{among - len(boxes)} blank\n"
        digest = sha256(text.encode()).digest()
        draw = self.controller.select(self.place, round, among, digest)
        check_draw(draw, self.controller.identity().public_key, text.encode())
        return draw, text


class JackpotMeter(Jackpot):
    """Blackjack Jackpots or Supernova at a table that plays for a prize meter system.

    `managers` has the Personal Bet Manager of each player; Supernova has none. `mend` is called if
    the meters do not answer during a round, before the request is repeated.
    """

    def __init__(
        self,
        meters: Meters,
        table: str,
        bet: str,
        managers: Mapping[str, str] | None = None,
        picks: WagerPicker | None = None,
        mend: Callable[[], None] = lambda: None,
    ) -> None:
        self.meters = meters
        self.table = table
        self.bet = bet
        self.managers = managers or {}
        self.picks = picks
        self.mend = mend
        self._picked: Receipt | None = None
        self._recorded: Receipt | None = None
        self._given_back: dict[int, int] = {}
        self._failure_known = False
        # a wager of this round: any wagers waiting there are this table's
        self._has_entered = False
        # distinguishes this table from other programs at the meters
        self._journal: str | None = None
        self._left: list[int] = []  # rounds that did not begin, with wagers still entered

    def seeds(self) -> dict[str, int]:
        """The initial values of the meters for the table's sign, in cents."""
        _, standings = self.meters.system_of(self.table)
        return {name: int(now.seed) for name, now in standings.items()}

    def opened(self, live: LiveTable, kept: Mapping[str, Any] | None) -> None:
        """Write the controller's public key to the journal, which verifies its picks."""
        if kept is not None:
            self._left = list(kept.get("left", ()))
            self._journal = kept.get("journal")
        else:
            self._journal = live.memory.ask("status", "journal", lambda: secrets.token_hex(8))
        if self.picks is not None and kept is None:
            controller, place = self.picks.controller, self.picks.place
            public = live.memory.ask(
                "status", "public key", lambda: controller.identity().public_key.hex()
            )
            live.memory.write("key", {"place": place, "public": public})

    def kept(self) -> dict[str, Any]:
        return {"left": list(self._left), "journal": self._journal}

    def met_another(self, live: LiveTable) -> None:
        if self.picks is not None and REKEYED not in live.memory.noted:
            public = self.picks.controller.identity().public_key.hex()
            live.memory.note(REKEYED, {"place": self.picks.place, "public": public})

    def last_round(self, live: LiveTable) -> int:
        def ask() -> int:
            picked = self.picks.controller.panel(self.picks.place).round if self.picks else 0
            return max(picked, self.meters.last_round(self.table))

        return live.memory.ask("status", "last round", ask)

    # Before the first card

    def enter(self, live: LiveTable, placed: Sequence[Placed]) -> Sequence[Placed]:
        """Record every jackpot wager, or none of them and return them all (21.7, 24.6, 21.11.1)."""
        self._picked = self._recorded = None
        self._given_back = {}
        self._failure_known = self._has_entered = False
        self.refused_box = None
        mine = {wager.box: wager for wager in placed if wager.bet == self.bet}
        if not mine:
            return placed
        try:
            self._void_leftover_wagers(live)
            for box, wager in mine.items():
                enter = partial(
                    self.meters.wager,
                    self.table,
                    live.number,
                    box,
                    self.managers.get(wager.player),
                    cents=wager.amount,
                    journal=self._journal,
                )
                self.refused_box = box
                self._ask(live, "wager", enter, is_handled=True, box=box, cents=wager.amount)
                self._has_entered = True
            self.refused_box = None
            picked = self._pick(live, sorted(mine))
        except (MeterError, DeviceError) as failed:
            if self._has_entered or isinstance(
                failed, SILENT
            ):  # otherwise the entry is another program's
                self._left.append(live.number)
            with suppress(*SILENT):  # otherwise they are returned before the next wager is entered
                self._void_leftover_wagers(live)
            if isinstance(failed, DeviceError | DatabaseUnreachableError | DatabaseBusyError):
                self.refused_box = None
                rules = live.table.book.side_wagers[self.bet].meter_rules["failed"]
                raise NotOfferedError(self.bet, str(failed), rules) from failed
            raise
        if picked is None:
            return placed
        pick = partial(self.meters.pick, self.table, live.number, picked)
        self._picked = self._ask(live, "pick", pick, box=picked)
        return [replace(w, picked=True) if w is mine[picked] else w for w in placed]

    def _void_leftover_wagers(self, live: LiveTable) -> None:
        """Void the wagers of rounds that did not begin, if the meters could not return them
        then."""
        for number in tuple(self._left):
            if self._waiting(live, number, is_handled=True):
                self._void(live, number, is_handled=True)
            self._left.remove(number)

    def _pick(self, live: LiveTable, boxes: list[int]) -> int | None:
        if self.picks is None:
            return None
        draw, text = live.memory.effect(
            "select",
            {"place": self.picks.place, "round": live.number, "boxes": boxes},
            partial(self.picks.pick, self.table, live.number, boxes),
            lambda picked: {"draw": picked[0].as_json(), "list": picked[1]},
            lambda said: (Draw.from_json(said["draw"]), said["list"]),
        )
        live.memory.write("draw", {**draw.as_json(), "list": text})
        if draw.prize > len(boxes):
            return None
        live.log(f"   the jackpot system picks box {boxes[draw.prize - 1]}")
        return boxes[draw.prize - 1]

    def began(self, live: LiveTable) -> None:
        """Give the engine the meters' amounts at the time of a Mystery Jackpot's pick."""
        if self._picked is not None:
            self._apply_meters(live, self._picked.metered)

    # During the round

    def listen(self, live: LiveTable) -> None:
        """Handle a controller that failed during a round: its records remain valid (21.11.1(a))."""
        if self.picks is None or self._failure_known or not _open_wagers(live.round, self.bet):
            return
        controller = self.picks.controller

        def look() -> str | None:
            try:
                return controller.status().fault
            except DeviceError as failed:
                return failed.code

        fault = live.memory.notice("controller", look)
        if fault is not None:
            self._failed(live, fault)

    def is_due(self, before: Round, after: Round) -> bool:
        """Return whether the interim settlement is next: meters pay there."""
        return (
            self._recorded is None
            and _open_wagers(before, self.bet)
            and before.phase in NOT_SETTLED
            and after.phase not in (*NOT_SETTLED, Phase.VOID)
        )

    def settle(self, live: LiveTable) -> None:
        """Record the outcome and read the meters; repeat requests without an answer."""
        self._give_back_retracted(live)
        hands = _winning_hands(live.round, self.bet)
        for tries in range(PATIENCE):
            settle = partial(self.meters.settle, self.table, live.number, hands)
            by_box = {str(box): hand for box, hand in hands.items()}
            try:
                self._recorded = self._ask(
                    live, "settle", settle, is_handled=tries < PATIENCE - 1, hands=by_box
                )
                break
            except SILENT as failed:
                if not self._failure_known:
                    self._failed(live, failed.code)
                self.mend()
            except MeterError as refused:
                raise MetersDisagreeError(
                    f"round {live.number}: the meters do not record its outcome: {refused}"
                ) from refused
        assert self._recorded is not None
        read = dict(self._recorded.metered)
        if self._picked is not None:  # the pick was paid from the amounts recorded then
            mystery = self._picked.metered.get("supernova-mystery")
            read |= {"supernova-mystery": mystery} if mystery is not None else {}
        self._apply_meters(live, read)

    def settled(self, live: LiveTable) -> None:
        """Check that engine and meters agree on the money of every wager.

        This includes void rounds in which a wager was settled before (21.11.2).
        """
        if self._recorded is None:
            if self._has_entered and self._waiting(live):
                self._void(live, live.number)
            return
        for wager in live.round.wagers:
            if wager.key.bet != self.bet:
                continue
            credited = self._given_back.get(wager.key.box, 0)
            credited += self._recorded.credited(wager.key.box)
            credited += self._picked.credited(wager.key.box) if self._picked else 0
            paid = net(live.round.postings, wager.key) + wager.amount
            if paid != credited:
                raise MetersDisagreeError(
                    f"box {wager.key.box}: the engine pays {paid} cents, the meters {credited}"
                )

    def _give_back_retracted(self, live: LiveTable) -> None:
        """Return wagers that were entered too late and withdrawn by their owners (21.11.3,
        24.10.3)."""
        lie = {w.key.box for w in live.round.wagers if w.open and w.key.bet == self.bet}
        for box in self._waiting(live):
            if box not in lie:
                retract = partial(self.meters.retract, self.table, live.number, box)
                receipt = self._ask(live, "retract", retract, box=box)
                self._given_back[box] = receipt.credited(box)

    # Requests to the meters: each is on the disk before it is sent, and may be repeated

    def _ask(
        self,
        live: LiveTable,
        what: str,
        ask: Callable[[], T],
        write: Callable[[T], Any] | None = None,
        read: Callable[[Any], T] | None = None,
        *,
        is_handled: bool = False,
        round: int = 0,
        **key: Any,
    ) -> T:
        """Send a request to the meters.

        `is_handled`: the caller continues without an answer. Otherwise the table ends, and the next
        program repeats the request.
        """
        asked = {"do": what, "round": round or live.number, **key}
        no_answer = () if is_handled else SILENT
        try:
            return live.memory.effect("meter", asked, ask, write, read, no_answer=no_answer)
        except SILENT as failed:
            if is_handled:
                raise
            raise MetersSilentError(
                f"the meters of table {self.table} do not respond: {failed} Round "
                f"{live.number} waits for them: repair the connection first."
            ) from failed

    def _void(self, live: LiveTable, number: int, *, is_handled: bool = False) -> None:
        void = partial(self.meters.void, self.table, number)
        self._ask(live, "void", void, is_handled=is_handled, round=number)

    def _waiting(
        self, live: LiveTable, number: int = 0, *, is_handled: bool = False
    ) -> dict[int, int]:
        """Return the unsettled wagers of the round, in cents, as they were then."""
        number = number or live.number
        return self._ask(
            live,
            "waiting",
            partial(self.meters.waiting, self.table, number),
            lambda found: {str(box): cents for box, cents in found.items()},
            lambda said: {int(box): cents for box, cents in said.items()},
            is_handled=is_handled,
            round=number,
        )

    def _apply_meters(self, live: LiveTable, meters: Mapping[str, Fraction]) -> None:
        for meter, cents in meters.items():
            live.take(Metered(meter, ceil(cents)))

    def _failed(self, live: LiveTable, fault: str) -> None:
        self._failure_known = True
        live.memory.write("controller", {"fault": fault, "bet": self.bet})
        live.notice(controllers_irregularity(self.bet))
        try:
            recorded = self._waiting(live, is_handled=True)
        except MeterError:
            return
        live.memory.write("confirmed", {str(box): cents for box, cents in recorded.items()})


def _open_wagers(round: Round, bet: str) -> bool:
    return not round.over and any(w.open and w.key.bet == bet for w in round.wagers)


def _winning_hands(round: Round, bet: str) -> dict[int, str]:
    hands: dict[int, str] = {}
    for wager in round.wagers:
        if wager.key.bet == bet and wager.open:
            outcome = decide(bet, pay_table(round, wager), sight(round, wager))
            if outcome is not None and outcome.wins:
                hands[wager.key.box] = outcome.hand
    return hands
