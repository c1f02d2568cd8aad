"""Open the devices of a table with its log, so that no event is lost.

A bench continues when the program is killed, as a machine on a table would. It ends with the
table's last round; `switch_off` ends the bench of an abandoned table.
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
    started: bool = False  # by this program; else it ran before

    def not_needed(self) -> None:
        """End a bench started for a table that cannot be opened."""
        if self.bench is not None and self.started:
            self.bench.end()


@contextmanager
def at(port: str, home: Path, *, seed: int | None, decks: str = "0") -> Iterator[ReachedDevice]:
    """Provide the port of the device; for a bench, the one of this folder, which continues to
    run."""
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
        bench.close()  # it continues for a later program of the table
        raise
    bench.end()


def has_stayed(folder: Path) -> bool:
    """Whether a bench of this table runs."""
    benches = [Bench.found(folder / role) for role in ROLES]
    for bench in filter(None, benches):
        bench.close()
    return any(benches)


def switch_off(folder: Path) -> list[str]:
    """End the benches that a table has left in its folder; return their machines."""
    ended = []
    for role in ROLES:
        bench = Bench.found(folder / role)
        if bench is not None:
            bench.end()
            ended.append(bench.machine)
    return ended


@dataclass(frozen=True, slots=True)
class DeviceOpener:
    """Open the devices of a table, and check that each is the device of its journal.

    Another device, or one that differs, becomes the table's if a manager acknowledges it.
    """

    memory: ReplayLog
    seed: int | None
    manager: Manager | None  # the manager who acknowledges a different or exchanged machine

    @contextmanager
    def cards(self, reached: ReachedDevice, shuffler: str) -> Iterator[CardMachine]:
        """Open the machine that deals, which has witnessed the journal."""
        kind: type[Shuffler] | type[Shoe] = Shoe if shuffler == "shoe" else Shuffler

        def opened() -> CardMachine:
            device = self._opened(kind, reached, CARDS, self.seed)
            try:
                machine = TableDevice(device, self.memory)
                machine.check_witness()
                if CARDS in self.memory.changed:
                    machine.keep_statement()  # about the past with which it joins
            except BaseException:
                device.close()
                raise
            return device

        with self._met(opened, CARDS) as device:
            try:
                yield device
            except JournalFailedError:
                device.fall_silent()  # this program cannot write: no card that it called may leave
                raise

    @contextmanager
    def controller(self, reached: ReachedDevice) -> Iterator[Controller]:
        """Open the jackpot controller."""
        luck = None if self.seed is None else self.seed + 1  # other noise than the cards'

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
    "After an investigation, a manager can acknowledge it: "
    "--acknowledge 'NAME, TITLE' --because REASON."
)
_BEGINS_ANEW = {
    CARDS: "The machine is then emptied, and filled with a pack that it counts.",
    CONTROLLER: "The controller then gets the table's prizes again.",
}
