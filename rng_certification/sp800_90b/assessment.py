"""The assessment of section 3.1.3: all ten estimators, on samples and on their bits.

As in NIST's tool, all ten estimators assess samples of two values directly. Other samples are
assessed directly by the seven that accept any alphabet, and their bits by all ten. The smaller of
the two results, per sample, counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rng_certification.base.compiled import Bytes
from rng_certification.sp800_90b import counting, predictors, tuples
from rng_certification.sp800_90b.estimate import EntropyEstimate
from rng_certification.sp800_90b.repeats import (
    repeats_of,
    shared_prefixes,
    sorted_suffixes,
)
from rng_certification.sp800_90b.samples import Samples

# The standard's minimum of successive samples; with fewer, a validation does not count.
LEAST_SAMPLES = 1_000_000


@dataclass(frozen=True)
class Assessment:
    """Estimates: `original` for each sample, `bitstring` for each bit; `entropy` is assessed."""

    sample_bits: int
    samples: int
    literal: tuple[EntropyEstimate, ...]
    bitwise: tuple[EntropyEstimate, ...]

    @property
    def original(self) -> float:
        return _least(self.literal, self.sample_bits)

    @property
    def bitstring(self) -> float | None:
        return _least(self.bitwise, 1) if self.bitwise else None

    @property
    def entropy(self) -> float:
        """Bits of min-entropy per sample."""
        if self.bitstring is None:
            return self.original
        return min(self.original, self.sample_bits * self.bitstring)

    def as_json(self) -> dict[str, Any]:
        return {
            "h_original": self.original,
            "h_bitstring": self.bitstring,
            "assessed": self.entropy,
            "estimates": [
                *(_row("literal", estimate) for estimate in self.literal),
                *(_row("bitstring", estimate) for estimate in self.bitwise),
            ],
        }


def _least(estimates: tuple[EntropyEstimate, ...], most: float) -> float:
    return min([most, *(e.entropy for e in estimates if e.entropy is not None)])


def _row(of: str, estimate: EntropyEstimate) -> dict[str, Any]:
    return {
        "name": estimate.name,
        "of": of,
        "entropy": estimate.entropy,
        **({"skipped": estimate.skipped} if estimate.skipped else {"figures": estimate.figures}),
    }


def assess(samples: Samples) -> Assessment:
    """Return the initial estimate, without the submitter's own."""
    bitwise = estimates(samples.bitstring.raw, 2) if samples.alphabet > 2 else ()
    return replace(assess_literally(samples), bitwise=bitwise)


def assess_literally(samples: Samples) -> Assessment:
    """Assess samples without their bits, as required for restart data."""
    if samples.alphabet < 2:  # no entropy, regardless of the estimators
        constant = EntropyEstimate(
            counting.MOST_COMMON_VALUE, 0.0, {"mode": len(samples), "p-hat": 1.0}
        )
        return Assessment(samples.bits, len(samples), (constant,), ())
    literal = estimates(samples.symbols, samples.alphabet)
    return Assessment(samples.bits, len(samples), literal, ())


def estimates(symbols: Bytes, alphabet: int) -> tuple[EntropyEstimate, ...]:
    """Return the estimators for this alphabet, in the standard's order."""
    order = sorted_suffixes(symbols, (alphabet - 1).bit_length())
    prefixes = shared_prefixes(symbols, order)
    repeats = repeats_of(prefixes)
    stretches = predictors.Stretches(symbols, alphabet, order, prefixes)
    for_bits = (
        (counting.collision(symbols), counting.markov(symbols), counting.compression(symbols))
        if alphabet == 2
        else ()
    )
    return (
        counting.most_common_value(symbols),
        *for_bits,
        tuples.t_tuple(repeats, len(symbols)),
        tuples.longest_repeat(repeats, len(symbols)),
        predictors.multi_most_common_in_window(symbols, alphabet),
        predictors.lag(symbols, alphabet),
        predictors.multi_markov_model(stretches),
        predictors.lz78y(stretches),
    )
