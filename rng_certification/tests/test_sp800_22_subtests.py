"""All sub-tests against a second set of published answers: the output of NIST's own suite.

The pages of SP 800-22 show one sub-test of each test. Other authors published the suite's output
for the digits of e with the tests of their implementations (stamfest/randomtests,
Trisia/randomness): every state of the excursions, every template, and the worked examples of 100
bits.
"""

from __future__ import annotations

import pytest

from rng_certification.sp800_22 import (
    frequencies,
    linear_complexity,
    rank,
    spectral,
    walks,
    windows,
)
from rng_certification.sp800_22.fifteen_tests import NIST
from rng_certification.sp800_22.sequence import BitSequence
from rng_certification.tests.digits import e_digits, pi_digits

EXCURSIONS = (0.573306, 0.197996, 0.164011, 0.007779, 0.786868, 0.440912, 0.797854, 0.778186)
VARIANT = (
    *(0.858946, 0.794755, 0.576249, 0.493417, 0.633873, 0.917283, 0.934708, 0.816012, 0.826009),
    *(0.137861, 0.200642, 0.441254, 0.939291, 0.505683, 0.445935, 0.512207, 0.538635, 0.593930),
)
# The 148 templates in their order, on the first 100,000 digits.
# fmt: off
TEMPLATES = (
    0.362582, 0.284640, 0.293561, 0.876118, 0.881916, 0.101036, 0.390028, 0.303711,
    0.665796, 0.666907, 0.853051, 0.542935, 0.229011, 0.189467, 0.871692, 0.687604,
    0.221109, 0.397855, 0.308412, 0.523625, 0.626066, 0.205118, 0.874027, 0.223216,
    0.183903, 0.685834, 0.565530, 0.606847, 0.727910, 0.710080, 0.485984, 0.946850,
    0.880366, 0.965457, 0.455804, 0.161975, 0.834957, 0.706421, 0.986959, 0.432738,
    0.616595, 0.302839, 0.705469, 0.223583, 0.192914, 0.953679, 0.355950, 0.350645,
    0.108274, 0.765387, 0.328707, 0.921264, 0.456934, 0.052834, 0.097873, 0.888077,
    0.619331, 0.358708, 0.742750, 0.636513, 0.445503, 0.581641, 0.958742, 0.995141,
    0.815856, 0.813427, 0.325298, 0.645559, 0.255446, 0.219017, 0.728199, 0.187691,
    0.151682, 0.412030, 0.362582, 0.975536, 0.902346, 0.308983, 0.258669, 0.739953,
    0.411088, 0.676527, 0.612900, 0.737293, 0.447211, 0.005759, 0.273152, 0.533640,
    0.670461, 0.355320, 0.261877, 0.424258, 0.833187, 0.770848, 0.910626, 0.362698,
    0.671719, 0.729646, 0.177188, 0.519032, 0.110846, 0.252208, 0.842028, 0.103053,
    0.219097, 0.379184, 0.517481, 0.317279, 0.719708, 0.101370, 0.090705, 0.452224,
    0.850020, 0.266792, 0.248649, 0.904761, 0.233107, 0.702756, 0.159796, 0.870547,
    0.648748, 0.302839, 0.112370, 0.958322, 0.177357, 0.336428, 0.107832, 0.459866,
    0.920074, 0.740096, 0.057632, 0.941907, 0.644372, 0.605888, 0.147728, 0.036999,
    0.273866, 0.411904, 0.139917, 0.365258, 0.141055, 0.434032, 0.959988, 0.393074,
    0.638960, 0.757280, 0.863644, 0.412030,
)
# fmt: on


@pytest.fixture(scope="module")
def e() -> BitSequence:
    return e_digits(1_000_000)


def test_every_state_of_the_excursions_has_its_published_p(e: BitSequence) -> None:
    path = walks.walk(e)
    assert path.cycles == 1490
    assert walks.random_excursions(path) == pytest.approx(EXCURSIONS, abs=6e-7)
    assert walks.random_excursions_variant(path) == pytest.approx(VARIANT, abs=6e-7)


def test_every_template_has_its_published_p() -> None:
    found = windows.non_overlapping_templates(e_digits(100_000))
    assert found == pytest.approx(TEMPLATES, abs=6e-7)


def test_other_sizes_of_blocks_have_their_published_p(e: BitSequence) -> None:
    pairs = windows._cyclic(e.words, e.bits, 2)
    assert windows.serial(e.bits, pairs) == pytest.approx((0.843764, 0.561915), abs=6e-7)
    assert rank.matrix_rank(e_digits(100_000)) == pytest.approx(0.532069, abs=6e-7)
    complexity = linear_complexity.linear_complexity(e, 1000, NIST.linear_complexity)
    assert complexity == pytest.approx(0.845406, abs=6e-7)


def test_the_worked_examples_of_a_hundred_bits_of_pi_have_their_published_p() -> None:
    pi = pi_digits(100)
    triples = windows._cyclic(pi.words, pi.bits, 3)
    found = (
        frequencies.monobit(pi),
        frequencies.block_frequency(pi, 10),
        frequencies.runs(pi),
        spectral.spectral(pi),
        windows.approximate_entropy(pi.bits, triples, 2),
        *walks.cumulative_sums(walks.walk(pi)),
    )
    published = (0.109599, 0.706438, 0.500798, 0.646355, 0.235301, 0.219194, 0.114866)
    assert found == pytest.approx(published, abs=6e-7)
