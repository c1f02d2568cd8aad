"""One draw of a controller: as it was signed, and as it is written down for others."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from cutcard_firmware.core.jackpot import draws
from cutcard_firmware.core.schema import messages

KINDS = {messages.PRIZE: "prize", messages.SELECTION: "selection"}
_BYTES = ("serial", "digest", "previous", "signature")


class BadDrawError(Exception):
    """Raised when a written draw is not valid: a field is missing, or has an impossible value."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One number out of `prizes`, with everything that the signature speaks of.

    A prize is for a press at a table, in a round, for the wager (in cents) of the `seat`-th
    player on a box; its amount is what the table's prizes say of the number. A selection is of
    one wager out of a list (Lucky Player, Mystery Jackpot). `digest` is the SHA-256 of the text
    of prizes or of the list; `previous` that of the record before this one.
    """

    serial: bytes
    counter: int
    kind: str
    table: int
    round: int
    box: int
    seat: int
    attempt: int
    wager: int
    prizes: int
    prize: int
    amount: int
    digest: bytes
    previous: bytes
    signature: bytes

    @classmethod
    def of(cls, said: dict[str, Any]) -> Draw:
        """A draw from the fields of a `prize` event. Raises IndexError for an unknown kind."""
        if said["kind"] not in KINDS:
            raise IndexError(said["kind"])
        return cls(**{**said, "kind": KINDS[said["kind"]]})

    @classmethod
    def unpacked(cls, data: bytes) -> Draw:
        """A draw from a signed record, as the device keeps it."""
        record, signature = data[: draws.RECORD], data[draws.RECORD :]
        return cls.of({**draws.fields(record), "signature": signature})

    @property
    def record(self) -> bytes:
        values = [getattr(self, field.name) for field in fields(self)][:-1]
        values[2] = next(code for code, kind in KINDS.items() if kind == self.kind)
        packed: bytes = draws.record(*values)
        return packed

    @property
    def message(self) -> bytes:
        """The bytes that were signed."""
        return bytes(draws.DOMAIN) + self.record

    @property
    def record_digest(self) -> bytes:
        """The digest that the controller's next record has as `previous`."""
        return sha256(self.record).digest()

    def as_json(self) -> dict[str, Any]:
        """As it is written down, for JSON: bytes as hexadecimal digits."""
        written = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**written, **{name: written[name].hex() for name in _BYTES}}

    @classmethod
    def from_json(cls, written: Any) -> Draw:
        """What `as_json` has written. Raises BadDrawError where a field is missing or wrong."""
        try:
            values = {field.name: written[field.name] for field in fields(cls)}
            values |= {name: bytes.fromhex(values[name]) for name in _BYTES}
            draw = cls(**values)
            lengths = [len(getattr(draw, name)) for name in _BYTES]
            if lengths != [8, 32, 32, 64] or draw.kind not in KINDS.values():
                raise ValueError("a length or the kind is wrong")
            draw.record  # noqa: B018  (every number fits its place)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadDrawError(f"this is no draw: {type(error).__name__} {error}") from error
        except Exception as error:  # struct.error is no ValueError
            raise BadDrawError(f"this is no draw: {error}") from error
        return draw
