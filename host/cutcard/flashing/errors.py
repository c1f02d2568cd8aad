"""The errors of flashing, except refusals of the device itself."""

from __future__ import annotations

from cutcard.devices.errors import DeviceError


class NobodyThereError(DeviceError):
    """Raised when no cutcard device and no MicroPython prompt answers at the port."""


class FlashingBrokenError(DeviceError):
    """Raised when the line or the board failed during flashing. Flashing may simply be repeated."""


class NotBlankError(DeviceError):
    """Raised when the board has foreign files, which must not be removed without permission."""


class NotTakenError(DeviceError):
    """Raised when an image must not be installed on this device; `reason` is the device's
    reason."""

    def __init__(self, where: str, reason: str, problem: str, hint: str) -> None:
        super().__init__(f"{where}: {problem}", hint)
        self.reason = reason
