"""What can go wrong while a board is flashed, apart from what a device itself refuses."""

from __future__ import annotations

from cutcard.devices.errors import DeviceError


class NobodyThereError(DeviceError):
    """Raised when neither cutcard nor MicroPython's prompt answers at the port."""


class FlashingBrokenError(DeviceError):
    """Raised when the line or the board gave out on the way. Flashing may simply be repeated."""


class NotBlankError(DeviceError):
    """Raised when there are files on the board that are not ours to remove unasked."""


class NotTakenError(DeviceError):
    """Raised when an image must not go onto this device; `reason` is the device's word for it."""

    def __init__(self, where: str, reason: str, problem: str, hint: str) -> None:
        super().__init__(f"{where}: {problem}", hint)
        self.reason = reason
