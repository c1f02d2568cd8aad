"""The devices of a table, opened with the log of its memory: nothing is lost that they tell.

A bench stays when the program is killed, as a machine on a table would. It ends with the table's
last round; that of a table which nobody goes on with is ended by `switch_off`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeVar

from cutcard.bench.client import Bench
from cutcard.devices.controller import Controller
from cutcard.devices.device import Device
from cutcard.devices.errors import OutOfStepError, StateLostError
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.journal import JournalFailedError
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.people.manager import Manager
from cutcard.table.plan.jackpot_plan import is_bench
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import (
    CARDS,
    CONTROLLER,
    CannotResumeError,
    DeviceExchangedError,
    WitnessDiffersError,
)

CardMachine = Shuffler | Shoe
ROLES = (CARDS, CONTROLLER)
D = TypeVar("D", bound=Device)


@dataclass(frozen=True, slots=True)
class ReachedDevice:
    """The port of a device; for a bench also its key and the bench itself."""

    port: str
    key: bytes | None = None
    bench: Bench | None = None
    started: bool = False  # by this program; else it was there before

    def not_needed(self) -> None:
        """The table cannot be opened: what was started for it ends, and nobody has to look for
        it."""
        if self.bench is not None and self.started:
            self.bench.end()


@contextmanager
def at(port: str, home: Path, *, seed: int | None, decks: str = "0") -> Iterator[ReachedDevice]:
    """Where the device is reached; for a bench, the one of this folder, which stays."""
    if not is_bench(port):
        yield ReachedDevice(port)
        return
    fresh = not home.exists()
    machine = port.removeprefix("bench:")
    there = Bench.found(home)
    bench = there or Bench.staying(
        machine, home, seed=seed if fresh else None, decks=decks if fresh else 0
    )
    try:
        yield ReachedDevice(bench.port, bench.key, bench, started=there is None)
    except BaseException:
        bench.close()  # it stays, for whoever goes on with the table
        raise
    bench.end()


def has_stayed(folder: Path) -> bool:
    """Whether a bench of this table runs."""
    benches = [Bench.found(folder / role) for role in ROLES]
    for bench in filter(None, benches):
        bench.close()
    return any(benches)


def switch_off(folder: Path) -> list[str]:
    """End the benches that a table has left in its folder; returns the machines they were."""
    ended = []
    for role in ROLES:
        bench = Bench.found(folder / role)
        if bench is not None:
            bench.end()
            ended.append(bench.machine)
    return ended


@dataclass(frozen=True, slots=True)
class DeviceOpener:
    """Opens the devices of a table, and checks that each is the one of its journal.

    Another one, or one that differs, becomes the table's if a manager answers for it.
    """

    memory: ReplayLog
    seed: int | None
    manager: Manager | None  # who answers for a machine that differs, or is another one

    @contextmanager
    def cards(self, reached: ReachedDevice, shuffler: str) -> Iterator[CardMachine]:
        """The machine that deals, which has witnessed the journal."""
        kind: type[Shuffler] | type[Shoe] = Shoe if shuffler == "shoe" else Shuffler

        def opened() -> CardMachine:
            device = self._opened(kind, reached, CARDS, self.seed)
            try:
                machine = TableDevice(device, self.memory)
                machine.check_witness()
                if CARDS in self.memory.changed:
                    machine.keep_statement()  # of the past with which it comes
            except BaseException:
                device.close()
                raise
            return device

        with self._met(opened, CARDS) as device:
            try:
                yield device
            except JournalFailedError:
                device.fall_silent()  # this program cannot write: no card leaves that it called for
                raise

    @contextmanager
    def controller(self, reached: ReachedDevice) -> Iterator[Controller]:
        """The jackpot controller."""
        luck = None if self.seed is None else self.seed + 1  # another noise than the cards

        def opened() -> Controller:
            return self._opened(Controller, reached, CONTROLLER, luck)

        with self._met(opened, CONTROLLER) as device:
            yield device

    def _opened(self, kind: type[D], reached: ReachedDevice, role: str, seed: int | None) -> D:
        log = self.memory.log(role)
        if seed is None:
            return kind.open(reached.port, key=reached.key, log=log)
        return kind.open(reached.port, key=reached.key, log=log, randomness=Random(seed).randbytes)

    def _met(self, open: Callable[[], D], role: str) -> D:
        try:
            return open()
        except DeviceExchangedError as other:
            if self.manager is None:
                raise DeviceExchangedError(role, other.known, other.found, _ANSWER) from other
            self.memory.exchange(role, other, self.manager)
        except (WitnessDiffersError, OutOfStepError, StateLostError) as differs:
            if self.manager is None:
                raise CannotResumeError(f"{differs}\n{_ANSWER} {_BEGINS_ANEW[role]}") from differs
            self.memory.acknowledge(role, self.manager, str(differs))
        return open()


_ANSWER = (
    "A manager who has looked into it can answer for it: "
    "--acknowledge 'NAME, TITLE' --because REASON."
)
_BEGINS_ANEW = {
    CARDS: "The machine is then emptied, and filled with a pack that it counts.",
    CONTROLLER: "The controller then gets the table's prizes anew.",
}
