"""The machine of a live table: cleared, counted, and emptied if no count agrees.

After every fault it is either recovered with a verified count, or locked until it is filled with a
new pack that it has counted itself.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from textwrap import fill, indent

from rich.markup import escape

from cutcard.devices.errors import CommandRefusedError, InFaultError
from cutcard.devices.events import FaultRaised, Recovered
from cutcard.engine.books.cutting import cut_bounds, cutting_card_bounds
from cutcard.engine.cutting import NoCutError
from cutcard.engine.device_faults import ATTEMPTS, COUNT_MISMATCH, LOCK, RECOVER, mapping_of
from cutcard.engine.state import Table
from cutcard.table.display_names import words
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.machine.floor import MISMATCH, Attempt, RecordedFloor
from cutcard.table.replay.replay_log import ReplayLog

LINE = 77  # characters of a sentence that fits a terminal with its margin


class TableMachine:
    """The machine and its cards.

    `reported_outside` is the number of cards outside it, by the device's reports.
    """

    def __init__(
        self,
        device: TableDevice,
        memory: ReplayLog,
        floor: RecordedFloor,
        log: Callable[[str], None],
    ) -> None:
        self.device = device
        self.memory = memory
        self.floor = floor
        self.log = log
        kept = memory.kept.get("machine")
        if kept is None:
            now = device.counts()
            self.locked = False
            self.pack, self.reported_outside, self.boots = now.pack, now.outside, now.boots
            # The fault may be any of its reported ones.
            device.counted = 0 if now.in_fault else now.last_event
        else:
            # The journal of an earlier program has four values, and no count since then.
            self.locked, self.pack, self.reported_outside, self.boots, device.counted = (*kept, 0)[
                :5
            ]

    def kept(self) -> list[int]:
        """Return the state of the machine for the next program, after a settled round."""
        return [self.locked, self.pack, self.reported_outside, self.boots, self.device.counted]

    def raised(self, stopped: InFaultError) -> FaultRaised:
        """Return the fault event behind a refusal, from the events or from the status."""
        if stopped.event is not None:
            return stopped.event
        reported = self.device.reported_fault()
        return reported or FaultRaised(0, stopped.fault, stopped.detail, (), order_known=True)

    def recover(self, fault: str, outside: int, pack: int | None = None) -> bool:
        """Compare a count with the machine's, at most `ATTEMPTS` times; return False if none
        matched.

        `outside` is the first count, and `pack` the cards that belong to the machine now (default:
        all of the table's). A fault without a recovery in the table of device faults ends the
        attempts.
        """
        if mapping_of(fault).then != RECOVER:
            return False
        pack = self.pack if pack is None else pack
        for number in range(1, ATTEMPTS + 1):
            if outside > pack:
                why = f"{outside} cards outside, and the machine has {pack} in all"
                self.log(f"   {why}")
                again, why = self.floor.find_missing, f"{why}."
            else:
                try:
                    return self._recovered(self.device.recover(outside, pack), pack)
                except CommandRefusedError as still:
                    self._log_problem(still)
                    again, why = partial(self.floor.clear, fault), "The machine has not counted."
                except InFaultError as failed:
                    fault = failed.fault
                    self.log(f"   machine: {words(fault)}; counting again")
                    self.memory.write("unverified", {"fault": fault, "said": outside})
                    again, why = self.floor.find_missing, MISMATCH
                    if fault != COUNT_MISMATCH:
                        again, why = partial(self.floor.clear, fault), f"{words(fault)}."
            if number == ATTEMPTS or mapping_of(fault).then != RECOVER:
                return False
            outside = again(self._attempt(number + 1, why))
        return False

    def _attempt(self, number: int, why: str) -> Attempt:
        """Return the next attempt; the last one includes the machine's own number."""
        attempt = Attempt(number, why[:1].upper() + why[1:])
        if attempt.is_last:
            attempt = replace(attempt, expected=self.device.expected_outside())
        return attempt

    def _recovered(self, recovered: Recovered, pack: int) -> bool:
        """Record a verified count; return False if the machine has emptied itself to make it.

        A machine that emptied itself has no pack: people inspect all cards, and fill it again.
        """
        if pack and not recovered.inside and not recovered.outside:
            return False
        count = {"inside": recovered.inside, "outside": recovered.outside}
        self.memory.write("recovered", count)
        self.log(f"   verified: {recovered.inside} inside, {recovered.outside} outside")
        self.reported_outside = recovered.outside
        if recovered.came_out:
            self.log(indent(fill(recovered.next_step, LINE), "   "))
            self.floor.lay_aside(recovered.came_out)
        return True

    def _log_problem(self, stopped: InFaultError | CommandRefusedError) -> None:
        self.log(indent(fill(escape(f"machine: {stopped.problem}"), LINE), "   "))

    def empty(self, fault: str) -> str:
        """Lock the machine, unload it and have the cards inspected; return "missing", "extra",
        "foreign" or "".

        If the rules lock the device, its cards are not requested.
        """
        self.locked = True
        known = mapping_of(fault)
        why = "no count could be verified" if known.then == RECOVER else known.why
        self.memory.write("locked", {"why": why})
        if known.then == LOCK:
            self.log(f"   machine: locked; {why}")
            return ""
        for _ in range(ATTEMPTS):
            try:
                out = self.device.unload()
                break
            except (InFaultError, CommandRefusedError) as stopped:
                self.floor.clear(getattr(stopped, "fault", "jam-on-exit"))
        else:
            return ""
        found = self.floor.inspect(self.pack)
        self.memory.write("unloaded", {"cards": out.cards, "found": found})
        self.log(f"   all out: {out.cards} cards; a physical count finds {found or 'no error'}")
        return found

    def clear_out(self) -> None:
        """Empty a device with contents unknown to this journal.

        A device without a pack may still be in a fault, in which it could not be filled.
        """
        now = self.device.counts()
        self.boots = now.boots
        for _ in range(ATTEMPTS if now.pack or now.in_fault else 0):
            try:
                out = self.device.unload()
            except (InFaultError, CommandRefusedError) as stopped:
                self._log_problem(stopped)
                self.floor.clear(getattr(stopped, "fault", "jam-on-exit"))
            else:
                self.memory.write("unloaded", {"cards": out.cards, "found": ""})
                self.log(f"   all out: {out.cards} cards")
                break
        self.device.leave_behind()

    def renew(self, table: Table) -> None:
        """Fill the machine with a new pack, and prepare a shoe.

        It remains locked without a new pack, or if it stops again.
        """
        if not self.locked or not self.floor.renew(table.decks, table.pack):
            return
        try:
            cards = self.device.fill(table.decks, table.pack).cards
            if self.device.kind == "shoe":
                prepare_shoe(self.device, table)
        except (InFaultError, CommandRefusedError) as stopped:
            self.log(f"   machine: locked; {stopped.problem}")
            return
        self.locked = False
        self.pack, self.reported_outside = cards, 1 if self.device.kind == "shoe" else 0
        self.memory.write("loaded", {"cards": cards})
        self.log(f"   filled anew: {cards} cards, verified")

    def refill(self, discards: int) -> bool:
        """Put the discards of earlier rounds into an empty shoe; return False if it remains empty.

        A round is open: faults are recovered here, because the round cannot continue later.
        """
        outside = self.reported_outside - discards
        if not discards or not self._let_out():
            return False
        for _ in range(ATTEMPTS):
            if not self.floor.riffle(discards):
                return False
            try:
                back = self.device.refill(discards, outside).cards
            except CommandRefusedError as refused:
                self._log_problem(refused)
            except InFaultError as stopped:
                self._log_problem(stopped)
                if not self._mended(self.raised(stopped).fault):
                    return False
            else:
                self.reported_outside = outside
                self.memory.write("refilled", {"cards": back})
                self.log(f"   {back} discards shuffled, cut, and in the shoe")
                return True
        return False

    def _let_out(self) -> bool:
        """Unload a shoe without cards; return False if it remains in a fault."""
        for _ in range(ATTEMPTS):
            try:
                self.device.unload()
            except (InFaultError, CommandRefusedError) as stopped:
                self._log_problem(stopped)
                reported = self.raised(stopped) if isinstance(stopped, InFaultError) else None
                fault = reported.fault if reported else "jam-on-exit"
                if mapping_of(fault).then == LOCK:
                    return False
                self.floor.clear(fault)
            else:
                return True
        return False

    def _mended(self, fault: str) -> bool:
        """Recover an empty machine: it has no pack, so no card is outside."""
        self.floor.clear(fault)
        return self.recover(fault, 0, pack=0)

    def reshuffle(self, table: Table) -> None:
        """Unload the shoe, have all cards shuffled, load them again and prepare the shoe.

        A machine that stops in the meantime is locked, and must be filled like any other.
        """
        try:
            self.device.unload()
            if not self.floor.shuffle(table.decks, table.pack):
                self.locked = True
                self.memory.write("locked", {"why": "the cards were not shuffled"})
                return
            cards = self.device.fill(table.decks, table.pack).cards
            said = prepare_shoe(self.device, table)
        except (InFaultError, CommandRefusedError) as stopped:
            self.locked = True
            self.memory.write("locked", {"why": stopped.problem})
            self.log(f"   machine: locked; {stopped.problem}")
            return
        self.pack, self.reported_outside = cards, 1
        self.memory.write("shuffled", {"cards": cards})
        self.log(f"   {cards} cards shuffled, {said}")


def refuses_cutting_card(table: Table) -> str:
    """Return why the machine of this table takes no cutting card, with the rule; else ""."""
    try:
        cut_bounds(table.book.name, table.decks, table.pack, shuffler=table.shuffler)
    except NoCutError as refused:
        return str(refused) if refused.rules else ""
    return ""


def prepare_shoe(shoe: TableDevice, table: Table) -> str:
    """Cut the stack, place the cutting card within the rulebook's bounds, burn a card; describe
    it."""
    book, size = table.book.name, (table.decks, table.pack)
    done = []
    with suppress(NoCutError):
        cut = cut_bounds(book, *size, shuffler=table.shuffler)
        shoe.cut((cut.low + cut.high) // 2, cut.low, cut.high)
        done.append("cut")
    with suppress(NoCutError):
        stays = cutting_card_bounds(book, *size, shuffler=table.shuffler)
        shoe.place(stays.low, stays.low, stays.high)
        done.append("cutting card placed")
    shoe.burn()
    return ", ".join([*done, "one card burned"])
