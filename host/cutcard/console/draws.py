"""The draws of a jackpot controller in the journal, verified with its public key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cutcard.journal import Record
from cutcard.prizes.draw import BadDrawError, Draw
from cutcard.prizes.verify import verify

LATEST = 8  # draws that the page shows


@dataclass(frozen=True, slots=True)
class LatestDraws:
    """The latest draws. A draw is valid if it is signed and follows from the previous one."""

    public: bytes = b""
    last: Draw | None = None
    shown: tuple[dict[str, Any], ...] = ()

    def with_record(self, record: Record) -> LatestDraws:
        """Return these draws with the addition of a record `key` or `draw`."""
        if record.kind == "key":
            return replace(self, public=bytes.fromhex(record.data["public"]))
        try:
            draw = Draw.from_json(record.data)
        except BadDrawError as bad:
            return self._add(None, {"counter": record.data.get("counter"), "why": str(bad)})
        pair = [draw] if self.last is None else [self.last, draw]
        problems = verify(pair, self.public, {}).problems
        said = {
            "counter": draw.counter,
            "round": draw.round,
            "box": draw.box,
            "amount": draw.amount,
            "why": "; ".join(problems),
        }
        return self._add(draw, said)

    def _add(self, draw: Draw | None, said: dict[str, Any]) -> LatestDraws:
        return replace(self, last=draw, shown=(*self.shown, said)[-LATEST:])
