"""Measures how often the firmware's health tests alarm: on good noise, and on noise gone bad.

The measurement runs `core/random/health.py` of the firmware on simulated noise and compares it with
the exact law of each test. False alarms at the device's own cutoffs are too rare to be seen (2^-30
a sample); so the same code is run with the cutoffs of 2^-8, for noise that has exactly the claimed
entropy, where an alarm is common (2^-4 a window for the adaptive proportion, which has only one
chance in 1024 samples).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite, log2
from typing import Any

import numpy as np

from cutcard.machines.entropy import NoiseSettings, proportion_cutoff, repetition_cutoff
from cutcard_firmware.core.random.health import HealthTests
from cutcard_firmware.core.random.source import CHUNK_SAMPLES as CHUNK
from cutcard_firmware.core.random.source import START_UP_SAMPLES as START_UP
from rng_certification.base.compiled import Bytes
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial
from rng_certification.sp800_90b.health_laws import (
    either_alarm,
    mean_wait_for_proportion,
    mean_wait_for_repetition,
    proportion_alarm,
    repetition_alarm,
)

# Alarm bits at which false alarms are common enough to count, a sample and a window.
FREQUENT_REPETITION = 8
FREQUENT_PROPORTION = 4
CLAIMS = (0.25, 0.5, 0.8, 1.0)
TRIAL = 256  # samples of one trial of the repetition count
WINDOW = 1024
NEVER = (1 << 31) - 1  # a cutoff or window that is not reached
WAITS = 20  # times that noise is let go bad to see how long it takes
MEASURABLE = 20_000  # samples: what takes longer on average is given by its law alone
# What a source is left with, in bits a sample, of a claim of half a bit.
LEFT = (0.4, 0.3, 0.2, 0.1, 0.05)


def false_alarms(claim: float, trials: int, seed: int) -> tuple[Finding, Finding]:
    """The test of false alarms on bits whose entropy is exactly the claim."""
    chances = bits_of(claim)
    random = np.random.Generator(np.random.PCG64([seed, round(1000 * claim)]))
    repeats = repetition_cutoff(claim, FREQUENT_REPETITION)
    alone = HealthTests(repeats, NEVER, NEVER)
    alarms = _alarms(alone, _biased(random, chances[1], trials * TRIAL), TRIAL)
    expected = repetition_alarm(chances, repeats, TRIAL)
    first = binomial(
        f"health/repetition-count/false-alarms/{claim:g}", "trials", alarms, trials, expected
    )
    count = proportion_cutoff(claim, FREQUENT_PROPORTION, WINDOW)
    alone = HealthTests(NEVER, count, WINDOW)
    windows = max(1, trials * TRIAL // WINDOW)
    alarms = _alarms(alone, _biased(random, chances[1], windows * WINDOW), WINDOW)
    expected = proportion_alarm(chances, count, WINDOW)
    second = binomial(
        f"health/adaptive-proportion/false-alarms/{claim:g}", "windows", alarms, windows, expected
    )
    return first, second


def bits_of(entropy: float) -> tuple[float, float]:
    """The chances of 0 and 1 of a bit that has this min-entropy."""
    return 1 - 2.0**-entropy, 2.0**-entropy


def _biased(random: np.random.Generator, ones: float, size: int) -> Bytes:
    return (random.random(size, dtype=np.float32) < ones).astype(np.uint8)


def _alarms(health: HealthTests, samples: Bytes, trial: int) -> int:
    """In how many trials of so many samples the test alarms, each after a reset."""
    data, alarms = samples.tobytes(), 0
    for start in range(0, len(data), trial):
        health.reset()
        alarms += not health.test(bytearray(data[start : start + trial]))
    return alarms


@dataclass(frozen=True)
class Detection:
    """One way for noise to go bad, and how soon the tests at the device's cutoffs see it.

    `failed` of `trials` start-up tests failed, where `law` is the chance of one. Means are of
    samples until an alarm, from a reset: by law of each test alone, and as measured with both
    (None where it is never, or too late to be measured).
    """

    fault: str
    entropy: float
    trials: int
    failed: int
    law: float
    repetition_mean: float | None
    proportion_mean: float | None
    measured_mean: float | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def finding(self) -> Finding:
        name = f"health/start-up/{self.fault.replace(' ', '-')}"
        if not 0 < self.law < 1:  # nothing is left to chance: it must be so
            kept = self.failed == round(self.law * self.trials)
            return Finding(name, self.trials, "start-ups", float(kept), float(self.failed))
        return binomial(name, "start-ups", self.failed, self.trials, self.law)


def detections(settings: NoiseSettings, trials: int, seed: int) -> list[Detection]:
    """How soon each defect is seen: stuck, biased, and alternating, which neither test sees."""
    random = np.random.Generator(np.random.PCG64(seed))
    health = _tests(settings)
    alternating = np.tile(np.array([0, 1], dtype=np.uint8), START_UP // 2 * trials)
    unseen = _alarms(health, alternating, START_UP)
    return [
        _leaning("stuck", 1.0, settings, trials, random),
        *(_leaning(f"{left:g} bits left", 2.0**-left, settings, trials, random) for left in LEFT),
        Detection("alternating", 0.0, trials, unseen, 0.0, None, None, None),
    ]


def _leaning(
    fault: str, ones: float, settings: NoiseSettings, trials: int, random: np.random.Generator
) -> Detection:
    chances = (1 - ones, ones)
    health = _tests(settings)
    repetition = mean_wait_for_repetition(chances, settings.repetition_cutoff)
    proportion = mean_wait_for_proportion(chances, settings.proportion_cutoff, settings.window)
    failed = _alarms(health, _biased(random, ones, trials * START_UP), START_UP)
    law = either_alarm(ones, settings.repetition_cutoff, settings.proportion_cutoff, START_UP)
    soon = min(repetition, proportion) <= MEASURABLE
    waits = [_wait(health, ones, random) for _ in range(WAITS)] if soon else []
    return Detection(
        fault,
        -log2(ones) + 0.0,
        trials,
        failed,
        min(law, 1.0),
        repetition,
        proportion if isfinite(proportion) else None,
        float(np.mean(waits)) if waits else None,
    )


def _wait(health: HealthTests, ones: float, random: np.random.Generator) -> int:
    """Samples until an alarm: in whole chunks, as the device takes them, to the one that failed."""
    health.reset()
    taken = 0
    while True:
        taken += CHUNK
        if not health.test(bytearray(_biased(random, ones, CHUNK).tobytes())):
            return taken


def _tests(settings: NoiseSettings) -> HealthTests:
    return HealthTests(
        settings.repetition_cutoff, settings.proportion_cutoff, settings.window, settings.alphabet
    )
