"""Things that hold or do not: no sample, no chance, but members of the family all the same."""

from __future__ import annotations

from rng_certification.base.finding import Finding


def check(name: str, holds: bool) -> Finding:
    """p is 1 where it holds and 0 where it does not: the one can never fail, the other always
    does."""
    return Finding(name, 1, "checks", 1.0 if holds else 0.0)
