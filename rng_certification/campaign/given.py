"""Certification of given data as a campaign of one part, with the same report and checks.

Its plan cannot be declared beforehand: how much there is shows when it has been read. Nothing of
ours made the data, so no clause is answered and no firmware is named.
"""

from __future__ import annotations

from typing import Any

from rng_certification.base.rows import as_row, rounded_throughout
from rng_certification.campaign.parts.shuffles import pictures
from rng_certification.campaign.plan import Part, Plan
from rng_certification.campaign.work import part_of
from rng_certification.certification import (
    Certificate,
    GivenSubject,
    PrizeDraws,
    RawBits,
    ScaledDraws,
    Shuffles,
    subject_of,
)

PROFILE = "given data"
SOURCE = "given"
ID = "given"


def plan_of(subject: GivenSubject, certificate: Certificate, name: str) -> Plan:
    """The plan for given data; `name` is the name of its file."""
    kind = "jackpot" if isinstance(subject, PrizeDraws) else subject.kind
    part = Part(
        id=ID,
        kind=kind,
        title=f"Data that was given: {certificate.unit}",
        subject=name,
        source=SOURCE,
        sample=certificate.sample,
        unit=certificate.unit,
        shards=1,
        parameters=_parameters(subject),
    )
    return Plan(PROFILE, "", (part,))


def subject_again(part: Part) -> GivenSubject:
    """The subject that a part's data is certified as. Raises ValueError or LookupError."""
    if part.kind == "jackpot":
        return subject_of("draws", prizes=part.parameters["prizes"])
    if part.kind not in ("bits", "draws", "shuffles"):
        raise ValueError(f"no data of the kind {part.kind} can be given")
    return subject_of(part.kind, part.parameters.get("range") or part.parameters.get("deck") or 0)


def result_of(part: Part, subject: GivenSubject, certificate: Certificate) -> dict[str, Any]:
    """The part's result as a campaign keeps it."""
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


def _parameters(subject: GivenSubject) -> dict[str, Any]:
    if isinstance(subject, PrizeDraws):
        return {"prizes": subject.prizes.id}
    if isinstance(subject, ScaledDraws):
        return {"range": subject.span}
    return {"deck": subject.cards} if isinstance(subject, Shuffles) else {}


def _figures(subject: GivenSubject) -> dict[str, Any]:
    if isinstance(subject, RawBits):
        return {"nist_limits": subject.details()}
    if isinstance(subject, PrizeDraws):
        return {"prizes": subject.details()["prizes"]}
    return pictures(subject.battery) if isinstance(subject, Shuffles) else {}
