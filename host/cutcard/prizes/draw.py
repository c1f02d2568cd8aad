"""One draw of a controller: its signed record, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any

from cutcard_firmware.core.jackpot import draws
from cutcard_firmware.core.schema import messages

KINDS = {messages.PRIZE: "prize", messages.SELECTION: "selection"}
_BYTES = ("serial", "digest", "previous", "signature")


class BadDrawError(Exception):
    """Raised if a stored draw is invalid: a field is missing, or has an impossible value."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One number out of `prizes`, with everything that the signature covers.

    A prize belongs to a press at a table, in a round, for the wager (in cents) of the `seat`-th
    player on a box; its amount is the table's prize for the number. A selection chooses one wager
    from a list (Lucky Player, Mystery Jackpot). `digest` is the SHA-256 of the text of the prizes
    or of the list; `previous` is the SHA-256 of the preceding record.
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
        """Return the draw of a `prize` event's fields. Raises IndexError for an unknown kind."""
        if said["kind"] not in KINDS:
            raise IndexError(said["kind"])
        return cls(**{**said, "kind": KINDS[said["kind"]]})

    @classmethod
    def unpacked(cls, data: bytes) -> Draw:
        """Return the draw of a signed record, as the device stores it."""
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
        """The signed bytes."""
        return bytes(draws.DOMAIN) + self.record

    @property
    def record_digest(self) -> bytes:
        """The digest that the controller's next record has as `previous`."""
        return sha256(self.record).digest()

    def as_json(self) -> dict[str, Any]:
        """Return the draw for JSON: bytes as hexadecimal digits."""
        written = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**written, **{name: written[name].hex() for name in _BYTES}}

    @classmethod
    def from_json(cls, written: Any) -> Draw:
        """Return a draw from `as_json`. Raises BadDrawError if a field is missing or wrong."""
        try:
            values = {field.name: written[field.name] for field in fields(cls)}
            values |= {name: bytes.fromhex(values[name]) for name in _BYTES}
            draw = cls(**values)
            lengths = [len(getattr(draw, name)) for name in _BYTES]
            if lengths != [8, 32, 32, 64] or draw.kind not in KINDS.values():
                raise ValueError("a length or the kind is wrong")
            draw.record  # noqa: B018  (every number fits its place)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise BadDrawError(f"this is not a draw: {type(error).__name__} {error}") from error
        except Exception as error:  # struct.error is not a ValueError
            raise BadDrawError(f"this is not a draw: {error}") from error
        return draw
