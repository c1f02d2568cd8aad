"""Find boards on this computer by their USB id, under a name that survives a reset."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serial.tools import list_ports  # type: ignore[import-untyped]

RASPBERRY_PI = 0x2E8A
BY_ID = Path("/dev/serial/by-id")


@dataclass(frozen=True, slots=True)
class Board:
    """A serial port of a Raspberry Pi board, with or without cutcard."""

    port: str  # the port string to use: the persistent name if there is one
    device: str  # the system's current name
    usb_serial: str | None
    product: str | None


def find_boards(
    list_all: Callable[[], Iterable[Any]] = list_ports.comports, by_id: Path = BY_ID
) -> list[Board]:
    """Return the connected boards, in the order of their port names."""
    lasting = _lasting_names(by_id)
    found = [
        Board(
            lasting.get(os.path.realpath(port.device), port.device),
            port.device,
            port.serial_number,
            port.product,
        )
        for port in list_all()
        if port.vid == RASPBERRY_PI
    ]
    return sorted(found, key=lambda board: board.port)


def _lasting_names(by_id: Path) -> dict[str, str]:
    if not by_id.is_dir():
        return {}
    return {os.path.realpath(link): str(link) for link in sorted(by_id.iterdir())}
