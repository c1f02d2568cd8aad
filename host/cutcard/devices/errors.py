"""The errors of the driver: one family, each with what was wrong and what to do.

`except DeviceError` catches all of it. The text says what was wrong and where, `hint` says
what to do next, and both together are what `str()` gives.
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
    """Raised when a port string cannot be understood, before anything is opened."""


class PortNotFoundError(DeviceError):
    """Raised when there is nothing to open: no such device file, or nobody listens there."""


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
    """Raised when the device is of another kind than asked for, or is not the one it was before."""


class SchemaMismatchError(DeviceError):
    """Raised when firmware and driver were built from different message schemas."""


class NotProvisionedError(DeviceError):
    """Raised when the device holds no key yet, so no session can be opened."""


class KeyMissingError(DeviceError):
    """Raised when the device holds a key and this computer does not know it."""


class KeyUnsafeError(DeviceError):
    """Raised when others than its owner could read or replace a stored key."""


class KeysNotStoredError(DeviceError):
    """Raised when the folder of keys takes no new key."""


class AuthenticationFailedError(DeviceError):
    """Raised when one side does not prove that it knows the key."""


class StateLostError(DeviceError):
    """Raised when a device that was known has forgotten its key, its events or its commands."""


class OutOfStepError(DeviceError):
    """Raised when another host has commanded the device while this one was away."""


class BadArgumentError(DeviceError):
    """Raised when a command is given something that its message has no place for, such as a wager
    below zero: nothing was sent."""


class CommandRefusedError(DeviceError):
    """Raised when the device answered a command with an error: nothing was done.

    `error` is the name in the message schema, `a` and `b` are the numbers that came with it.
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

    The device refused, or the fault came up while the call waited (then `event` is what it told).
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
