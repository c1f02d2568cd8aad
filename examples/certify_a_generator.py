"""Certify a generator of your own: 50,000 draws of a card out of 52, one good source, one bad."""

import numpy as np
import numpy.typing as npt

from rng_certification.arrays import judge_draws


def good(number: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(7).integers(0, 52, number)


def bad(number: int) -> npt.NDArray[np.int64]:
    """A byte modulo 52: the first 48 cards come five times where the others come four times."""
    return np.random.default_rng(7).integers(0, 256, number) % 52


for generator in (good, bad):
    certificate = judge_draws(generator(50_000), span=52)
    print(f"{generator.__name__}: {certificate.judgement.verdict}")
    for failure in certificate.judgement.failures[:3]:
        print(f"    {failure.finding.name}: p = {failure.finding.p:.2g}")
