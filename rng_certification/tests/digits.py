"""The first binary digits of pi and e, including the integer part, computed from their series.

Python divides large integers in quadratic time, so division and square root use Newton's iteration,
which only multiplies.
"""

from __future__ import annotations

from rng_certification.sp800_22.sequence import BitSequence

_GUARD = 64


def pi_digits(bits: int) -> BitSequence:
    """Chudnovsky's series: pi = 426880 sqrt(10005) Q / T."""

    def split(low: int, high: int) -> tuple[int, int, int]:
        if high - low == 1:
            p = (6 * low - 5) * (2 * low - 1) * (6 * low - 1) if low else 1
            q = 10939058860032000 * low**3 if low else 1
            t = p * (13591409 + 545140134 * low)
            return p, q, -t if low % 2 else t
        middle = (low + high) // 2
        p1, q1, t1 = split(low, middle)
        p2, q2, t2 = split(middle, high)
        return p1 * p2, q1 * q2, t1 * q2 + p1 * t2

    precision = bits + _GUARD
    _, q, t = split(0, bits // 47 + 2)
    root = 10005 * _inverse_root(10005, precision)  # sqrt(x) = x / sqrt(x)
    return _leading(_quotient(426880 * q, t, precision) * root, bits)


def e_digits(bits: int) -> BitSequence:
    """The sum of 1 / k! as one fraction."""

    def split(low: int, high: int) -> tuple[int, int]:
        if high - low == 1:
            return 1, high
        middle = (low + high) // 2
        p1, q1 = split(low, middle)
        p2, q2 = split(middle, high)
        return p1 * q2 + p2, q1 * q2

    p, q = split(0, max(40, bits // 11))
    return _leading(_quotient(p + q, q, bits + _GUARD), bits)


def _leading(number: int, bits: int) -> BitSequence:
    number >>= number.bit_length() - bits
    size = -(-bits // 8)
    return BitSequence.of((number << (8 * size - bits)).to_bytes(size, "big"), bits)


def _quotient(a: int, b: int, precision: int) -> int:
    """Return a / b times some power of two, with at least `precision` right bits."""
    scale = b.bit_length()
    b = b >> (scale - precision - _GUARD) if scale > precision + _GUARD else b
    return a * _reciprocal(b, precision) >> (a.bit_length() - _GUARD)


def _reciprocal(b: int, precision: int) -> int:
    """Return 2^(length of b + precision) / b; each round doubles the right bits."""
    if precision < 200:
        return (1 << (b.bit_length() + precision)) // b
    half = precision // 2 + 10
    length = b.bit_length()
    x = _reciprocal(b >> max(0, length - half - _GUARD), half) << (precision - half)
    leading = b >> max(0, length - precision - _GUARD)
    residue = (1 << (leading.bit_length() + precision)) - leading * x
    return x + (x * residue >> (leading.bit_length() + precision))


def _inverse_root(n: int, precision: int) -> int:
    """Return 2^precision / sqrt(n)."""
    if precision < 200:
        x = 1 << (precision - n.bit_length() // 2)
        for _ in range(20):
            x += x * ((1 << 2 * precision) - n * x * x) >> (2 * precision + 1)
        return x
    half = precision // 2 + 10
    x = _inverse_root(n, half) << (precision - half)
    return x + (x * ((1 << 2 * precision) - n * x * x) >> (2 * precision + 1))
