"""The fifteen tests against the published answers, and against plain definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rng_certification.sp800_22 import linear_complexity as lc
from rng_certification.sp800_22 import spectral, walks, windows
from rng_certification.sp800_22.fifteen_tests import CORRECTED, NAMES, NIST, p_values
from rng_certification.sp800_22.sequence import BitSequence, ones_between, window
from rng_certification.tests.digits import e_digits, pi_digits

MEGABIT = 1_000_000

PUBLISHED = {
    "monobit": (0.578211, 0.953749),
    "block-frequency": (0.380615, 0.211072),
    "runs": (0.419268, 0.561917),
    "longest-run": (0.024390, 0.718945),
    "rank": (0.083553, 0.306156),
    "dft": (0.010186, 0.847187),
    "non-overlapping/000000001": (0.165757, 0.078790),
    "overlapping": (0.296897, 0.110434),
    "universal": (0.669012, 0.282568),
    "linear-complexity": (0.255475, 0.826335),
    "serial/1": (0.143005, 0.766182),
    "approximate-entropy": (0.361595, 0.700073),
    "cumulative-sums/forward": (0.628308, 0.669887),
    "random-excursions/+1": (0.844143, 0.786868),
    "random-excursions-variant/-1": (0.760966, 0.826009),
}


@pytest.fixture(scope="module")
def digits() -> dict[str, BitSequence]:
    return {"pi": pi_digits(MEGABIT), "e": e_digits(MEGABIT)}


def test_digits_of_pi_and_e_have_the_known_number_of_ones(digits: dict[str, BitSequence]) -> None:
    ones = {name: ones_between(bits.words, 0, MEGABIT) for name, bits in digits.items()}
    assert ones == {"pi": 499722, "e": 500029}


def test_published_answers_to_six_digits_with_nists_constants(
    digits: dict[str, BitSequence],
) -> None:
    answers = [dict(zip(NAMES, p_values(digits[name], NIST), strict=True)) for name in digits]
    for test, published in PUBLISHED.items():
        # e's cumulative sums are 0.66988646, printed as 0.669887
        assert [p[test] for p in answers] == pytest.approx(published, rel=0, abs=6e-7), test


def test_second_published_answers_on_pi(digits: dict[str, BitSequence]) -> None:
    answers = dict(zip(NAMES, p_values(digits["pi"], NIST), strict=True))
    assert answers["serial/2"] == pytest.approx(0.034354, abs=5e-7)
    assert answers["cumulative-sums/backward"] == pytest.approx(0.663369, abs=5e-7)


def test_corrected_constants_change_only_overlapping_and_linear_complexity(
    digits: dict[str, BitSequence],
) -> None:
    nist = dict(zip(NAMES, p_values(digits["pi"], NIST), strict=True))
    corrected = dict(zip(NAMES, p_values(digits["pi"], CORRECTED), strict=True))
    assert corrected["overlapping"] == pytest.approx(0.260704, abs=5e-7)
    assert corrected["linear-complexity"] == pytest.approx(0.246857, abs=5e-7)
    differing = {name for name in NAMES if nist[name] != corrected[name]}
    assert differing == {"overlapping", "linear-complexity"}


def test_there_are_188_sub_tests() -> None:
    assert len(NAMES) == len(set(NAMES)) == 188


def test_corrected_overlap_chances_are_the_exact_law_to_six_digits() -> None:
    assert windows.exact_overlap_chances() == pytest.approx(windows.OVERLAP_CHANCES, abs=6e-7)


def test_corrected_complexity_chances_sum_to_one() -> None:
    assert sum(lc.CHANCES) == pytest.approx(1, abs=1e-6)
    assert sum(lc.NIST_CHANCES) != pytest.approx(1, abs=1e-6)


def _naive_complexity(bits: list[int]) -> int:
    connection, before = [1], [1]
    length, since = 0, 1
    for at in range(len(bits)):
        differs = sum(c & bits[at - i] for i, c in enumerate(connection) if i <= at) & 1
        if differs:
            grown = connection + [0] * max(0, len(before) + since - len(connection))
            for i, c in enumerate(before):
                grown[i + since] ^= c
            if 2 * length <= at:
                length, before, since = at + 1 - length, connection, 0
            connection = grown
        since += 1
    return length


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=40, max_size=60), st.sampled_from([1, 7, 30, 63, 64, 65, 100]))
def test_bit_sliced_complexities_equal_berlekamp_massey(data: bytes, size: int) -> None:
    sequence = BitSequence.of(data)
    bits = [int(bit) for bit in np.unpackbits(sequence.packed)]
    blocks = len(bits) // size
    expected = [_naive_complexity(bits[b * size : (b + 1) * size]) for b in range(blocks)]
    assert list(lc.complexities(sequence.words, blocks, size)) == expected


def test_complexity_of_a_shift_register_is_its_length() -> None:
    register = [1] + 30 * [0]
    for _ in range(2000):
        register.append(register[-3] ^ register[-31])  # x^31 + x^28 + 1
    sequence = BitSequence.of(np.packbits(register))
    assert list(lc.complexities(sequence.words, 4, 500)) == [31, 31, 31, 31]


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=32, max_size=200), st.data())
def test_windows_and_ranges_read_the_bits_they_name(data: bytes, draw: st.DataObject) -> None:
    sequence = BitSequence.of(data)
    bits = np.unpackbits(sequence.packed)
    start = draw.draw(st.integers(0, len(bits) - 64))
    end = draw.draw(st.integers(start, len(bits)))
    assert f"{window(sequence.words, start):064b}" == "".join(map(str, bits[start : start + 64]))
    assert ones_between(sequence.words, start, end) == int(bits[start:end].sum())


def test_peaks_equal_those_of_one_long_transform() -> None:
    sequence = BitSequence.of(np.random.default_rng(5).bytes(12_500))
    signs = 2.0 * np.unpackbits(sequence.packed) - 1
    peaks = np.abs(np.fft.rfft(signs))[: len(signs) // 2]
    assert spectral.peaks_below(sequence) == np.sum(peaks < np.sqrt(np.log(20) * len(signs)))


def test_walk_by_bytes_equals_the_walk_by_bits() -> None:
    for seed in range(20):
        sequence = BitSequence.of(np.random.default_rng(seed).bytes(1000), 7993)
        path = np.cumsum(2 * np.unpackbits(sequence.packed)[:7993].astype(int) - 1)
        found = walks.walk(sequence)
        assert (found.end, found.farthest) == (path[-1], np.abs(path).max())
        before = np.concatenate(([0], path[:-1]))
        assert found.farthest_from_end == np.abs(path[-1] - before).max()
        assert found.cycles == np.sum(path == 0) + (path[-1] != 0)
        assert list(found.visits) == [np.sum(path == x) for x in range(-9, 10)]
        assert list(found.tallies.sum(axis=1)) == 8 * [found.cycles]


def test_templates_are_counted_without_overlap_as_nist_counts_them() -> None:
    data = np.random.default_rng(3).bytes(8 * 125)
    text = "".join(f"{byte:08b}" for byte in data)
    tally = windows._windows_by_block(BitSequence.of(data).words, 8, 1000, 9)
    for pattern in windows.aperiodic_templates():
        template = f"{pattern:09b}"
        counts = [text[b * 1000 : (b + 1) * 1000].count(template) for b in range(8)]
        assert list(tally[:, pattern]) == counts


def test_a_sequence_with_too_few_cycles_has_no_excursions() -> None:
    rising = BitSequence.of(np.packbits(np.arange(MEGABIT) % 3 != 0))
    answers = dict(zip(NAMES, p_values(rising), strict=True))
    assert np.isnan(answers["random-excursions/+1"])
    assert answers["monobit"] == 0
