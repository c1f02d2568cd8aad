"""`cutcard device PORT recover`: a person counts the cards outside, independently of the machine.

At most three counts are compared. The number that the machine expects is shown only before the last
one. The attempts at one fault are counted over several commands, in a file next to the key of the
device.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from cutcard import private_files, untrusted
from cutcard.devices import DeviceError, InFaultError, KeyStore, Recovered, Shoe, Shuffler, Status
from cutcard.devices.hints import cards_in_words
from cutcard.engine.device_faults import ATTEMPTS, COUNT_MISMATCH
from cutcard.progress import working
from cutcard.table.machine.floor import MISMATCH, Attempt
from cutcard.untrusted import KIBIBYTE

QUESTION = "Cards that are not in the machine (table, tray, hand)"


class CountsFailedError(DeviceError):
    """Raised when all attempts have failed: only unloading remains."""


@dataclass(frozen=True, slots=True)
class FailedAttempts:
    """The failed attempts at one fault so far.

    `command` is the number of the device's last command: a later command means that another host
    has used the device, and the attempts are over.
    """

    command: int
    attempts: int = 0
    came_out: int = 0


class Attempts:
    """The attempts to recover from the fault that a machine is in."""

    def __init__(self, machine: Shuffler | Shoe) -> None:
        self.machine = machine
        own = machine.port.key is not None  # of a port that starts its own device
        self._file = None if own else KeyStore().folder / f"{machine.serial}.counts"
        self.failed = self._read(machine.status())

    def next(self) -> Attempt:
        """Return the next attempt. Raises CountsFailedError after the last one."""
        if self.failed.attempts >= ATTEMPTS:
            raise CountsFailedError(
                f"{self.machine.port.text}: {ATTEMPTS} counts have failed.",
                "Find the cause, call `unload`, count all cards by hand, and load the machine "
                "again.",
            )
        attempt = Attempt(self.failed.attempts + 1, MISMATCH if self.failed.attempts else "")
        if attempt.is_last:
            attempt = replace(attempt, expected=self.machine.status().expected_outside)
        return attempt

    def compare(self, outside: int) -> Recovered:
        """Compare one count. Raises InFaultError, or CountsFailedError after the last one."""
        self.next()
        try:
            with working("counting"):  # without numbers: a person may have to count again
                found = self.machine.recover(outside)
        except InFaultError as failed:
            if failed.event is not None:  # else the machine refused, and has not counted
                self._write(failed)
                self._explain(failed)
            raise
        earlier = self._earlier
        self._forget()
        return replace(found, came_out=(found.came_out or 0) + earlier)

    def _explain(self, failed: InFaultError) -> None:
        """Name the next attempt in the error. Raises CountsFailedError if there are no more."""
        if failed.fault == COUNT_MISMATCH:
            failed.problem = f"{self.machine.port.text}: {self.next()}"
        else:
            failed.problem += f" {replace(self.next(), why='')}"
        if failed.came_out:
            failed.problem += f" {came_out(failed.came_out)}"

    def ask(self, number: Callable[[str], int], say: Callable[[str], object]) -> Recovered:
        """Ask a person for counts until one matches. Raises CountsFailedError after the last."""
        while True:
            say(str(self.next()))
            try:
                return self.compare(number(QUESTION))
            except InFaultError as failed:
                if failed.fault != COUNT_MISMATCH:
                    raise
                if failed.came_out:
                    say(came_out(failed.came_out))

    # The record of attempts

    def _read(self, now: Status) -> FailedAttempts:
        self._earlier = 0  # cards that came out in attempts of earlier commands
        if self._file is not None:
            with suppress(OSError, ValueError, TypeError):  # no file, or an invalid one
                found = FailedAttempts(
                    **untrusted.json_from(untrusted.content(self._file, KIBIBYTE))
                )
                if found.command == now.last_command and now.fault is not None:
                    self._earlier = found.came_out
                    return found
        return FailedAttempts(now.last_command)

    def _write(self, failed: InFaultError) -> None:
        before = self.failed
        self.failed = FailedAttempts(
            self.machine.status().last_command,
            before.attempts + 1,
            before.came_out + failed.came_out,
        )
        if self._file is not None:
            private_files.make_folder(self._file.parent)
            private_files.replace(self._file, json.dumps(asdict(self.failed)))

    def _forget(self) -> None:
        if self._file is not None:
            self._file.unlink(missing_ok=True)


def came_out(cards: int) -> str:
    return f"{cards_in_words(cards)} came out while the machine counted: count them, too."
