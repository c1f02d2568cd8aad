"""Checks of the health tests: they find stuck, biased and periodic noise, and pass good noise."""

from core.random.health import ADAPTIVE_PROPORTION, LAG, REPETITION_COUNT, HealthTests
from doubles import LAG_CUTOFF, PROPORTION_CUTOFF, REPETITION_CUTOFF, Noise, health_tests, raised


def failure_of(tests, noise, samples):
    """Return the test that failed within this many samples, 64 at a time, or None."""
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
    """Return a window that begins with a one and has `ones` of them, without long runs."""
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
    # Evenly spread ones are nearly periodic, so the lag test only accepts a perfect period here.
    tests = HealthTests(REPETITION_CUTOFF, PROPORTION_CUTOFF, 1024)
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


def test_a_sample_that_is_no_bit_is_a_drivers_mistake():
    raised(ValueError, health_tests().test, b"\x00\x02")


def test_cutoffs_that_could_never_fail_are_refused():
    raised(ValueError, HealthTests, 61, 1025, 819)
    raised(ValueError, HealthTests, 1, 810, 819)
    raised(ValueError, HealthTests, 61, 810, 1025)
    raised(ValueError, HealthTests, 61, 810, 512)


def claimed():
    """The tests at the claim of the machines that ship: 0.04 bits."""
    return HealthTests(751, 1022, 1023)


def periodic(period, samples):
    """Samples that repeat after `period` samples, half of them ones, with no shorter period."""
    return bytearray(1 if at % period < period // 2 else 0 for at in range(samples))


def test_perfect_alternation_fails_in_the_first_window():
    for tests in (health_tests(), claimed()):
        assert tests.test(periodic(2, 32 + 1023))
        assert not tests.test(b"\x01")
        assert tests.failed == LAG


def test_each_period_of_2_to_32_samples_fails():
    for period in range(2, 33):
        for tests in (health_tests(), claimed()):
            assert not tests.test(periodic(period, 32 + 1024))
            assert tests.failed == LAG, period


def test_a_pattern_that_comes_back_inverted_fails():
    # 32 samples, then their complement: a period of 64, seen at lag 32 by the complement.
    assert not claimed().test(periodic(64, 32 + 1024))


def test_a_period_beyond_the_lags_is_not_seen():
    assert claimed().test(periodic(66, 20 * 1024))


def copied(lag, right, flip=0):
    """Return a window with `count` samples equal to the sample at this lag (or its complement).

    Random samples before it, so that no other lag predicts; the wrong ones are spread evenly.
    """
    samples = bytearray(32)
    Noise("copied").fill(samples)
    wrong = 0
    for at in range(1024):
        spread = (at + 1) * (1024 - right) // 1024
        samples.append(samples[32 + at - lag] ^ flip ^ (spread - wrong))
        wrong = spread
    return samples


def test_each_lag_fails_at_the_cutoff_and_passes_below_it():
    for lag in (1, 2, 3, 7, 16, 31, 32):
        for flip in (0, 1):
            tests = HealthTests(1000, 1024, LAG_CUTOFF)
            assert not tests.test(copied(lag, LAG_CUTOFF, flip)), (lag, flip)
            assert tests.failed == LAG
            if lag > 3:  # at shorter lags a multiple of the lag is close to the cutoff too
                tests = HealthTests(1000, 1024, LAG_CUTOFF)
                assert tests.test(copied(lag, LAG_CUTOFF - 1, flip)), (lag, flip)


def test_each_window_of_lags_counts_anew():
    samples = bytearray(32 + 4096)
    Noise("many windows").fill(samples)
    tests = HealthTests(1000, 1024, 700)  # a count that was not reset would exceed it in the second
    assert tests.test(samples)


def test_a_window_of_lags_may_end_within_a_batch():
    whole, parts = claimed(), claimed()
    samples = periodic(2, 4096)
    samples[500] ^= 1  # two of the first window are not as predicted: the second window fails
    assert not whole.test(samples)
    size = 100
    failed_at = 0
    for at in range(0, len(samples), size):
        if not parts.test(samples[at : at + size]):
            failed_at = at
            break
    assert parts.failed == whole.failed == LAG
    assert failed_at <= 32 + 2 * 1024 <= failed_at + size
