"""The errors of the driver: one family, each with a problem and a next step.

`except DeviceError` catches them all. The text is the problem and its place, `hint` is the next
step, and `str()` gives both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutcard.coded_error import CodedError
from cutcard.devices.hints import fault_hint, refusal_text

if TYPE_CHECKING:
    from cutcard.devices.events import FaultRaised


class DeviceError(CodedError):
    """Never raised itself: the base of all errors of this package."""

    code = "DeviceError"

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(f"{problem} {hint}")
        self.problem = problem
        self.hint = hint


class BadPortError(DeviceError):
    """Raised when a port string is invalid, before anything is opened."""


class PortNotFoundError(DeviceError):
    """Raised when there is no device file or no listener at the port."""


class PortBusyError(DeviceError):
    """Raised when another host already holds the port."""


class DeviceClosedError(DeviceError):
    """Raised when a device is used after `close()`."""


class PortLostError(DeviceError):
    """Raised when an open port breaks and does not come back before the deadline."""


class NoAnswerError(DeviceError):
    """Raised when the overall deadline passes without a valid reply."""


class NotInTimeError(DeviceError):
    """Raised when a command was accepted but the event it leads to did not come in time."""


class WrongDeviceError(DeviceError):
    """Raised when the device has another kind than requested, or is not the device from before."""


class SchemaMismatchError(DeviceError):
    """Raised when firmware and driver were built from different message schemas."""


class NotProvisionedError(DeviceError):
    """Raised when the device has no key yet, so no session can be opened."""


class KeyMissingError(DeviceError):
    """Raised when the device has a key that this computer does not have."""


class KeyUnsafeError(DeviceError):
    """Raised when other users could read or replace a stored key."""


class KeysNotStoredError(DeviceError):
    """Raised when the folder of keys cannot store a new key."""


class AuthenticationFailedError(DeviceError):
    """Raised when one side does not prove that it has the key."""


class StateLostError(DeviceError):
    """Raised when a known device has lost its key, its events or its commands."""


class OutOfStepError(DeviceError):
    """Raised when another host has commanded the device since this one's last session."""


class BadArgumentError(DeviceError):
    """Raised when a command gets an invalid value, such as a wager below zero: it was not sent."""


class CommandRefusedError(DeviceError):
    """Raised when the device refused a command: nothing was done.

    `error` is the name in the message schema, `a` and `b` are its two numbers.
    """

    code = "Refused"

    def __init__(self, where: str, error: str, a: int = 0, b: int = 0, kind: str = "") -> None:
        problem, hint = refusal_text(error, a, b, kind)
        super().__init__(f"{where}: {problem}", hint)
        self.where = where
        self.error = error
        self.a = a
        self.b = b


class InFaultError(DeviceError):
    """Raised when the device is in its latched fault mode.

    The device refused, or the fault occurred while the call waited (then `event` is its event).
    `kind` is the kind of the device: a controller needs other advice than a device with cards.
    `came_out` is the number of cards that left the machine during a `recover` that failed.
    """

    def __init__(
        self,
        where: str,
        fault: str,
        detail: int,
        event: FaultRaised | None = None,
        came_out: int = 0,
        kind: str = "",
    ) -> None:
        hint = fault_hint(fault, detail, kind)
        super().__init__(f"{where}: the device is in the fault {fault}.", hint)
        self.where = where
        self.fault = fault
        self.detail = detail
        self.event = event
        self.came_out = came_out
