"""Challenge a device over its entire flash, and compute the expected answer from a reference."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import DeviceError
from cutcard_firmware.core.devices.commands import MAP_PAGE, NO_ROOM
from cutcard_firmware.core.image.attest import BLOCK, CHANGED, DONE, WALKING, Walk, marked

NONCE_BYTES = 16
TALK_SECONDS = 5.0
POLL_SECONDS = 0.05
TRIES = 3  # a device that writes to its flash during the walk is challenged again


class AttestationFailedError(DeviceError):
    """Raised when a device gives no answer that can be verified: no memory, or always busy."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A device's answer to one challenge."""

    nonce: bytes
    blocks: int
    spared: bytes  # a bit for each block left out, because the device reports that it changes
    digest: bytes
    seconds: float

    @property
    def spared_blocks(self) -> list[int]:
        return [block for block in range(self.blocks) if marked(self.spared, block)]


def challenge(
    connection: Connection,
    deadline: Deadline,
    on_progress: Callable[[int, int], None] = lambda blocks, walked: None,
) -> Answer:
    """Have the device hash its flash with a new random number.

    `on_progress` is called with the number of blocks in total and the number done.
    """
    for _ in range(TRIES):
        fresh = secrets.token_bytes(NONCE_BYTES)
        began = time.monotonic()
        blocks = connection.ask("challenge", fresh, deadline=_talk(deadline))["blocks"]
        said = _wait(connection, deadline, partial(on_progress, blocks))
        seconds = time.monotonic() - began
        if said["progress"] == DONE:
            spared = _map(connection, blocks, deadline)
            return Answer(fresh, blocks, spared, said["digest"], seconds)
        if said["progress"] == NO_ROOM:
            raise AttestationFailedError(
                f"{connection.port.text}: the device has no memory left to walk its flash.",
                "Unload it, switch it off and on, and ask again while it is empty.",
            )
    raise AttestationFailedError(
        f"{connection.port.text}: the device wrote to its flash each time it was walked.",
        "Ask again between rounds, when no card moves.",
    )


def scrub(connection: Connection, deadline: Deadline) -> None:
    """Have the device erase blocks without a file, such as old states and seeds."""
    connection.command("scrub", deadline=_talk(deadline))
    if _wait(connection, deadline, lambda walked: None)["progress"] != DONE:
        raise AttestationFailedError(
            f"{connection.port.text}: the device did not scrub its flash.",
            "Switch it off and on, and ask again while no card moves.",
        )


def expected(key: bytes, answer: Answer, reference: bytes) -> bytes:
    """Return the digest that a device with this flash and this key answers."""
    walk = Walk(key, answer.nonce, answer.blocks)
    while (block := walk.next()) is not None:
        if not marked(answer.spared, block):
            walk.begin(block)
            walk.take(reference[block * BLOCK : (block + 1) * BLOCK])
    digest: bytes = walk.answer(answer.spared)
    return digest


def agrees(key: bytes, answer: Answer, reference: bytes) -> bool:
    """Return whether every byte outside the spared blocks equals the reference."""
    if len(reference) != answer.blocks * BLOCK:
        return False
    return hmac.compare_digest(answer.digest, expected(key, answer, reference))


def _wait(
    connection: Connection, deadline: Deadline, on_progress: Callable[[int], None]
) -> dict[str, Any]:
    while True:
        said = connection.ask("attested", deadline=_talk(deadline))
        on_progress(said["walked"])
        if said["progress"] != WALKING:
            # None: a reset during the walk, which counts as a change.
            return said if said["progress"] in (DONE, NO_ROOM) else {**said, "progress": CHANGED}
        if deadline.over:
            raise AttestationFailedError(
                f"{connection.port.text}: the flash was not read completely within "
                f"{deadline.seconds:.3g} s ({said['walked']} blocks).",
                "Use a longer time (--seconds), and move no cards during it.",
            )
        deadline.pause(POLL_SECONDS)


def _map(connection: Connection, blocks: int, deadline: Deadline) -> bytes:
    size = (blocks + 7) // 8
    pages = range((size + MAP_PAGE - 1) // MAP_PAGE)
    asked = (connection.ask("spared", page, deadline=_talk(deadline))["map"] for page in pages)
    return b"".join(asked)


def _talk(deadline: Deadline) -> Deadline:
    return deadline.at_least(TALK_SECONDS)
