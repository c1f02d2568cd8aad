"""Checks that hold or do not, as members of the family of tests."""

from __future__ import annotations

from rng_certification.base.finding import Finding


def check(name: str, holds: bool) -> Finding:
    """A check as a finding: p is 1 if it holds and 0 if it does not.

    The one can never fail, the other always does.
    """
    return Finding(name, 1, "checks", 1.0 if holds else 0.0)
