"""The ten estimators: NIST's own answers, the standard's examples, a slow twin, and known sources.

NIST publishes its tool's results for its reference files (`cpp/selftest/refdata` of the public
repository usnistgov/SP800-90B_EntropyAssessment), including every intermediate value. One of the
files, `data.pi.bin`, can be computed: it is the text of the binary digits of pi, with every
character other than the digit 0 read as a 1. The other files are recordings; their published
intermediate values check the second half of each estimator.
"""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rng_certification.base.compiled import Bytes
from rng_certification.base.reading import UnusableDataError
from rng_certification.sp800_90b import counting, predictors, tuples
from rng_certification.sp800_90b.assessment import assess, estimates
from rng_certification.sp800_90b.estimate import EntropyEstimate
from rng_certification.sp800_90b.prediction import PredictionHits, predicted
from rng_certification.sp800_90b.repeats import (
    RepeatCounts,
    repeats_of,
    shared_prefixes,
    sorted_suffixes,
)
from rng_certification.sp800_90b.samples import Samples
from rng_certification.tests import plain_90b as plain
from rng_certification.tests.digits import pi_digits

# data.pi.res: the tool's output, to the digits of a double.
NIST_OF_PI: dict[str, tuple[float, dict[str, float]]] = {
    "most-common-value": (0.81114057970407438, {"mode": 662972, "p_u": 0.56993109817230025}),
    "collision": (
        0.56953759345777466,
        {"v": 477455, "X-bar": 2.4414154213486086, "X-bar'": 2.4395643654531334},
    ),
    "markov": (
        0.72318078199004532,
        {"P_{0,0}": 0.48045928537042415, "P_{1,1}": 0.60606120026366161},
    ),
    "compression": (
        0.60155919063219654,
        {"X-bar": 5.1280437523324389, "sigma-hat": 1.0483049347003059, "p": 0.081936203422937059},
    ),
    "t-tuple": (0.70186099415040004, {"t": 18, "p-hat_max": 0.61361698191214176}),
    "longest-repeated-substring": (
        0.90880365648334804,
        {"u": 19, "v": 43, "p-hat": 0.53143605510587266},
    ),
    "multi-most-common-in-window": (0.81233323259173817, {"C": 662387, "r": 23, "N": 1165603}),
    "lag": (0.81143461261488992, {"C": 662836, "r": 22, "N": 1165665}),
    "multi-markov-model": (0.81118369680348135, {"C": 662951, "r": 23, "N": 1165664}),
    "lz78y": (0.81115864436468677, {"C": 662954, "r": 23, "N": 1165649}),
}
# (C, N, r, alphabet) and the entropy printed, from rand8_short.res and normal.res.
NIST_PREDICTIONS = [
    ((39756, 79937, 15, 2), 0.99453711551450596),
    ((43, 9937, 2, 256), 7.3751922497299107),
    ((52, 9999, 3, 256), 6.6364412870839109),  # decided by the longest run: P_local .01005
    ((44, 9983, 2, 256), 7.3533553938353844),
    ((5001029, 7999998, 41, 2), 0.6767576005226027),
    ((3996310, 7999937, 10, 2), 1.0),
    ((19163, 999983, 4, 179), 5.6791638971261458),
]


def data_pi() -> Bytes:
    """Return lines of 25 digits between four characters, except at the file's two ends."""
    digits = pi_digits(1_004_882)
    bits = np.unpackbits(digits.words.astype(">u8").view(np.uint8))[: digits.bits]
    breaks = np.arange(24, len(bits), 25)
    lines = np.insert(bits, np.repeat(breaks, 4), 1)
    return np.concatenate((np.ones(3, np.uint8), lines, np.ones(1, np.uint8)))


def test_estimators_give_nists_answers_for_the_digits_of_pi() -> None:
    assessment = assess(Samples.of(data_pi(), 1))
    assert [estimate.name for estimate in assessment.literal] == list(NIST_OF_PI)
    for estimate in assessment.literal:
        entropy, figures = NIST_OF_PI[estimate.name]
        assert estimate.entropy == pytest.approx(entropy, abs=1e-12)
        for name, value in figures.items():
            assert estimate.figures[name] == pytest.approx(value, rel=1e-12), estimate.name
    assert assessment.bitstring is None
    assert assessment.entropy == pytest.approx(0.56953759345777466, abs=1e-12)


@pytest.mark.parametrize(("hits", "entropy"), NIST_PREDICTIONS)
def test_predictors_give_nists_answers(hits: tuple[int, int, int, int], entropy: float) -> None:
    correct, number, run, alphabet = hits
    estimate = predicted("", PredictionHits(number, correct, run - 1), alphabet)
    assert estimate.entropy == pytest.approx(entropy, abs=1e-9)


