"""The kinds of data that can be collected, and what a record of each looks like."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rng_certification.jackpot.press_columns import RECORD


@dataclass(frozen=True)
class CollectionRequest:
    """One kind of data with its parameters; those that do not apply are None."""

    kind: str
    machine: str
    span: int | None = None
    deck: int | None = None
    decks: int | None = None
    prizes: str | None = None

    @property
    def record(self) -> int:
        """Bytes of one record; a card of a history has as many steps as happened with it."""
        if self.kind in ("noise", "bits"):
            return 1
        if self.kind == "presses":
            return RECORD.itemsize
        return 2 * (self.deck or 0) if self.kind == "shuffles" else 4

    @property
    def suffix(self) -> str:
        return {"noise": "u8", "bits": "bin", "shuffles": "u16", "presses": "presses"}.get(
            self.kind, "u32"
        )

    def parameters(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value is not None}


FORMATS = {
    "noise": "one raw sample a byte, 0 or 1, in the order they were taken",
    "bits": "raw bytes of the generator, the highest bit first",
    "draws": "little-endian uint32, numbers of 0 to range-1",
    "prizes": "little-endian uint32, the number of the prize from 0",
    "presses": "little-endian: uint16 table and uint16 box from 1, uint64 milliseconds, uint32 the "
    "number of the prize from 0",
    "shuffles": "a record a shuffle: little-endian uint16, the place in the tray of each card as "
    "it leaves",
    "cards": "little-endian uint32, a step each: what was fed, dealt, and where a round begins "
    "(docs/explanation/certification.md, Continuous shuffling)",
}

# A laboratory wants to know what it did not test. One list a source of data.
DIFFERENCES = {
    "twin": [
        "noise: simulated; bits from a name through SHA-256, which have a whole bit of entropy, "
        "with 0.5 bits claimed and so 640 samples an entropy input; no oscillator",
        "generator: the firmware's own source with requests and draws compiled, proven equal to "
        "it draw for draw in MicroPython",
        "mechanics: none; where a card goes is where its draw says, no sensor, no jam",
        "clock: the source cycles once a round, not by time",
        "host: its bytes are not mixed in",
    ],
    "bench": [
        "noise: simulated; independent bits from a seed, 1 with probability 132/256; no oscillator",
        "generator: the firmware itself, compiled to byte code, in MicroPython's unix port with a "
        "board's heap; integers of 63 bits where a board has 31",
        "mechanics: a model of motors, sensors that bounce and cards, outside the interpreter",
        "clock: virtual; it stands still while nothing moves, so the source cycles less often",
        "host: its bytes follow from the name too, and are mixed in as on a board",
    ],
    "board": [
        "noise: the board's own; the same collection never comes again",
        "generator: the firmware on the board; its image is named by version and table, and "
        "`cutcard attest` compares it with what was signed",
        "mechanics: the machine's own, worked by a person",
        "clock: real; the source cycles by time between requests",
        "host: this computer's own random bytes are mixed in at the start of the session",
    ],
}
