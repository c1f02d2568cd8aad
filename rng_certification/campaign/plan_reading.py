"""Read an untrusted plan: every name and count is checked before it is used.

A part's id becomes the name of a file, and its counts become work and memory of the computer that
runs the part again.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from cutcard.untrusted import shown
from rng_certification.base.weights import Weights
from rng_certification.campaign.evidence import BadEvidenceError, Evidence, read_evidence
from rng_certification.campaign.plan import AT_PORT, CampaignPlan, Part, seed_from
from rng_certification.campaign.product import BadProductError, Product

SOURCES = ("twin", "micropython", "bench", *AT_PORT, "given")
MOST_PARTS = 1_000
MOST_SHARDS = 100_000
MOST_SAMPLE = 10**12
MOST_NUMBER = 1 << 32
MOST_LETTERS = 300
MOST_LISTED = 64
MOST_OF_A_PROFILE = 200_000  # letters
LEAST_WEIGHT, MOST_WEIGHT = 1e-6, 1e6
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class BadCampaignPlanError(ValueError):
    """A plan that our campaigns cannot have; the message names the fault."""


def read_plan(data: Any) -> CampaignPlan:
    """Return the plan in a file's data. Raises BadCampaignPlanError."""
    parts = _entry(data, "parts", list)
    if not 1 <= len(parts) <= MOST_PARTS:
        raise BadCampaignPlanError(f"it has {len(parts)} parts, not 1 to {MOST_PARTS}")
    alpha = _entry(data, "alpha", float)
    if not 0 < alpha < 1:
        raise BadCampaignPlanError(f"its alpha is {alpha}, not between 0 and 1")
    plan = CampaignPlan(
        _text(data, "profile"),
        _text(data, "seed"),
        tuple(read_part(part) for part in parts),
        alpha,
        _weights(data),
        _nonces(data),
        _product(data),
        _profile_file(data),
        _evidence(data),
    )
    if plan.nonces is not None and plan.seed != seed_from(*plan.nonces):
        raise BadCampaignPlanError("its seed does not follow from its nonces")
    if len({part.id for part in plan.parts}) < len(plan.parts):
        raise BadCampaignPlanError("two of its parts have the same id")
    return plan


def _weights(data: Any) -> Weights:
    rows = _entry(data, "weights", list)
    if len(rows) > MOST_LISTED:
        raise BadCampaignPlanError(f"it has {len(rows)} weights, not up to {MOST_LISTED}")
    for row in rows:
        fits = isinstance(row, list) and len(row) == 2 and isinstance(row[0], str)
        if not fits or len(row[0]) > MOST_LETTERS or type(row[1]) is not float:
            raise BadCampaignPlanError("one of its weights is invalid")
        if not LEAST_WEIGHT <= row[1] <= MOST_WEIGHT:
            raise BadCampaignPlanError(f"a weight is {row[1]}, not {LEAST_WEIGHT} to {MOST_WEIGHT}")
    return tuple((pattern, weight) for pattern, weight in rows)


def _product(data: Any) -> Product | None:
    if data.get("product") is None:
        return None
    try:
        return Product.read(data["product"])
    except BadProductError as bad:
        raise BadCampaignPlanError(str(bad)) from None


def _profile_file(data: Any) -> str:
    text: str = _entry(data, "profile_file", str)
    if len(text) > MOST_OF_A_PROFILE:
        raise BadCampaignPlanError("its profile file is too long")
    return text


def _evidence(data: Any) -> tuple[Evidence, ...]:
    rows = _entry(data, "evidence", list)
    if len(rows) > MOST_LISTED:
        raise BadCampaignPlanError(
            f"it has {len(rows)} pieces of evidence, not up to {MOST_LISTED}"
        )
    try:
        return tuple(map(read_evidence, rows))
    except BadEvidenceError as bad:
        raise BadCampaignPlanError(f"its evidence is invalid: {bad}") from None


def _nonces(data: Any) -> tuple[str, str] | None:
    if data.get("nonces") is None:
        return None
    nonces = _entry(data, "nonces", dict)
    return _text(nonces, "laboratory"), _text(nonces, "applicant")


def read_part(data: Any) -> Part:
    if not isinstance(data, dict) or data.keys() != {field.name for field in fields(Part)}:
        raise BadCampaignPlanError("one of its parts is invalid")
    part = Part(
        id=check_id(data["id"]),
        kind=_text(data, "kind"),
        title=_text(data, "title"),
        subject=_text(data, "subject"),
        source=_text(data, "source"),
        sample=_count(data, "sample", MOST_SAMPLE),
        unit=_text(data, "unit"),
        shards=_count(data, "shards", MOST_SHARDS),
        parameters=_entry(data, "parameters", dict),
    )
    if part.source not in SOURCES:
        raise BadCampaignPlanError(f"{part.id}: unknown source {shown(part.source)}")
    if "port" in part.parameters and part.source not in AT_PORT:
        raise BadCampaignPlanError(f"{part.id}: only a device has a port")
    if len(part.parameters) > MOST_LISTED or not all(map(_is_setting, part.parameters.values())):
        raise BadCampaignPlanError(f"{part.id}: one of its parameters is invalid")
    return part


def check_id(said: Any) -> str:
    """Check a part's id, which is also the name of its file. Raises BadCampaignPlanError."""
    if not isinstance(said, str) or not _NAME.fullmatch(said):
        raise BadCampaignPlanError(f"{shown(said)} cannot be the id of a part")
    return said


def _is_setting(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= MOST_LISTED and all(
            not isinstance(each, list) and _is_setting(each) for each in value
        )
    if isinstance(value, str):
        return len(value) <= MOST_LETTERS
    return isinstance(value, int | float) and abs(value) <= MOST_NUMBER


def _entry(data: Any, name: str, kind: type) -> Any:
    if not isinstance(data, dict) or type(data.get(name)) is not kind:
        raise BadCampaignPlanError(f"its {name} is missing or invalid")
    return data[name]


def _text(data: Any, name: str) -> str:
    text: str = _entry(data, name, str)
    if len(text) > MOST_LETTERS or not text.isprintable():
        raise BadCampaignPlanError(f"its {name} is {shown(text)}, which is not a {name}")
    return text


def _count(data: Any, name: str, most: int) -> int:
    number: int = _entry(data, name, int)
    if not 1 <= number <= most:
        raise BadCampaignPlanError(f"{shown(data['id'])}: {name} is {number}, not 1 to {most:,}")
    return number
