"""Measure how often the firmware's health tests alarm, on good noise and on defective noise.

The measurement runs `core/random/health.py` of the firmware on simulated noise and compares it with
the exact law of each test. False alarms at the device's own cutoffs are too rare to observe (2^-30
per sample). So the same code is run with the cutoffs for 2^-8, on noise that has exactly the
claimed entropy. Alarms are then common (2^-4 per window for the adaptive proportion, which has only
one chance in 1024 samples, and for one predictor of the lag test).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import isfinite, log2
from typing import Any

import numpy as np
from scipy.special import bdtrc

from cutcard.machines.entropy import (
    LAGS,
    WINDOW,
    NoiseSettings,
    lag_cutoff,
    noise_settings,
    proportion_cutoff,
    repetition_cutoff,
)
from cutcard_firmware.core.random.health import HealthTests
from cutcard_firmware.core.random.source import CHUNK_SAMPLES as CHUNK
from cutcard_firmware.core.random.source import START_UP_SAMPLES as START_UP
from rng_certification.base.compiled import Bytes
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial
from rng_certification.sp800_90b.health_laws import (
    mean_wait_for_proportion,
    mean_wait_for_repetition,
    proportion_alarm,
    repetition_alarm,
)

# Alarm bits that make false alarms common enough to count: per sample, per window, and per window
# for each predictor of the lag test.
FREQUENT_REPETITION = 8
FREQUENT_PROPORTION = 4
FREQUENT_LAG = 4
TRIAL = 256  # samples in one trial of the repetition count
NEVER = (1 << 31) - 1  # a run length that does not occur
FULL = WINDOW  # a count that only a complete window of equal or of predicted samples reaches
LAG_WINDOW = LAGS + WINDOW  # samples from a reset to the first result of the lag test
COPIES = ((1, False), (5, True), (LAGS, False))  # a lag, and whether its complement predicts
WAITS = 20  # trials of each defect to measure the time to detection
MEASURABLE = 20_000  # samples: a longer mean wait is given only by its law
LEFT = (0.8, 0.4, 0.2, 0.1, 0.02)  # remaining parts of the claim in a failing source
PERIODS = (2, 3, 10, 32, 64)  # samples; at 64 the second half is the complement of the first


def false_alarms(claim: float, trials: int, seed: int) -> Iterator[Finding]:
    """Yield the tests of false alarms on bits with an entropy of exactly the claim."""
    chances = bits_of(claim)
    random = np.random.Generator(np.random.PCG64([seed, round(1000 * claim)]))
    repeats = repetition_cutoff(claim, FREQUENT_REPETITION)
    alone = HealthTests(repeats, FULL, FULL)
    alarms = _alarms(alone, _biased(random, chances[1], trials * TRIAL), TRIAL)
    expected = repetition_alarm(chances, repeats, TRIAL)
    yield binomial(
        f"health/repetition-count/false-alarms/{claim:g}", "trials", alarms, trials, expected
    )
    count = proportion_cutoff(claim, FREQUENT_PROPORTION, WINDOW)
    alone = HealthTests(NEVER, count, FULL)
    windows = max(1, trials * TRIAL // WINDOW)
    alarms = _alarms(alone, _biased(random, chances[1], windows * WINDOW), WINDOW)
    expected = proportion_alarm(chances, count, WINDOW)
    yield binomial(
        f"health/adaptive-proportion/false-alarms/{claim:g}", "windows", alarms, windows, expected
    )
    for lag, complement in COPIES:
        yield _lag_alarms(claim, windows, random, lag, complement)


def _lag_alarms(
    claim: float, windows: int, random: np.random.Generator, lag: int, complement: bool
) -> Finding:
    """The test of false alarms of the lag test on the source with the most alarms.

    Each sample repeats the sample at one lag, or its complement, with a probability of exactly
    2^-H: no source of that entropy is easier to predict. The declared probability is for all
    predictors together, so the test is one-sided: more alarms than declared have a small p.
    """
    samples = copying(claim, windows, random, lag, complement)
    alone = HealthTests(NEVER, FULL, lag_cutoff(claim, FREQUENT_LAG))
    alarms = _alarms(alone, samples, LAG_WINDOW)
    p = float(bdtrc(alarms - 1, windows, 2.0**-FREQUENT_LAG)) if alarms else 1.0
    name = f"health/lag/false-alarms/{claim:g}/{lag}{'-complement' if complement else ''}"
    return Finding(name, windows, "windows", p, float(alarms))


def copying(
    claim: float, windows: int, random: np.random.Generator, lag: int, complement: bool
) -> Bytes:
    """Windows of the lag test in which a sample follows from the sample at `lag` with 2^-claim."""
    wrong = (random.random((windows, LAG_WINDOW)) >= 2.0**-claim).astype(np.uint8)
    samples = (random.random((windows, LAG_WINDOW)) < 0.5).astype(np.uint8)
    for at in range(LAGS, LAG_WINDOW):
        samples[:, at] = samples[:, at - lag] ^ wrong[:, at] ^ np.uint8(complement)
    every: Bytes = samples.ravel()
    return every


def bits_of(entropy: float) -> tuple[float, float]:
    """Return the chances of 0 and 1 of a bit with this min-entropy."""
    return 1 - 2.0**-entropy, 2.0**-entropy


def _biased(random: np.random.Generator, ones: float, size: int) -> Bytes:
    return (random.random(size, dtype=np.float32) < ones).astype(np.uint8)


def _alarms(health: HealthTests, samples: Bytes, trial: int) -> int:
    """Count the trials of this many samples in which the test alarms, each after a reset."""
    data, alarms = samples.tobytes(), 0
    for start in range(0, len(data), trial):
        health.reset()
        alarms += not health.test(bytearray(data[start : start + trial]))
    return alarms


@dataclass(frozen=True)
class Detection:
    """One defect of the noise, and the time until the tests at the device's cutoffs detect it.

    `failed` of `trials` start-up tests failed, and `by_test` has for each test separately the same
    number in its first window and the probability by its law. Means are of samples until an alarm,
    from a reset: by the law of each test, and as measured with all three (None if it never occurs,
    or too late to be measured).
    """

    fault: str
    entropy: float
    trials: int
    failed: int
    by_test: dict[str, tuple[int, float]]
    repetition_mean: float | None
    proportion_mean: float | None
    measured_mean: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def findings(self) -> Iterator[Finding]:
        name = self.fault.replace(" ", "-")
        for test, (failed, law) in self.by_test.items():
            yield binomial(f"health/{test}/{name}", "windows", failed, self.trials, law)
        if not self.by_test:  # deterministic: every start-up test must fail
            kept = float(self.failed == self.trials)
            yield Finding(
                f"health/start-up/{name}", self.trials, "start-ups", kept, float(self.failed)
            )


def detections(claim: float, alarm_bits: int, trials: int, seed: int) -> list[Detection]:
    """Yield the time to detection of each defect: stuck, biased and periodic noise."""
    random = np.random.Generator(np.random.PCG64(seed))
    settings = noise_settings(claim, alarm_bits=alarm_bits)
    return [
        _certain("stuck", bytes((1,)), settings, trials),
        *(_certain(f"period {n}", _period(n), settings, trials) for n in PERIODS),
        *(_leaning(left * claim, settings, trials, random) for left in LEFT),
    ]


def _period(samples: int) -> bytes:
    return bytes(at < samples // 2 for at in range(samples))


def _certain(fault: str, pattern: bytes, settings: NoiseSettings, trials: int) -> Detection:
    """Noise that repeats a pattern forever."""
    health = _tests(settings)
    data = bytearray(pattern * (START_UP // len(pattern) + 1))[:START_UP]
    failed = 0
    for _ in range(trials):
        health.reset()
        failed += not health.test(data)
    health.reset()
    wait = next(
        at + CHUNK for at in range(0, START_UP, CHUNK) if not health.test(data[at : at + CHUNK])
    )
    return Detection(fault, 0.0, trials, failed, {}, None, None, float(wait))


def _leaning(
    entropy: float, settings: NoiseSettings, trials: int, random: np.random.Generator
) -> Detection:
    chances = bits_of(entropy)
    ones = chances[1]
    health = _tests(settings)
    repetition = mean_wait_for_repetition(chances, settings.repetition_cutoff)
    proportion = mean_wait_for_proportion(chances, settings.proportion_cutoff, WINDOW)
    failed = _alarms(health, _biased(random, ones, trials * START_UP), START_UP)
    # One sample less than a window, and one window: the other tests have no result by then.
    runs = HealthTests(settings.repetition_cutoff, FULL, FULL)
    counts = HealthTests(NEVER, settings.proportion_cutoff, FULL)
    size = WINDOW - 1
    by_test = {
        "repetition-count": (
            _alarms(runs, _biased(random, ones, trials * size), size),
            repetition_alarm(chances, settings.repetition_cutoff, size),
        ),
        "adaptive-proportion": (
            _alarms(counts, _biased(random, ones, trials * WINDOW), WINDOW),
            proportion_alarm(chances, settings.proportion_cutoff, WINDOW),
        ),
    }
    soon = min(repetition, proportion) <= MEASURABLE
    waits = [_wait(health, ones, random) for _ in range(WAITS)] if soon else []
    return Detection(
        f"{entropy:g} bits left",
        -log2(ones) + 0.0,
        trials,
        failed,
        by_test,
        repetition,
        proportion if isfinite(proportion) else None,
        float(np.mean(waits)) if waits else None,
    )


def _wait(health: HealthTests, ones: float, random: np.random.Generator) -> int:
    """Return the samples until an alarm, in complete chunks, up to the failing chunk."""
    health.reset()
    taken = 0
    while True:
        taken += CHUNK
        if not health.test(bytearray(_biased(random, ones, CHUNK).tobytes())):
            return taken


def _tests(settings: NoiseSettings) -> HealthTests:
    return HealthTests(settings.repetition_cutoff, settings.proportion_cutoff, settings.lag_cutoff)
