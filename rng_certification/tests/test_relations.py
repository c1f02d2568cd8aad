"""Relations between successive draws, parities of their bits, and values that recur."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from scipy.stats import poisson

from rng_certification.base.compiled import Draws
from rng_certification.base.finding import Finding
from rng_certification.certification import LEAST_DRAWS, certify, subject_of
from rng_certification.draws.collisions import CollisionsOver
from rng_certification.draws.lattice import Lattice, relation
from rng_certification.draws.parities import Parities
from rng_certification.draws.sparse_lags import SparseLags, clumped_tail
from rng_certification.draws.sums_of_bits import SumsOfBits, walsh
from rng_certification.known import sources
from rng_certification.known.samples import CLAMPED, REMAINDER, sample_for
from rng_certification.planted import draws, generators, hidden
from rng_certification.planted.bits import sum_that_leans


def _findings(test: Lattice | Parities | SparseLags, data: Draws) -> dict[str, Finding]:
    for piece in np.array_split(data.astype(np.uint32), 3):
        test.feed(piece)
    return {found.name: found for found in test.findings()}


def test_randu_fails_by_its_known_relation() -> None:
    """x(n + 2) = 6 x(n + 1) - 9 x(n) modulo 2^31, and the same for its steps."""
    share = generators.randu(7, 40) / (1 << 31)
    steps = np.diff(share)
    found = relation(steps - np.rint(steps), 3, 12, 30.0)
    assert [abs(int(factor)) for factor in found] == [9, 6, 1]


@pytest.mark.parametrize("span", [1024, 3750, 1 << 31, 1 << 32])
def test_good_draws_are_on_no_planes(span: int) -> None:
    random = np.random.default_rng(span)
    found = _findings(Lattice(span), draws.good(random, 12_000, span))
    assert found["lattice/planes"].p == 1.0


@pytest.mark.parametrize("name", ["minstd", "lcg48", "lcg64-high", "lcg32", "ansi-c"])
def test_congruential_generators_are_on_planes(name: str) -> None:
    known = next(each for each in sources.KNOWN if each.name == name)
    data, span = known.draws(5, 10_000)
    assert (_findings(Lattice(span), data)["lattice/planes"].p or 0.0) < 1e-30


def test_planes_are_skipped_with_fewer_than_ten_bits() -> None:
    assert Lattice(1023).findings() == []


def test_carries_do_not_hide_a_register_from_gray_codes() -> None:
    data = hidden.high_words_of_xorshift(np.random.default_rng(6), 20_000, 1 << 32)
    found = _findings(Parities(1 << 32), data)
    assert (found["parities/gray"].p or 0.0) < 1e-30
    assert (found["parities/gray"].statistic or 0.0) == pytest.approx(0.22, abs=0.03)


@pytest.mark.parametrize("bits", [8, 16])
def test_parities_of_good_draws_keep_their_alpha(bits: int) -> None:
    random = np.random.default_rng(bits)
    p = [
        found.p or 0.0
        for _ in range(25)
        for found in _findings(Parities(1 << bits), draws.good(random, 12_000, 1 << bits)).values()
    ]
    assert min(p) > 1e-4
    assert sum(each < 0.1 for each in p) < 14  # of 50; 5 are expected


def test_the_tail_without_clumps_is_poissons() -> None:
    for count, mean in ((1, 0.3), (4, 0.05), (30, 12.0)):
        assert clumped_tail(count, mean, 0.0) == pytest.approx(poisson.sf(count - 1, mean))


def test_the_tail_of_a_sparse_cell_equals_simulation() -> None:
    """For one value in 20 at one lag, Poisson's own tail would be too light."""
    random = np.random.default_rng(9)
    seven = random.integers(0, 20, (40_000, 400)) == 7
    met = (seven[:, 1:] & seven[:, :-1]).sum(axis=1)
    often = np.array([(met >= count).mean() for count in (2, 4, 6)])
    law = [clumped_tail(count, 399 / 400, 1 / 20) for count in (2, 4, 6)]
    assert often == pytest.approx(law, rel=0.25)
    assert law[2] > 1.3 * poisson.sf(5, 399 / 400)


