"""A device's identity card: its public data, for a label or a file."""

from __future__ import annotations

import io
import json
from dataclasses import asdict, dataclass
from typing import Any

import segno

from cutcard.devices.handshake import Welcome


@dataclass(frozen=True)
class IdentityCard:
    """Public facts about a device. The QR code contains them in one line."""

    serial: str
    kind: str
    machine: str
    version: int
    board: str
    image_key: str  # public key of the running image
    development: bool
    table: str  # the fingerprint of its message schema: it determines the matching driver

    def described(self) -> dict[str, Any]:
        return {**asdict(self), "qr": self.line()}

    def line(self) -> str:
        mark = "development" if self.development else "production"
        return (
            f"cutcard {self.serial} {self.kind} {self.machine} version {self.version} {self.board} "
            f"{mark} key {self.image_key[:16]} table {self.table}"
        )

    def qr_text(self) -> str:
        """Return the QR code in half blocks, for a terminal."""
        out = io.StringIO()
        segno.make(self.line(), error="m").terminal(out, compact=True, border=2)
        return out.getvalue()

    def json(self) -> str:
        return json.dumps(self.described(), indent=2)


def card_of(
    welcome: Welcome, board: str, image_key: bytes, development: bool, version: int
) -> IdentityCard:
    return IdentityCard(
        serial=welcome.serial.hex(),
        kind=welcome.kind,
        machine=welcome.machine,
        version=version,
        board=board,
        image_key=image_key.hex(),
        development=development,
        table=welcome.schema.hex(),
    )
