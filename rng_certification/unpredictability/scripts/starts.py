"""Start the firmware's random source repeatedly, in the interpreter of a device.

Writes the first draws after each start, one byte each. `starts` are power cuts of one device: its
counter of starts advances, and its seed is carried over unless it is lost. `devices` are first
starts of many devices; if the noise is equal, only their serial numbers differ.
"""

import sys
from hashlib import sha256

from core.random.health import HealthTests
from core.random.source import RandomSource

DRAWN = 64
CARDS = 52


class Noise:
    """Bits from a name and a counter through SHA-256."""

    def __init__(self, name):
        self.name = name.encode()
        self.blocks = 0

    def fill(self, samples):
        for start in range(0, len(samples), 32):
            block = sha256(self.name + self.blocks.to_bytes(4, "big")).digest()
            self.blocks += 1
            for i in range(32):
                samples[start + i] = block[i] & 1


class Flash:
    """Stores a seed, or loses it."""

    def __init__(self, keeps):
        self.keeps = keeps
        self.seed = None

    def read(self):
        return self.seed

    def write(self, seed):
        if self.keeps:
            self.seed = seed


def started(noise, flash, serial, boots):
    personalization = serial + boots.to_bytes(4, "little")
    source = RandomSource(noise, flash, HealthTests(61, 810, 819), personalization, 640)
    source.restart()
    return source


def say(source):
    sys.stdout.buffer.write(bytes(source.below(CARDS) for _ in range(DRAWN)))


def starts(name, number, fresh_noise, seed_kept):
    """Cut the power after any number of draws and cycles, without warning."""
    flash = Flash(seed_kept)
    for boot in range(1, number + 1):
        noise = Noise(name + "/" + str(boot) if fresh_noise else name)
        source = started(noise, flash, b"serial 1", boot)
        say(source)
        for _ in range(boot * 7 % 50):
            source.below(38)
        if boot % 3:
            source.cycle()


def devices(name, number, fresh_noise):
    for device in range(number):
        noise = Noise(name + "/" + str(device) if fresh_noise else name)
        say(started(noise, Flash(True), device.to_bytes(8, "big"), 1))
