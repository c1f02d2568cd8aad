"""Judge random data that a program already holds in an array, and return a certificate.

    certificate = judge_draws(generator.integers(0, 52, 100_000), 52)
    certificate.judgement.verdict  # "pass" or "fail"
    certificate.judgement.failures  # each with its finding: name, p and the fault it detects

The tests, the family and its alpha are the same as those of `cutcard certify --input`. A sample
that is too small for a verdict, or a value out of range, raises UnusableDataError.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from cutcard.renamed import renamed
from rng_certification.base.finding import Finding
from rng_certification.base.judgement import Judged, Judgement
from rng_certification.base.reading import UnusableDataError
from rng_certification.certification import Certificate, Subject, certify, subject_of

__all__ = [
    "Certificate",
    "Finding",
    "Judged",
    "Judgement",
    "UnusableDataError",
    "judge_bits",
    "judge_draws",
    "judge_shuffles",
]

IntegerArray = npt.NDArray[np.integer]


def judge_bits(data: bytes | Sequence[int] | IntegerArray) -> Certificate:
    """Judge random bytes; every bit is tested."""
    octets = (
        data
        if isinstance(data, bytes)
        else _in_range(_integers(data), 256).astype(np.uint8).tobytes()
    )
    return _judged(octets, subject_of("bits"))


def judge_draws(draws: Sequence[int] | IntegerArray, span: int) -> Certificate:
    """Judge draws of a number from 0 to span - 1, in the order they were drawn."""
    data = _in_range(_integers(draws), span).astype("<u4").tobytes()
    return _judged(data, subject_of("draws", span))


def judge_shuffles(decks: Sequence[Sequence[int]] | IntegerArray) -> Certificate:
    """Judge shuffled packs, one per row: the cards, numbered from 0, from the top down."""
    decks = _integers(decks)
    if decks.ndim != 2:
        raise UnusableDataError("shuffles must be rows of the same length, with one pack per row")
    cards = decks.shape[1]
    return _judged(_in_range(decks, cards).astype("<u2").tobytes(), subject_of("shuffles", cards))


def _judged(data: bytes, subject: Subject) -> Certificate:
    return certify(BytesIO(data), subject)


def _integers(values: object) -> IntegerArray:
    """Return the values as an array. Raises UnusableDataError if one is not an integer."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise UnusableDataError(f"the rows have different lengths: {error}") from None
    if not len(array):
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise UnusableDataError(f"the values are {array.dtype}, not integers")
    return array


def _in_range(values: IntegerArray, span: int) -> IntegerArray:
    """Check the range before a conversion, which would wrap a value that does not fit."""
    outside = np.flatnonzero((values < 0) | (values >= span))
    if len(outside):
        first = int(outside[0])
        raise UnusableDataError(f"value {values.flat[first]} at index {first} is not below {span}")
    return values


if not TYPE_CHECKING:  # for programs written for version 0.1
    __getattr__ = renamed(
        __name__,
        {
            "UnusableData": "UnusableDataError",
        },
    )
