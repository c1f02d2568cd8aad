"""Signed reports on the randomness of firmware, shown beside the machines that run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Certificate:
    """What the cover and the verdict of a report say, whose signature was checked."""

    firmware: str  # the version that the cover names
    verdict: str
    profile: str
    number: str
    date: str
    laboratory: str
    development: bool  # signed with a key that proves nothing

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> Certificate:
        """From a report that was read and whose signature holds. Raises LookupError, TypeError."""
        cover = report["cover"]
        return cls(
            firmware=str(cover["firmware"]),
            verdict=str(report["verdict"]),
            profile=str(report["plan"]["profile"]),
            number=str(cover.get("report", "")),
            date=str(cover.get("date", "")),
            laboratory=str(cover.get("laboratory", "")),
            development=report["signature"]["key"]["development"] is not False,
        )

    def as_json(self) -> dict[str, Any]:
        return asdict(self)
