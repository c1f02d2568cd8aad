"""Convert findings to rows of JSON before they are judged, and back.

A part of a campaign is judged together with all the others, possibly days later and on another
machine. A row therefore has everything that the judgement needs: p, and the law that gives the
smallest fault found.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from rng_certification.base.finding import (
    AnyCountPower,
    AnyLagPower,
    CellPower,
    ChiSquarePower,
    CountPower,
    Finding,
    NormalPower,
    Power,
    RegisterPower,
)
from rng_certification.base.judgement import Judgement
from rng_certification.base.second_level import ExtremePower, TogetherPower

POWERS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        ChiSquarePower,
        NormalPower,
        AnyLagPower,
        AnyCountPower,
        RegisterPower,
        CellPower,
        CountPower,
        ExtremePower,
        TogetherPower,
    )
}


def rounded(number: float | None) -> float | None:
    """Round to twelve digits: enough for every verdict, and the same on every processor."""
    return None if number is None else float(f"{number:.12g}")


def rounded_throughout(data: Any) -> Any:
    """Round every float in nested data."""
    if isinstance(data, dict):
        return {key: rounded_throughout(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded_throughout(value) for value in data]
    return rounded(data) if isinstance(data, float) else data


def as_row(finding: Finding) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": finding.name,
        "p": rounded(finding.p),
        "statistic": rounded(finding.statistic),
        "sample": finding.sample,
        "unit": finding.unit,
    }
    if finding.skipped:
        row["skipped"] = finding.skipped
    if finding.power is not None:
        row["power"] = _power_row(finding.power)
    return row


def from_row(row: dict[str, Any]) -> Finding:
    return Finding(
        row["name"],
        row["sample"],
        row["unit"],
        row["p"],
        row["statistic"],
        row.get("skipped", ""),
        _power(row["power"]) if "power" in row else None,
    )


def judged_rows(judgement: Judgement) -> list[dict[str, Any]]:
    """Return the rows of a certificate: each test with its adjusted p and the fault that it
    detects."""
    return [
        {
            "name": test.finding.name,
            "p": rounded(test.finding.p),
            "adjusted_p": rounded(test.adjusted),
            "verdict": test.verdict,
            "statistic": rounded(test.finding.statistic),
            "sample": test.finding.sample,
            "unit": test.finding.unit,
            **({"skipped": test.finding.skipped} if test.finding.skipped else {}),
            **(
                {
                    "detectable": rounded(test.detectable),
                    "detectable_is": test.finding.power.meaning,
                }
                if test.finding.power
                else {}
            ),
        }
        for test in judgement.tests
    ]


def _power_row(power: Power) -> dict[str, Any]:
    name = type(power).__name__
    if name not in POWERS:
        raise TypeError(f"{name} cannot be stored: add it to POWERS in finding_rows.py")
    row: dict[str, Any] = {"law": name}
    for field in fields(power):  # type: ignore[arg-type]
        value = getattr(power, field.name)
        if field.name == "inner":
            value = _power_row(value)
        row[field.name] = rounded(value) if isinstance(value, float) else value
    return row


def _power(row: dict[str, Any]) -> Power:
    kind = POWERS[row["law"]]
    values = {field.name: row[field.name] for field in fields(kind) if field.name in row}
    if isinstance(values.get("inner"), dict):
        values["inner"] = _power(values["inner"])
    power: Power = kind(**values)
    return power