@pytest.mark.parametrize("span", [16, 300, 1 << 32])
def test_good_draws_have_no_echo_at_any_lag(span: int) -> None:
    random = np.random.default_rng(span)
    p = [
        found.p or 0.0
        for _ in range(8)
        for found in _findings(SparseLags(span), draws.good(random, 10_000, span)).values()
    ]
    assert min(p) > 1e-3


@pytest.mark.parametrize("alpha", [1e-3, 1e-12, 1e-30])
def test_the_smallest_fault_is_a_number_at_any_alpha(alpha: float) -> None:
    found = _findings(SparseLags(3750), draws.good(np.random.default_rng(2), 10_000, 3750))
    for each in found.values():
        assert each.power is not None
        assert 0 < each.power.detectable(alpha) < 1000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("span", [256, 1 << 32])
def test_equal_draws_finish_in_reasonable_time(span: int) -> None:
    found = _findings(SparseLags(span), np.zeros(1_000_000, dtype=np.uint32))
    assert [each.p for each in found.values()] == [0.0, 0.0]


def test_an_echo_of_a_value_is_named_by_its_lag() -> None:
    data = hidden.one_value_echoes(np.random.default_rng(4), 100_000, 3750, lag=312, share=0.5)
    found = _findings(SparseLags(3750), data)["far-lags/one-value"]
    assert found.statistic == 312
    assert (found.p or 0.0) < 1e-6


@pytest.mark.parametrize(
    ("fault", "make"), [(CLAMPED, draws.clamped_byte), (REMAINDER, draws.remainder_of_a_byte)]
)
def test_faults_of_scaling_are_found_at_the_printed_sample(
    fault: str, make: Callable[..., Draws]
) -> None:
    sample = max(sample_for(52, 8, fault) or 0, LEAST_DRAWS)
    data = make(np.random.default_rng(12), sample, 52).astype("<u4").tobytes()
    assert not certify(BytesIO(data), subject_of("draws", 52)).judgement.passed


def test_a_byte_is_too_short_for_a_large_table() -> None:
    assert sample_for(3750, 8, CLAMPED) is None


def test_every_sum_of_bits_equals_a_count_by_hand() -> None:
    counts = np.random.default_rng(1).integers(0, 50, 64)
    by_hand = [
        sum(int(count) * (-1) ** (value & which).bit_count() for value, count in enumerate(counts))
        for which in range(64)
    ]
    assert list(walsh(counts)) == by_hand


@pytest.mark.parametrize(("bits", "number"), [(2, 2_000), (8, 20_000), (20, 40_000)])
def test_sums_of_bits_of_good_draws_keep_their_alpha(bits: int, number: int) -> None:
    random = np.random.default_rng(bits)
    found = []
    for _ in range(200):
        test = SumsOfBits(1 << bits)
        test.feed(draws.good(random, number, 1 << bits))
        found += [finding.p or 0.0 for finding in test.findings()]
    assert np.mean(np.array(found) <= 0.1) < 0.15
    assert min(found) > 1e-4


def test_a_biased_sum_of_bits_is_found_without_a_biased_bit() -> None:
    random = np.random.default_rng(3)
    data = sum_that_leans(random, 1 << 20, 0x2409, 0.015).view(np.uint16)
    test = SumsOfBits(1 << 16)
    test.feed(data.astype(np.uint32))
    assert (test.findings()[0].p or 0.0) < 1e-9
    ones = np.unpackbits(data.view(np.uint8)).mean()
    assert ones == pytest.approx(0.5, abs=0.001)


def test_two_sizes_of_cells_have_separate_names() -> None:
    names = [finding.name for finding in CollisionsOver(312).findings()]
    assert len(names) == len(set(names)) == 3
