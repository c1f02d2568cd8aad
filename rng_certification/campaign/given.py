"""Certification of given data as a campaign of one part, with the same report and checks.

Its plan cannot be declared in advance, because the amount of data is known only after reading it.
The data is not from our machines, so no clause is answered and no firmware is named.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rng_certification.base.finding_rows import as_row, rounded_throughout
from rng_certification.campaign.parts.shuffles import pictures
from rng_certification.campaign.plan import CampaignPlan, Part
from rng_certification.campaign.work import part_of
from rng_certification.certification import (
    Certificate,
    GivenSubject,
    Layout,
    PrizeDraws,
    RawBits,
    ScaledDraws,
    Shuffles,
    subject_of,
)
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.jackpot.subject import Presses

PROFILE = "given data"
SOURCE = "given"
ID = "given"
MOST = 100_000  # largest number of bins, cards and weights of a machine in a plan


def plan_of(subject: GivenSubject, certificate: Certificate, name: str) -> CampaignPlan:
    """Return the plan for given data; `name` is the name of its file."""
    part = Part(
        id=ID,
        kind=_kind(subject),
        title=f"Given data: {certificate.unit}",
        subject=name,
        source=SOURCE,
        sample=certificate.sample,
        unit=certificate.unit,
        shards=1,
        parameters=_parameters(subject) | _looks(certificate),
    )
    return CampaignPlan(PROFILE, "", (part,), alpha=certificate.judgement.alpha)


def subject_again(part: Part) -> GivenSubject:
    """Return the subject to certify a part's data. Raises ValueError or LookupError."""
    known = part.parameters
    if part.kind == "jackpot":
        return subject_of("draws", prizes=known["prizes"], layout=_layout(known))
    if part.kind == "presses":
        return subject_of("presses", prizes=",".join(known["prizes"]))
    if part.kind == "continuous":
        return ContinuousHistory(_settings(known))
    if part.kind not in ("bits", "draws", "shuffles"):
        raise ValueError(f"data of the kind {part.kind} cannot be given")
    size = known.get("range") or known.get("deck") or 0
    return subject_of(part.kind, size, layout=_layout(known))


def _layout(known: dict[str, Any]) -> Layout:
    """Return the layout of a text file from the plan. Raises ValueError."""
    column, first = known.get("column"), known.get("first")
    if not (column is None or isinstance(column, str)) or not (first is None or type(first) is int):
        raise ValueError("the plan's column or first number is invalid")
    return Layout(column, first)


def result_of(part: Part, subject: GivenSubject, certificate: Certificate) -> dict[str, Any]:
    """Return the part's result in the format of a campaign."""
    file = {"name": part.subject, "bytes": certificate.bytes, "sha256": certificate.sha256}
    shard = {
        "shard": 0,
        "sample": certificate.sample,
        "findings": [as_row(test.finding) for test in certificate.judgement.tests],
        "files": [file],
        "figures": rounded_throughout(_figures(subject)),
        "notes": [],
    }
    return part_of(part, [shard])


def _looks(certificate: Certificate) -> dict[str, Any]:
    """Return a growing sample's declared end, and the bytes at each look."""
    looks = certificate.details.get("looks")
    if not looks:
        return {}
    # as text, because a volume may be larger than a plan allows for numbers
    return {
        "until": certificate.details["until"],
        "looks": [f"{look['bytes']} bytes at alpha {look['alpha']:.6g}" for look in looks],
    }


def _kind(subject: GivenSubject) -> str:
    """Return the kind of a campaign's part for such data."""
    if isinstance(subject, PrizeDraws):
        return "jackpot"
    return "continuous" if isinstance(subject, ContinuousHistory) else subject.kind


def _parameters(subject: GivenSubject) -> dict[str, Any]:
    if isinstance(subject, PrizeDraws):
        return {"prizes": subject.prizes.id, **_set(subject.layout)}
    if isinstance(subject, Presses):
        return {"prizes": [each.id for each in subject.battery.prizes]}
    if isinstance(subject, ContinuousHistory):
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(subject.settings).items()
        }
    if isinstance(subject, ScaledDraws):
        return {"range": subject.span, **_set(subject.layout)}
    return {"deck": subject.cards, **_set(subject.layout)} if isinstance(subject, Shuffles) else {}


def _set(layout: Layout) -> dict[str, Any]:
    return {key: value for key, value in asdict(layout).items() if value is not None}


def _settings(known: dict[str, Any]) -> Settings:
    """Return the settings of a machine in the plan, which is untrusted text. Raises ValueError."""
    numbers = [known[name] for name in ("bins", "capacity", "chute_low", "pack")]
    into, out = tuple(known["into"]), tuple(known["out"])
    if not all(type(n) is int and 0 < n <= MOST for n in (*numbers, *into, *out)):
        raise ValueError("the plan's machine has an impossible number")
    bins, capacity, chute_low, pack = numbers
    return Settings(bins, capacity, chute_low, pack, bool(known["single"]), into, out)


def _figures(subject: GivenSubject) -> dict[str, Any]:
    if isinstance(subject, RawBits):
        return {"nist_limits": subject.details()}
    if isinstance(subject, PrizeDraws):
        return {"prizes": subject.details()["prizes"]}
    if isinstance(subject, Presses):
        return subject.details()
    if isinstance(subject, ContinuousHistory):
        return subject.battery.figures()
    return pictures(subject.battery) if isinstance(subject, Shuffles) else {}
