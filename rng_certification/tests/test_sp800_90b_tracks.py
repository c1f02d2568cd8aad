"""Independence, restarts, health rates and the command: tests of a source against its claim."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.machines.entropy import lag_cutoff, proportion_cutoff, repetition_cutoff
from cutcard_firmware.core.random.health import HealthTests
from firmware.tests.interpreters import COMMANDS, FIRMWARE
from rng_certification.base.compiled import Bytes
from rng_certification.sp800_90b import permutation
from rng_certification.sp800_90b.examination import DEPENDENT, INDEPENDENT, examine
from rng_certification.sp800_90b.health_laws import (
    mean_wait_for_proportion,
    mean_wait_for_repetition,
    proportion_alarm,
)
from rng_certification.sp800_90b.health_rates import (
    LAG_WINDOW,
    bits_of,
    copying,
    detections,
    false_alarms,
)
from rng_certification.sp800_90b.independence import independence_tests
from rng_certification.sp800_90b.permutation import NAMES, permutation_tests
from rng_certification.sp800_90b.restart import restart_tests, sanity_bound
from rng_certification.sp800_90b.samples import Samples


def coin(ones: float, size: int, seed: int = 1) -> Bytes:
    random = np.random.Generator(np.random.SFC64(seed))
    return (random.random(size) < ones).astype(np.uint8)


def sticky(size: int, stays: float) -> Bytes:
    random = np.random.Generator(np.random.SFC64(3))
    return (np.cumsum(random.random(size) >= stays) % 2).astype(np.uint8)


# --- permutation tests -------------------------------------------------------------------------


def test_statistics_equal_a_calculation_by_hand() -> None:
    """A sequence short enough to calculate by hand, of values, not of bits."""
    s = np.array([5, 15, 12, 1, 13, 9, 4], dtype=np.uint8)
    every = np.ones(len(NAMES), dtype=bool)
    found = permutation._statistics(s, False, float(s.mean()), float(np.median(s)), every)
    named = dict(zip(NAMES, found.tolist(), strict=False))
    mean = s.mean()
    steps = [abs(s[: i + 1].sum() - (i + 1) * mean) for i in range(7)]
    assert named["excursion"] == pytest.approx(max(steps))
    # rises and falls: + - - + - -
    assert named["directional-runs/number"] == 4
    assert named["directional-runs/longest"] == 2
    assert named["increases-and-decreases"] == 4
    # against the median of 9: - + + - + + -
    assert named["median-runs/number"] == 5
    assert named["median-runs/longest"] == 2
    assert named["periodicity/lag-1"] == 0
    assert named["covariance/lag-1"] == 5 * 15 + 15 * 12 + 12 * 1 + 1 * 13 + 13 * 9 + 9 * 4


def test_a_statistic_does_not_depend_on_the_other_requested_ones() -> None:
    noise = coin(0.5, 4_000)
    every = np.ones(len(NAMES), dtype=bool)
    whole = permutation._statistics(noise, True, 0.5, 0.5, every)
    for place in range(len(whole)):
        alone = np.arange(len(NAMES)) == place
        assert permutation._statistics(noise, True, 0.5, 0.5, alone)[place] == whole[place]


def test_collisions_are_counted_again_after_each() -> None:
    data = np.array([2, 1, 1, 2, 0, 1, 0, 1, 1, 2], dtype=np.uint8)
    average, most = permutation._collisions(data)
    assert (average, most) == (3.0, 4)  # 2 1 1, 2 0 1 0, 1 1; the last 2 has no collision


def test_bits_are_counted_and_converted_by_eights() -> None:
    bits = np.array([1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1], dtype=np.uint8)
    assert permutation._eights(bits, True).tolist() == [4, 6, 2]
    assert permutation._eights(bits, False).tolist() == [142, 219, 48]


def test_shuffles_are_uniform() -> None:
    state = np.arange(1, 5, dtype=np.uint64)
    table = np.zeros((6, 6))
    for _ in range(6000):
        cards = np.arange(6, dtype=np.uint8)
        permutation._shuffle(cards, state)
        table[np.arange(6), cards] += 1
    assert float(((table - 1000) ** 2 / 1000).sum()) * 5 / 6 < 52.6  # 1 in 1000, 25 degrees


def test_independent_samples_pass_and_a_chain_does_not() -> None:
    good = permutation_tests(Samples.of(coin(0.515, 5_000), 1), 1)
    assert all(rank.passes for rank in good)
    bad = permutation_tests(Samples.of(sticky(20_000, 0.6), 1), 1, 100)
    failed = {rank.name for rank in bad if not rank.passes}
    assert {"median-runs/number", "median-runs/longest"} & failed
    assert min(rank.p for rank in bad) == pytest.approx(2 / 101)


def test_p_values_with_an_early_stop_are_uniform_enough() -> None:
    """Besag and Clifford's p: at most a tenth of good data is below a tenth."""
    small = total = 0
    for seed in range(40):
        ranks = permutation_tests(Samples.of(coin(0.5, 400, seed + 100), 1), seed, 200)
        small += sum(rank.p <= 0.1 for rank in ranks)
        total += len(ranks)
    assert small / total < 0.15


