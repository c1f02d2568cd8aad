"""What a host that must lose nothing keeps of a device: commands before they are sent, and events.

A table that was killed opens its device again with the same log. A command whose outcome is not in
it is sent once more under its old number: the device carries out each number once.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cutcard.devices.events import Event
from cutcard.devices.handshake import Welcome


@dataclass(frozen=True, slots=True)
class Intent:
    """A command that is about to be sent: its number, and the last event before it.

    One without a name, pending in a log, stands for commands that may be given anew.
    """

    id: int
    name: str
    arguments: tuple[int | bytes, ...]
    after: int


class DeviceLog(Protocol):
    """Where commands and events are recorded, and where the last program's record ended."""

    after: int | None  # number of the last event on record; None: there is none
    pending: Intent | None  # begun, and its outcome is not on record
    carried_out: Intent | None  # begun, after which the device was disarmed by the last program
    last_command: int | None  # number of the last command whose outcome is on record
    command_head: bytes | None  # sent with the command that was begun last; None: without a head

    @property
    def again(self) -> Sequence[Event]:
        """Events that are on record, and were not handled when the last program ended."""

    def greeted(self, welcome: Welcome) -> None:
        """A session begins with this device. Raises where it must not be this one."""

    def record(self, event: Event, sent: bytes) -> None:
        """Put an event on the disk: when this returns the device may forget it.

        `sent` is its payload behind the number, as it crossed the wire.
        """

    def disarmed(self, command: int) -> None:
        """An earlier program has disarmed the device when it could not write any more."""

    def begin(self, intent: Intent) -> None:
        """Put a command on the disk before it is sent for the first time."""


class UnloggedDeviceWarning(UserWarning):
    """Issued for a device that was opened without a log; Python shows it once for each call."""


def warn_without_log(port: str) -> None:
    """Warn the caller of the function that opens the device at `port`.

    The device of a new bench is no evidence of anything, so there is no warning about it.
    """
    if port.startswith("bench:"):
        return
    warnings.warn(
        f"{port}: the device is opened without a log. This program cannot notice lost events or a "
        "flash that was restored from a copy. Pass `log=` if cards or prizes count.",
        UnloggedDeviceWarning,
        stacklevel=3,
    )