def symbols(text: str) -> Bytes:
    return np.array([int(letter) for letter in text], dtype=np.uint8)


def repeats(data: Bytes, alphabet: int) -> RepeatCounts:
    order = sorted_suffixes(data, (alphabet - 1).bit_length())
    return repeats_of(shared_prefixes(data, order))


def stretches(data: Bytes, alphabet: int, depth: int) -> predictors.Stretches:
    order = sorted_suffixes(data, (alphabet - 1).bit_length())
    return predictors.Stretches(data, alphabet, order, shared_prefixes(data, order), depth)


TUPLES = symbols("220102012120121001000")
BITS = symbols("1000111001010101110011000111001010101110")


@pytest.mark.parametrize(
    ("estimate", "printed"),
    [
        (counting.most_common_value(symbols("01120122010110221021")), 0.536),
        (counting.collision(BITS), 0.448),
        (counting.markov(BITS), 0.761),
        (tuples.t_tuple(repeats(TUPLES, 3), 21, often=3), 0.273),
        (
            predictors.multi_most_common_in_window(
                symbols("121021122000"), 3, np.array((3, 5, 7, 9))
            ),
            0.391,
        ),
        (predictors.lag(symbols("2132131312") - 1, 3, 3), 0.735),
        (predictors.multi_markov_model(stretches(symbols("213213131") - 1, 3, 3)), 0.0756),
        (predictors.lz78y(stretches(symbols("2132131312132") - 1, 3, 4)), 0.0192),
    ],
)
def test_estimators_give_the_worked_examples_of_the_standard(
    estimate: EntropyEstimate, printed: float
) -> None:
    assert estimate.entropy == pytest.approx(printed, abs=6e-4)


sequences = st.integers(2, 5).flatmap(
    lambda k: st.tuples(st.just(k), st.lists(st.integers(0, k - 1), min_size=60, max_size=150))
)
binaries = st.lists(st.integers(0, 1), min_size=60, max_size=150)


def hits_of(estimate: EntropyEstimate) -> plain.Guesses:
    figures = estimate.figures
    return int(figures["N"]), int(figures["C"]), int(figures["r"]) - 1


@settings(max_examples=60, deadline=None)
@given(sequences)
def test_predictors_equal_a_plain_implementation(case: tuple[int, list[int]]) -> None:
    alphabet, s = case
    data = np.array(s, dtype=np.uint8)
    contexts = stretches(data, alphabet, 4)
    windows = (7, 15, 31, 63)
    window = predictors.multi_most_common_in_window(data, alphabet, np.array(windows))
    assert hits_of(window) == plain.multi_most_common_in_window(s, windows)
    assert hits_of(predictors.lag(data, alphabet, 9)) == plain.lag(s, 9)
    assert hits_of(predictors.multi_markov_model(contexts)) == plain.multi_markov_model(s, 4, 10**5)
    assert hits_of(predictors.lz78y(contexts)) == plain.lz78y(s, 4, 65536)


@settings(max_examples=30, deadline=None)
@given(sequences, st.integers(1, 40))
def test_full_dictionaries_learn_no_new_context(case: tuple[int, list[int]], room: int) -> None:
    alphabet, s = case
    data = np.array(s, dtype=np.uint8)
    known = stretches(data, alphabet, 4)
    parts = data, known.numbers, known.offsets, room
    assert predictors._markov_models(*parts) == plain.multi_markov_model(s, 4, room)
    assert predictors._dictionary(*parts) == plain.lz78y(s, 4, room)