# --- chi-square and the longest repeat ---------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 3, 8])
def test_good_samples_pass_the_tests_of_independence(bits: int) -> None:
    random = np.random.Generator(np.random.SFC64(bits))
    samples = Samples.of(random.integers(0, 1 << bits, 100_000).astype(np.uint8), bits)
    assert all(test.passes for test in independence_tests(samples))


def test_dependent_drifting_and_repeating_samples_are_each_caught() -> None:
    chain, _, _ = independence_tests(Samples.of(sticky(100_000, 0.55), 1))
    assert chain.p < 1e-6
    drift = np.concatenate((coin(0.49, 50_000), coin(0.51, 50_000)))
    _, evenness, _ = independence_tests(Samples.of(drift, 1))
    assert evenness.p < 1e-6
    copied = coin(0.5, 100_000)
    copied[60_000:60_100] = copied[1_000:1_100]
    _, _, repeat = independence_tests(Samples.of(copied, 1))
    assert repeat.statistic >= 100
    assert repeat.p < 1e-6


# --- restarts ----------------------------------------------------------------------------------


def test_restarts_of_good_noise_are_validated() -> None:
    found = restart_tests(Samples.of(coin(0.515, 1_000_000), 1), 0.5)
    assert found.sane
    assert found.validated
    assert found.entropy == 0.5


def test_equal_starts_are_found_by_column() -> None:
    """Every start gives the same first hundred samples: each row is still random."""
    matrix = coin(0.5, 1_000_000).reshape(1000, 1000)
    matrix[:, :100] = matrix[0, :100]
    found = restart_tests(Samples.of(np.ascontiguousarray(matrix).ravel(), 1), 0.8)
    assert found.commonest == 1000
    assert not found.sane
    assert found.entropy == 0
    assert found.p < 1e-12


@pytest.mark.parametrize(("entropy", "bound"), [(0.5, 769), (1.0, 573), (8.0, 19)])
def test_the_sanity_bound_agrees_with_the_binomial_tail(entropy: float, bound: int) -> None:
    assert abs(sanity_bound(entropy) - bound) <= 1


# --- health tests ------------------------------------------------------------------------------


@pytest.mark.parametrize(("entropy", "cutoff"), [(0.5, 41), (1, 21), (8, 4)])
def test_repetition_cutoffs_equal_the_standard(entropy: float, cutoff: int) -> None:
    assert repetition_cutoff(entropy, 20) == cutoff


@pytest.mark.parametrize(
    ("entropy", "window", "cutoff"), [(1, 1024, 589), (0.8, 1024, 664), (8, 512, 13), (4, 512, 62)]
)
def test_proportion_cutoffs_equal_the_standard(entropy: float, window: int, cutoff: int) -> None:
    assert proportion_cutoff(entropy, 20, window) == cutoff


