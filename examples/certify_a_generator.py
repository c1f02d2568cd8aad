"""Certify your own generators: a good and a biased one, 50,000 draws of one of 52 cards each."""

import numpy as np
import numpy.typing as npt

from rng_certification.arrays import judge_draws


def good(number: int) -> npt.NDArray[np.int64]:
    return np.random.default_rng(7).integers(0, 52, number)


def bad(number: int) -> npt.NDArray[np.int64]:
    """Return bytes modulo 52: each of the first 48 cards is 25 % likelier than each of the rest."""
    return np.random.default_rng(7).integers(0, 256, number) % 52


for generator in (good, bad):
    certificate = judge_draws(generator(50_000), span=52)
    print(f"{generator.__name__}: {certificate.judgement.verdict}")
    for failure in certificate.judgement.failures[:3]:
        print(f"    {failure.finding.name}: p = {failure.finding.p:.2g}")
