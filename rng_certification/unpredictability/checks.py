"""Checks that pass or fail without chance, as members of the family of tests."""

from __future__ import annotations

from rng_certification.base.finding import Finding


def check(name: str, holds: bool) -> Finding:
    """Return a check as a finding: p is 1 if it passes and 0 if it fails.

    The first can never fail the family, the second always does.
    """
    return Finding(name, 1, "checks", 1.0 if holds else 0.0)
