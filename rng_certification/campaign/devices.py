"""Twins of devices, each with a name from which its noise and its serial number follow."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from types import ModuleType

from cutcard.bench.noise import Noise
from cutcard.machines import find, spec_text
from firmware.core.health import HealthTests
from rng_certification.twin.source import TwinSource


class ModelNoise:
    """The bench's model of a ring oscillator's bit, handed over as a board does it."""

    def __init__(self, name: str) -> None:
        self._noise = Noise(name)

    def fill(self, samples: bytearray) -> None:
        samples[:] = self._noise.take(len(samples))


class NoFlash:
    """A seed that lives as long as the twin does."""

    def __init__(self) -> None:
        self._seed: bytes | None = None

    def read(self) -> bytes | None:
        return self._seed

    def write(self, seed: bytes) -> None:
        self._seed = seed


@lru_cache
def spec_of(machine: str) -> ModuleType:
    """The module that the firmware of this machine imports as `machine_spec`."""
    module = ModuleType("machine_spec")
    exec(spec_text(find(machine)), module.__dict__)
    return module


def twin_of(machine: str, name: str) -> TwinSource:
    """The random source of a new device of this kind, started for the first time."""
    spec = spec_of(machine)
    source = TwinSource(
        ModelNoise(name),
        NoFlash(),
        HealthTests(spec.RCT, spec.APT, spec.WINDOW),
        sha256(name.encode()).digest()[:8] + (1).to_bytes(4, "little"),
        spec.SAMPLES,
    )
    source.restart()
    return source
