"""Signed reports on the randomness of firmware, shown next to the machines that run it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ShownCertificate:
    """The product, cover and verdict of a report with a valid signature."""

    machine: str
    firmware: str  # the version on the cover
    verdict: str
    profile: str
    number: str
    date: str
    laboratory: str
    development: bool  # signed with a development key, which is no proof

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> ShownCertificate:
        """Read a report with a valid signature.

        Raises LookupError or TypeError if it names no product or no firmware.
        """
        cover = report["cover"]
        return cls(
            machine=str(report["plan"]["product"]["machine"]),
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
