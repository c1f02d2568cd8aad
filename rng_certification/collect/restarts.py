"""Restart data of SP 800-90B 3.1.4: the first samples of a source after each of many restarts.

A device that restarts out of laboratory mode keeps the samples of its start-up test, and gives them
out when a host enters that mode again. So the samples of a row are the first ones of a start.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

from cutcard.devices.device import Device
from cutcard.devices.laboratory import Laboratory

EACH = 1000  # samples of a row
STARTED = 120.0  # seconds until a device answers again
SWITCHED = 120.0  # seconds until a user's command must have switched the power off and on
OVER_THE_WIRE = (
    "reset over the wire: the processor restarts; the supply stays on, and the oscillator may run "
    "on. This is not a power cycle"
)

Restart = Callable[[Laboratory], None]


class RestartError(Exception):
    """A restart that failed; the text has the reason."""


def method(command: str) -> str:
    """Describe the restarts, for the manifest."""
    return f"external power switch, by the command: {command}" if command else OVER_THE_WIRE


def restarting(command: str) -> Restart:
    """Return the function that restarts a device: by a user's command, or over the wire."""
    if not command:
        return lambda laboratory: laboratory.restart()

    def switch(laboratory: Laboratory) -> None:
        try:
            done = subprocess.run(command, shell=True, timeout=SWITCHED, check=False)
        except subprocess.TimeoutExpired:
            raise RestartError(
                f"{command!r} did not end within {SWITCHED:g} s: it must switch the power off, "
                "switch it on again, and end"
            ) from None
        if done.returncode:
            raise RestartError(f"{command!r} failed with exit status {done.returncode}")

    return switch


def rows(device: Device, restart: Restart) -> Iterator[bytes]:
    """Yield the first samples of each start, without end. The device must hold no cards."""
    laboratory = device.laboratory()
    boots = device.status().boots
    laboratory.enter()
    try:
        while True:
            restart(laboratory)
            now = device.status(deadline=STARTED).boots
            if now == boots:
                raise RestartError("the device did not restart: the power was not switched off")
            boots = now
            laboratory.enter_after_restart()
            yield b"".join(laboratory.noise(EACH))
    finally:
        laboratory.leave()
