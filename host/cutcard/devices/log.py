"""A log of a device for a host that must lose nothing: commands before they are sent, and events.

A table that was killed opens its device again with the same log. A command without a recorded
outcome is sent again under its old number: the device executes each number once.
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
    """A command to be sent: its number, and the last event before it.

    A pending intent without a name represents commands that may be given again.
    """

    id: int
    name: str
    arguments: tuple[int | bytes, ...]
    after: int


class DeviceLog(Protocol):
    """The record of commands and events, and its end in the last program."""

    after: int | None  # number of the last recorded event; None: no events
    pending: Intent | None  # begun, without a recorded outcome
    carried_out: Intent | None  # begun; then the last program disarmed the device
    last_command: int | None  # number of the last command with a recorded outcome
    command_head: bytes | None  # sent with the last command begun; None: without a head

    @property
    def again(self) -> Sequence[Event]:
        """Return recorded events that were not handled when the last program ended."""

    def greeted(self, welcome: Welcome) -> None:
        """Accept a session with this device. Raises an error if it must not be this one."""

    def record(self, event: Event, sent: bytes) -> None:
        """Write an event to the disk: when this returns, the device may forget it.

        `sent` is its payload after the number, as sent.
        """

    def disarmed(self, command: int) -> None:
        """Record that an earlier program disarmed the device when it could not write any more."""

    def begin(self, intent: Intent) -> None:
        """Write a command to the disk before it is first sent."""


class UnloggedDeviceWarning(UserWarning):
    """Issued for a device that was opened without a log; Python shows it once for each call."""


def warn_without_log(port: str) -> None:
    """Warn the caller of the function that opens the device at `port`.

    There is no warning for a new bench: its device proves nothing.
    """
    if port.startswith("bench:"):
        return
    warnings.warn(
        f"{port}: the device is opened without a log. This program cannot notice lost events or a "
        "flash that was restored from a copy. Pass a log if cards or prizes count.",
        UnloggedDeviceWarning,
        stacklevel=3,
    )