@pytest.mark.parametrize("claim", [0.25, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("bits", [20, 30, 40])
def test_false_alarms_are_as_rare_as_declared(claim: float, bits: int) -> None:
    """By exact law, for noise with exactly the claim: per sample, and per window.

    The standard's cutoff of the proportion is for W samples. Because the first sample counts
    itself, an alarm is up to an eighth more likely for even bits than stated.
    """
    chances = bits_of(claim)
    repeats = repetition_cutoff(claim, bits)
    assert 1 / mean_wait_for_repetition(chances, repeats) <= len(chances) * 2.0**-bits
    count = proportion_cutoff(claim, bits, 1024)
    assert proportion_alarm(chances, count, 1024) <= 1.13 * 2.0**-bits


def test_mean_waits_for_short_cutoffs_equal_a_calculation_by_hand() -> None:
    """Two heads or two tails in succession: 3 tosses on average."""
    assert mean_wait_for_repetition((0.5, 0.5), 2) == pytest.approx(3)
    # a window of two that alarms if both agree: half of them, on its second sample
    assert mean_wait_for_proportion((0.5, 0.5), 2, 2) == pytest.approx(4)


@pytest.mark.parametrize("claim", [0.04, 0.25, 0.5, 0.8, 1.0])
def test_the_firmware_alarms_as_often_as_its_law(claim: float) -> None:
    for finding in false_alarms(claim, 2000, seed=7):
        assert finding.p is not None
        assert finding.p > 1e-4, finding


def counted(samples: Bytes, lag: int) -> list[int]:
    """Return, for each window, the number of samples that equal the sample at a lag, by numpy."""
    windows = samples.reshape(-1, LAG_WINDOW)
    equal = windows[:, 32:] == windows[:, 32 - lag : LAG_WINDOW - lag]
    return [int(number) for number in equal.sum(axis=1)]


@pytest.mark.parametrize(("lag", "complement"), [(1, False), (1, True), (9, False), (32, True)])
def test_the_lag_test_alarms_if_a_count_reaches_its_cutoff(lag: int, complement: bool) -> None:
    random = np.random.Generator(np.random.PCG64(4))
    samples = copying(0.04, 60, random, lag, complement)
    cutoff = 1000
    counts = np.array([counted(samples, each) for each in range(1, 33)])
    expected = np.any((counts >= cutoff) | (counts <= 1024 - cutoff), axis=0).tolist()
    assert 0 < sum(expected) < 60
    health = HealthTests(10_000, 1024, cutoff)
    for window, alarm in zip(samples.reshape(-1, LAG_WINDOW), expected, strict=True):
        health.reset()
        assert health.test(bytearray(window)) is not alarm


def test_a_source_with_the_claim_alarms_no_more_often_than_declared() -> None:
    """Of 3,000 windows at a declared rate of 1 in 16, for each source at most 1 in 10^4 fails."""
    for claim in (0.04, 0.5, 1.0):
        for finding in false_alarms(claim, 4000, seed=11):
            if finding.name.startswith("health/lag/"):
                assert finding.p is not None
                assert finding.p > 1e-4, finding


def test_more_alarms_than_declared_are_found() -> None:
    """A source with half of the claim shows that the test above can fail."""
    random = np.random.Generator(np.random.PCG64(5))
    samples = copying(0.02, 1000, random, 1, False)
    alone = HealthTests(10_000, 1024, lag_cutoff(0.04, 4))
    alarms = 0
    for window in samples.reshape(-1, LAG_WINDOW):
        alone.reset()
        alarms += not alone.test(bytearray(window))
    assert alarms > 2 * 1000 / 16


def test_the_firmware_detects_stuck_biased_and_periodic_noise() -> None:
    found = {detection.fault: detection for detection in detections(0.04, 30, 40, 1)}
    for detection in found.values():
        for finding in detection.findings():
            assert finding.p is not None
            assert finding.p > 1e-4, finding
    assert (found["stuck"].failed, found["stuck"].measured_mean) == (40, 768)
    for period in (2, 3, 10, 32, 64):
        periodic = found[f"period {period}"]
        assert (periodic.failed, periodic.measured_mean) == (40, 1088)
    assert found["0.0008 bits left"].by_test["adaptive-proportion"][1] > 0.97
    # A loss of half of the claim is not found within hours, and not at start-up.
    assert found["0.016 bits left"].by_test["adaptive-proportion"][1] < 0.001


def test_micropython_alarms_in_the_same_places_as_cpython() -> None:
    """The rates above are measured in CPython; here both run the same samples."""
    script = """
from core.random.health import HealthTests
def alarms(seed, threshold, trials):
    health, places = HealthTests(13, 640, 640), []
    for trial in range(trials):
        health.reset()
        for chunk in range(17):
            samples = bytearray(64)
            for i in range(64):
                seed = (seed * 69069 + 12345) & 0x3FFFFFFF
                samples[i] = (seed >> 14) & 1023 < threshold
            if not health.test(samples):
                places.append((trial, chunk, health.failed))
                break
    return places
print([alarms(1, 512, 40), alarms(2, 600, 40), alarms(3, 700, 40)])
"""
    path = f"import sys; sys.path.insert(0, {str(FIRMWARE)!r})\n"
    ran = subprocess.run(
        [*COMMANDS["micropython"](), path + script], capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    scope: dict[str, object] = {"HealthTests": HealthTests}
    lines = script.strip().splitlines()
    exec("\n".join(lines[1:-1]), scope)
    expected = eval(lines[-1].removeprefix("print(").removesuffix(")"), scope)
    assert 0 < sum(map(len, expected)) < 120
    assert eval(ran.stdout) == expected


# --- the whole ---------------------------------------------------------------------------------


def test_independent_noise_is_assessed_by_its_most_common_value() -> None:
    done = examine(Samples.of(coin(0.515, 50_000), 1), 0.5, independent=True, shuffles=200)
    entropy = done.figures["entropy"]
    assert entropy["track"] == INDEPENDENT
    assert entropy["assessed"] == pytest.approx(0.957, abs=0.03)
    assert all(finding.p for finding in done.findings)


def test_a_chain_claimed_independent_uses_the_other_track_and_fails() -> None:
    done = examine(Samples.of(sticky(50_000, 0.6), 1), 0.7, independent=True, shuffles=50)
    assert done.figures["entropy"]["track"] == DEPENDENT
    found = {finding.name: finding.p for finding in done.findings}
    assert found["entropy/assessed"] == 0
    assert found["entropy/commonest-value"] == pytest.approx(1)
    chi_square = found["independence/chi-square/independence"]
    assert chi_square is not None
    assert chi_square < 1e-9


def certify(*arguments: str, data: bytes = b"") -> tuple[int, str]:
    result = CliRunner().invoke(app, ["certify", "noise", *arguments], input=data)
    return result.exit_code, result.stdout or result.stderr


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("noise") / "good.bin"
    path.write_bytes(coin(0.515, 1_000_000).tobytes())
    return path


def test_the_command_passes_a_supported_claim(good: Path) -> None:
    code, out = certify(str(good), "--sample-bits", "1", "--claim", "0.5", "--json", "-")
    answer = json.loads(out)
    assert (code, answer["verdict"], answer["kind"]) == (0, "pass", "noise")
    assert 0.75 < answer["entropy"]["assessed"] < 0.957
    assert len(answer["entropy"]["estimates"]) == 10


def test_the_command_fails_an_unsupported_claim(good: Path) -> None:
    code, out = certify(str(good), "--sample-bits", "1", "--claim", "0.97")
    assert code == 1
    assert "FAIL" in out
    assert "entropy/assessed" in out


def test_the_command_rejects_unusable_data_with_the_reason(tmp_path: Path) -> None:
    code, out = certify("-", "--sample-bits", "1", data=bytes((0, 1, 5)))
    assert code == 2
    assert "sample 2 is 5" in out
    code, out = certify("-", "--sample-bits", "1", data=b"")
    assert code == 2
    assert "0 samples, at least 1000000 are needed" in out
    code, out = certify(str(tmp_path / "nothing"), "--sample-bits", "1")
    assert code == 2
    assert "cannot read" in out
    code, out = certify("-", "--sample-bits", "2", "--claim", "3")
    assert code == 2
