"""Noise that can be broken, against the firmware's own tests; a clock that wraps."""

from __future__ import annotations

import pytest

from cutcard.bench.clock import RealClock, VirtualClock, board_time, clock
from cutcard.bench.noise import BenchNoise
from cutcard.machines.entropy import noise_settings
from cutcard_firmware.core.devices.sensors import since
from cutcard_firmware.core.random.health import HealthTests


def verdict(noise: BenchNoise, samples: int = 100_000, claim: float = 0.04) -> str:
    """Return the firmware's health test that fails; the claim is that of the machines that ship."""
    settings = noise_settings(claim)
    tests = HealthTests(settings.repetition_cutoff, settings.proportion_cutoff, settings.lag_cutoff)
    for _ in range(0, samples, 64):
        if not tests.test(bytearray(noise.take(64))):
            return str(tests.failed)
    return "healthy"


def test_good_noise_is_slightly_biased_and_passes() -> None:
    noise = BenchNoise("1")
    ones = sum(noise.take(100_000)) / 100_000
    assert 0.505 < ones < 0.525
    assert verdict(noise) == "healthy"


@pytest.mark.parametrize("level", [0, 1])
def test_stuck_bit_fails_the_repetition_count(level: int) -> None:
    noise = BenchNoise("1")
    noise.set("stuck", level)
    assert verdict(noise) == "repetition-count"


def test_heavy_bias_fails_the_adaptive_proportion() -> None:
    noise = BenchNoise("1")
    noise.set("biased", 0.85)
    assert verdict(noise, claim=0.5) == "adaptive-proportion"


def test_at_the_low_claim_that_ships_only_an_almost_stuck_bit_fails() -> None:
    noise = BenchNoise("1")
    noise.set("biased", 0.97)  # 0.044 bits a sample
    assert verdict(noise) == "healthy"
    noise.set("biased", 0.999)  # 0.0014 bits
    assert verdict(noise) in ("adaptive-proportion", "repetition-count", "lag")


@pytest.mark.parametrize("period", [2, 3, 4, 10, 32, 64])
def test_a_period_within_the_lags_fails(period: int) -> None:
    noise = BenchNoise("1")
    noise.set("periodic", period)
    assert verdict(noise, 2048) == "lag"


def test_periodic_noise_repeats() -> None:
    noise = BenchNoise("1")
    noise.set("periodic", 6)
    assert noise.take(4) + noise.take(8) == bytes((1, 1, 1, 0, 0, 0)) * 2


def test_same_seed_gives_the_same_noise() -> None:
    assert BenchNoise("1").take(64) == BenchNoise("1").take(64) != BenchNoise("2").take(64)


def test_noise_does_not_depend_on_the_sizes_of_reads() -> None:
    one, other = BenchNoise("1"), BenchNoise("1")
    assert one.take(128) == other.take(64) + other.take(64)


@pytest.mark.parametrize(("mode", "value"), [("biased", 2.0), ("periodic", 1), ("loud", None)])
def test_impossible_noise_is_refused(mode: str, value: float | None) -> None:
    with pytest.raises(ValueError, match="use "):
        BenchNoise("1").set(mode, value)


def test_boards_clock_starts_three_seconds_before_it_wraps() -> None:
    assert board_time(0) == (1 << 30) - 3000
    assert board_time(3000) == 0


def test_time_across_the_wrap_is_counted_correctly() -> None:
    assert since(board_time(5000), board_time(1000)) == 4000


def test_virtual_clock_delays_no_event() -> None:
    assert VirtualClock().reached(1_000_000)


def test_real_clock_delays_future_events() -> None:
    real = RealClock()
    assert not real.reached(60_000)
    assert 59 < real.seconds_until(60_000) <= 60


def test_real_clock_can_be_advanced() -> None:
    real = RealClock()
    real.skip(60_000)
    assert real.reached(60_000)


def test_unknown_clock_is_refused() -> None:
    with pytest.raises(ValueError, match="virtual or real"):
        clock("sundial")
