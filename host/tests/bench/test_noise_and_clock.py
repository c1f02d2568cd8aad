"""The noise that can be made to fail, against the firmware's own tests; the clock that wraps."""

from __future__ import annotations

import pytest

from cutcard.bench.clock import RealClock, VirtualClock, board_time, clock
from cutcard.bench.noise import BenchNoise
from cutcard.machines.entropy import noise_settings
from cutcard_firmware.core.devices.sensors import since
from cutcard_firmware.core.random.health import HealthTests


def verdict(noise: BenchNoise, samples: int = 100_000) -> str:
    """What the firmware's health tests, at the settings that ship, say of it."""
    settings = noise_settings(0.5)
    tests = HealthTests(settings.repetition_cutoff, settings.proportion_cutoff, settings.window)
    for _ in range(0, samples, 64):
        if not tests.test(bytearray(noise.take(64))):
            return str(tests.failed)
    return "healthy"


def test_good_noise_is_a_little_biased_and_passes() -> None:
    noise = BenchNoise("1")
    ones = sum(noise.take(100_000)) / 100_000
    assert 0.505 < ones < 0.525
    assert verdict(noise) == "healthy"


@pytest.mark.parametrize("level", [0, 1])
def test_a_stuck_bit_fails_the_repetition_count(level: int) -> None:
    noise = BenchNoise("1")
    noise.set("stuck", level)
    assert verdict(noise) == "repetition-count"


def test_a_heavy_bias_fails_the_adaptive_proportion() -> None:
    noise = BenchNoise("1")
    noise.set("biased", 0.85)
    assert verdict(noise) == "adaptive-proportion"


def test_a_period_repeats() -> None:
    noise = BenchNoise("1")
    noise.set("periodic", 6)
    assert noise.take(4) + noise.take(8) == bytes((1, 1, 1, 0, 0, 0)) * 2


def test_the_same_seed_gives_the_same_noise() -> None:
    assert BenchNoise("1").take(64) == BenchNoise("1").take(64) != BenchNoise("2").take(64)


def test_how_noise_is_taken_does_not_change_it() -> None:
    one, other = BenchNoise("1"), BenchNoise("1")
    assert one.take(128) == other.take(64) + other.take(64)


@pytest.mark.parametrize(("mode", "value"), [("biased", 2.0), ("periodic", 1), ("loud", None)])
def test_noise_that_cannot_be_is_refused(mode: str, value: float | None) -> None:
    with pytest.raises(ValueError, match="use "):
        BenchNoise("1").set(mode, value)


def test_a_boards_clock_starts_three_seconds_before_it_wraps() -> None:
    assert board_time(0) == (1 << 30) - 3000
    assert board_time(3000) == 0


def test_time_across_the_wrap_is_counted_right() -> None:
    assert since(board_time(5000), board_time(1000)) == 4000


def test_the_virtual_clock_holds_nothing_back() -> None:
    assert VirtualClock().reached(1_000_000)


def test_the_real_clock_holds_back_what_is_to_come() -> None:
    real = RealClock()
    assert not real.reached(60_000)
    assert 59 < real.seconds_until(60_000) <= 60


def test_the_real_clock_can_be_put_forward() -> None:
    real = RealClock()
    real.skip(60_000)
    assert real.reached(60_000)


def test_there_is_no_third_clock() -> None:
    with pytest.raises(ValueError, match="virtual or real"):
        clock("sundial")
