"""Checks of the health tests: they catch stuck and biased noise, and leave good noise alone."""

from core.random.health import ADAPTIVE_PROPORTION, REPETITION_COUNT, HealthTests
from doubles import PROPORTION_CUTOFF, REPETITION_CUTOFF, Noise, health_tests, raised


def failure_of(tests, noise, samples):
    """The test that failed within so many samples, taken 64 at a time; or nothing."""
    chunk = bytearray(64)
    for _ in range(0, samples, 64):
        noise.fill(chunk)
        if not tests.test(chunk):
            break
    return tests.failed


def test_a_run_one_short_of_the_cutoff_passes():
    assert health_tests().test(b"\x00" + b"\x01" * (REPETITION_CUTOFF - 1) + b"\x00")


def test_a_run_of_the_cutoff_fails():
    tests = health_tests()
    assert not tests.test(b"\x00" + b"\x01" * REPETITION_CUTOFF)
    assert tests.failed == REPETITION_COUNT


def test_a_run_is_seen_across_two_batches():
    tests = health_tests()
    assert tests.test(b"\x00" + b"\x01" * 40)
    assert not tests.test(b"\x01" * (REPETITION_CUTOFF - 40))


def window_with(ones):
    """A window that begins with a one and has so many, spread so that no run is long."""
    window = bytearray(1024)
    for i in range(ones):
        window[i * 1024 // ones] = 1
    assert sum(window) == ones
    return window


def test_a_window_one_short_of_the_proportion_passes():
    assert health_tests().test(window_with(PROPORTION_CUTOFF - 1))


def test_a_window_at_the_proportion_fails():
    tests = health_tests()
    assert not tests.test(window_with(PROPORTION_CUTOFF))
    assert tests.failed == ADAPTIVE_PROPORTION


def test_each_window_counts_anew():
    tests = health_tests()
    for _ in range(3):
        assert tests.test(window_with(PROPORTION_CUTOFF - 1))


def test_a_window_counts_its_own_first_sample():
    tests = health_tests()
    zeros = bytearray(1 - bit for bit in window_with(PROPORTION_CUTOFF))
    assert not tests.test(zeros)
    assert tests.failed == ADAPTIVE_PROPORTION


def test_stuck_noise_is_caught_within_the_repetition_cutoff():
    assert failure_of(health_tests(), Noise(good_for=256), 384) == REPETITION_COUNT


def test_noise_of_seven_ones_in_eight_is_caught_within_some_windows():
    # -log2(7/8) = 0.19 bit a sample. A window that begins with a one (7 of 8 do) expects 896
    # of them, sigma 10.6: 810 is 8 sigma below. Four windows all begin with zero once in 4096.
    assert failure_of(health_tests(), Noise(ones=224), 4096) == ADAPTIVE_PROPORTION


def test_fair_noise_does_not_alarm():
    # At 1 bit a sample a run of 61 has 2^-60 a start; 810 of 1024 is 18 sigma from 512.
    assert failure_of(health_tests(), Noise(), 32768) == ""


def test_noise_somewhat_better_than_the_claim_does_not_alarm():
    # 160 ones of 256 are 0.68 bit a sample, and the claim is 0.5: a run of 61 ones begins
    # with probability 0.625^61 = 2^-41, and 810 of 1024 is 11 sigma above 640.
    assert failure_of(health_tests(), Noise(ones=160), 32768) == ""


def test_a_failure_stays_until_reset():
    tests = health_tests()
    tests.test(b"\x01" * REPETITION_CUTOFF)
    assert not tests.test(b"\x00\x01")
    assert tests.failed == REPETITION_COUNT
    tests.reset()
    assert tests.failed == ""
    assert tests.test(b"\x00\x01")


def test_larger_samples_have_their_own_window_and_cutoffs():
    # H = 4, a = 20, W = 512: 6 and 62, as SP 800-90B's formulas give.
    tests = HealthTests(6, 62, 512, 256)
    assert tests.test(bytes(range(256)) * 4)
    assert not tests.test(b"\x07" * 6)
    tests = HealthTests(6, 62, 512, 256)
    assert not tests.test(b"\x07\x08" * 62)
    assert tests.failed == ADAPTIVE_PROPORTION


def test_a_sample_outside_the_alphabet_is_a_drivers_mistake():
    raised(ValueError, health_tests().test, b"\x00\x02")


def test_cutoffs_that_could_never_fail_are_refused():
    raised(ValueError, HealthTests, 61, 1025)
    raised(ValueError, HealthTests, 1, 810)
