"""Fractions as decimals, rounded half up."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction


def rounded(value: Fraction, places: int) -> str:
    """Return a fraction with this many places, rounded half up."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def percent(value: Fraction, places: int = 2) -> str:
    return rounded(value * 100, places)


def money(value: Fraction, places: int = 4) -> str:
    """Return dollars, with commas for large prizes."""
    whole, _, rest = rounded(value, places).partition(".")
    return f"${int(whole):,}" + (f".{rest}" if rest else "")
