"""The kinds of data that can be collected, and their record formats."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rng_certification.collect.restarts import EACH
from rng_certification.jackpot.press_columns import RECORD

RESTARTS = "restarts"  # noise after each of many restarts


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
        """Return the bytes of one record; a card of a history has several steps."""
        if self.kind in ("noise", "bits"):
            return 1
        if self.kind == RESTARTS:
            return EACH
        if self.kind == "presses":
            return RECORD.itemsize
        return 2 * (self.deck or 0) if self.kind == "shuffles" else 4

    @property
    def suffix(self) -> str:
        return {
            "noise": "u8",
            RESTARTS: "u8",
            "bits": "bin",
            "shuffles": "u16",
            "presses": "presses",
        }.get(self.kind, "u32")

    def parameters(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value is not None}


FORMATS = {
    "noise": "one raw sample per byte, 0 or 1, in the order of sampling",
    RESTARTS: f"{EACH:,} raw samples per record, one per byte: the first ones after a restart",
    "bits": "raw bytes of the generator, the highest bit first",
    "draws": "little-endian uint32, numbers from 0 to range-1",
    "prizes": "little-endian uint32, the number of the prize from 0",
    "presses": "little-endian: uint16 table and uint16 box from 1, uint64 milliseconds, uint32 the "
    "number of the prize from 0",
    "shuffles": "one record per shuffle: little-endian uint16, the tray position of each "
    "card as it leaves",
    "cards": "little-endian uint32, one per step: cards fed and dealt, and the beginning "
    "of each round (docs/explanation/certification.md, Continuous shuffling)",
}

# The limits of each source of data, because a laboratory must know which parts were not tested.
DIFFERENCES = {
    "twin": [
        "noise: simulated; bits from a name through SHA-256 with one bit of entropy each; 0.5 bits "
        "are claimed, and so 640 samples per entropy input; not an oscillator",
        "generator: the firmware's own source with requests and draws compiled, proven "
        "equal to it draw for draw in MicroPython",
        "mechanics: not modelled; each card moves exactly as drawn, without sensors or jams",
        "clock: the source cycles once per round, not by time",
        "host: its bytes are not mixed in",
    ],
    "bench": [
        "noise: simulated; independent bits from a seed, 1 with probability 132/256; not an "
        "oscillator",
        "generator: the firmware itself, compiled to byte code, in MicroPython's unix "
        "port with a board's heap size; integers have 63 bits, on a board 31",
        "mechanics: a model of motors, cards and bouncing sensors, outside the interpreter",
        "clock: virtual; it stops while all motors rest, so the source cycles less often",
        "host: its bytes also follow from the name, and are mixed in as on a board",
    ],
    "chip": [
        "noise: simulated; the bench's independent bits in the place of the oscillator's register",
        "generator: the firmware of a board, in its processor's code, on an emulated RP2040",
        "mechanics: the bench's model, at the pins of the emulated processor",
        "clock: the emulated processor's own; it stands still while the board sleeps",
        "host: as on a board",
    ],
    "board": [
        "noise: the board's own; a collection cannot be repeated",
        "generator: the firmware on the board; its image is identified by version and "
        "table, and `cutcard attest` compares it with the signed one",
        "mechanics: the machine's own, operated by a person",
        "clock: real; the source cycles by time between requests",
        "host: this computer's own random bytes are mixed in at the start of the session",
    ],
}