@settings(max_examples=40, deadline=None)
@given(sequences, st.integers(2, 5))
def test_tuples_equal_a_plain_implementation(case: tuple[int, list[int]], often: int) -> None:
    alphabet, s = case
    found = repeats(np.array(s, dtype=np.uint8), alphabet)
    for length in range(1, found.longest + 1):
        counts = plain.tuple_counts(s, length).values()
        assert found.commonest[length] == max(counts)
        assert found.equal_pairs[length] == sum(c * (c - 1) // 2 for c in counts)
    shares = tuples.t_tuple(found, len(s), often).figures
    assert shares["p-hat_max"] == pytest.approx(plain.t_tuple(s, often))
    repeat = tuples.longest_repeat(found, len(s), often)
    u, v, share = plain.longest_repeat(s, often) if repeat.entropy is not None else (0, 0, 0.0)
    if repeat.entropy is not None:
        assert (repeat.figures["u"], repeat.figures["v"]) == (u, v)
        assert repeat.figures["p-hat"] == pytest.approx(share)


@settings(max_examples=40, deadline=None)
@given(binaries)
def test_collisions_and_chains_equal_a_plain_implementation(s: list[int]) -> None:
    data = np.array(s, dtype=np.uint8)
    times = plain.collision_times(s)
    collision = counting.collision(data).figures
    assert collision["v"] == len(times)
    assert collision["X-bar"] == pytest.approx(np.mean(times))
    assert collision["sigma-hat"] == pytest.approx(np.std(times, ddof=1))
    assert counting.markov(data).entropy == pytest.approx(plain.markov(s), abs=1e-9)


def test_compression_equals_a_plain_implementation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text's own example, a dictionary of four blocks of eight, which gives 0.1345."""
    monkeypatch.setattr(counting, "DICTIONARY_BLOCKS", 4)
    interpreted = getattr(counting._distances, "py_func")  # noqa: B009
    monkeypatch.setattr(counting, "_distances", interpreted)
    bits = symbols("100011100101010111001100011100101010111001100011")
    estimate = counting.compression(bits)
    assert estimate.entropy == pytest.approx(0.1345, abs=5e-5)
    distances = plain.compression_distances(bits.tolist(), 4)
    assert estimate.figures["X-bar"] == pytest.approx(np.mean(np.log2(distances)))
    p = estimate.figures["p"]
    assert plain.compression_mean(p, 8, 4) == pytest.approx(estimate.figures["X-bar'"])


@pytest.mark.parametrize("text", ["0" * 200, "01" * 100, "0" * 199 + "1", "0011" * 40 + "1"])
def test_suffixes_of_repetitive_data_are_sorted(text: str) -> None:
    data = symbols(text)
    order = sorted_suffixes(data, 1)
    assert order.tolist() == sorted(range(len(text)), key=lambda i: text[i:])


@pytest.mark.parametrize("entropy", [1.0, 0.8, 0.5, 0.2])
def test_a_biased_coin_is_assessed_slightly_below_its_entropy(entropy: float) -> None:
    """Estimators err in favour of the user; the simplest ones are close."""
    random = np.random.Generator(np.random.SFC64(round(100 * entropy)))
    bits = (random.random(200_000) < 2.0**-entropy).astype(np.uint8)
    found = {estimate.name: estimate.entropy for estimate in estimates(bits, 2)}
    assert 0.5 * entropy < min(e for e in found.values() if e is not None) <= entropy
    for name in ("most-common-value", "markov", "multi-markov-model", "lz78y"):
        assert found[name] == pytest.approx(entropy, abs=0.02), name


def test_a_chain_is_assessed_by_its_most_likely_path() -> None:
    """A bit that repeats with chance 0.8 is even, and has log2(1 / 0.8) bits each."""
    random = np.random.Generator(np.random.SFC64(8))
    turns = random.random(200_000) < 0.2
    bits = (np.cumsum(turns) % 2).astype(np.uint8)
    found = {estimate.name: estimate.entropy for estimate in estimates(bits, 2)}
    assert found["most-common-value"] == pytest.approx(1, abs=0.02)
    for name in ("markov", "multi-markov-model", "lag", "lz78y"):
        assert found[name] == pytest.approx(log2(1 / 0.8), abs=0.01), name
    assert min(e for e in found.values() if e is not None) < log2(1 / 0.8)


def test_wide_samples_are_assessed_as_samples_and_as_bits() -> None:
    random = np.random.Generator(np.random.SFC64(4))
    assessment = assess(Samples.of(random.integers(0, 16, 50_000).astype(np.uint8), 4))
    assert [len(assessment.literal), len(assessment.bitwise)] == [7, 10]
    assert assessment.bitstring is not None
    assert assessment.entropy == min(assessment.original, 4 * assessment.bitstring)
    assert 3 < assessment.entropy < 4


def test_gaps_in_the_alphabet_do_not_change_the_assessment() -> None:
    random = np.random.Generator(np.random.SFC64(5))
    few = random.integers(0, 3, 5_000).astype(np.uint8)
    spread = np.array([3, 100, 250], dtype=np.uint8)[few]
    assert assess(Samples.of(few, 2)).literal == assess(Samples.of(spread, 8)).literal


def test_samples_that_never_change_have_no_entropy() -> None:
    assert assess(Samples.of(bytes(5000), 8)).entropy == 0


def test_an_invalid_sample_is_named_with_its_offset() -> None:
    with pytest.raises(UnusableDataError, match="sample 3 is 2, not one of 1 bit") as raised:
        Samples.of(bytes((0, 1, 1, 2, 0)), 1)
    assert raised.value.offset == 3
