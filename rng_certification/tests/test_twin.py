"""The twin against the firmware itself, in CPython and in MicroPython, to the last draw."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from firmware.core.mechanisms import Slots
from firmware.core.source import RandomSource
from firmware.tests.interpreters import FIRMWARE, INTERPRETERS
from rng_certification.twin.carousel import CarouselTwin
from rng_certification.twin.sha256 import ROUNDS, START, compress
from rng_certification.twin.source import TwinSource

SCRIPTS = Path(__file__).parent / "scripts"
SPANS = (2, 38, 52, 256, 257, 1000, 65536, 65537, 1 << 24, (1 << 24) + 1, 1 << 32, 1, 6)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The firmware's history as a module of CPython, where `core` is `firmware.core`."""
    source = (
        (SCRIPTS / "firmware_history.py").read_text().replace("from core", "from firmware.core")
    )
    module = ModuleType("firmware_history")
    exec(compile(source, "firmware_history.py", "exec"), module.__dict__)
    return module


def _in_interpreter(interpreter: str, call: str) -> list[str]:
    paths = f"import sys; sys.path[:0] = [{str(FIRMWARE)!r}, {str(SCRIPTS)!r}]\n"
    program = f"{paths}from firmware_history import *\n{call}\n"
    done = subprocess.run(
        [*INTERPRETERS[interpreter](), program], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


def test_compression_is_sha_256() -> None:
    for message in (b"", b"abc", bytes(range(55))):
        block = message + b"\x80" + bytes(55 - len(message)) + (8 * len(message)).to_bytes(8, "big")
        words = np.zeros(64, dtype=np.uint32)
        words[:16] = np.frombuffer(block, dtype=">u4")
        state = START.copy()
        compress(state, words, ROUNDS)
        assert state.astype(">u4").tobytes() == hashlib.sha256(message).digest()


@settings(max_examples=25, deadline=None)
@given(
    st.text("abcdef", min_size=1, max_size=8),
    st.integers(1, 5),
    st.lists(
        st.tuples(st.sampled_from(SPANS), st.integers(0, 300), st.sampled_from("-cmr")),
        min_size=1,
        max_size=8,
    ),
)
def test_draws_are_the_firmwares_through_any_history(
    script: ModuleType, name: str, interval: int, steps: list[tuple[int, int, str]]
) -> None:
    """Ranges, reseeds from noise, cycles, mixing and restarts, in any order."""
    firmware = script.start(RandomSource, name, interval)
    twin = script.start(TwinSource, name, interval)
    for span, number, then in steps:
        assert twin.draws(span, number).tolist() == [firmware.below(span) for _ in range(number)]
        for source in (firmware, twin):
            if then == "c":
                source.cycle()
            elif then == "m":
                source.mix(b"from the host")
            elif then == "r":
                source.restart()
    assert twin.below(1 << 32) == firmware.below(1 << 32)


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 3), st.integers(0, 5), st.integers(0, 2000))
def test_raw_bytes_are_the_firmwares_output(
    script: ModuleType, interval: int, before: int, number: int
) -> None:
    firmware = script.start(RandomSource, "raw", interval)
    twin = script.start(TwinSource, "raw", interval)
    assert twin.draws(1000, before).tolist() == [firmware.below(1000) for _ in range(before)]
    assert twin.bytes(number).tolist() == [firmware._take(1) for _ in range(number)]


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 3), st.sampled_from([2, 5, 52, 300, 416]), st.integers(1, 4))
def test_shuffles_are_those_of_the_slots(
    script: ModuleType, interval: int, cards: int, number: int
) -> None:
    firmware = script.start(RandomSource, "slots", interval)
    twin = script.start(TwinSource, "slots", interval)
    slots = Slots(SimpleNamespace(source=firmware), SimpleNamespace(BINS=cards))
    expected = []
    for _ in range(number):
        slots.begin(cards)
        expected.append(list(slots.order))
    assert twin.shuffles(cards, number).tolist() == expected


@pytest.mark.parametrize("interpreter", ["cpython", "micropython"])
def test_draws_are_those_of_the_firmware_in_each_interpreter(
    script: ModuleType, interpreter: str
) -> None:
    said = _in_interpreter(interpreter, f"show_draws('twin', 7, {SPANS}, 500)")
    twin = script.start(TwinSource, "twin", 7)
    for span, line in zip(SPANS, said, strict=False):
        numbers = twin.draws(span, 500)
        twin.cycle()
        total = int(numbers.astype(np.uint64).sum())
        assert line == f"{script.digest((numbers & 0xFFFF).tolist())} {total}"


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 64), st.integers(1, 12), st.integers(0, 30), st.integers(1, 4), st.data())
def test_a_carousel_of_any_size_deals_the_firmwares_cards(
    script: ModuleType, bins: int, capacity: int, low: int, interval: int, draw: st.DataObject
) -> None:
    room = bins * capacity
    assume(room >= 24)
    pack, cards = draw.draw(st.integers(24, room)), 300
    firmware = script.start(RandomSource, "carousel", interval)
    left, fed = script.history(firmware, script.Spec(bins, capacity, low), pack, cards)
    twin = CarouselTwin(script.start(TwinSource, "carousel", interval), bins, capacity, low, pack)
    assert script.digest(twin.deal(cards).tolist()) == left.digest()
    assert twin.fed == fed.number
    assert script.digest(twin.bins[: twin.fed].tolist()) == fed.digest()


@pytest.mark.parametrize(
    ("interpreter", "cards"), [("cpython", 50_000), ("micropython", 1_000_000)]
)
def test_the_machine_of_38_bins_deals_the_firmwares_cards_in_each_interpreter(
    script: ModuleType, interpreter: str, cards: int
) -> None:
    call = f"show_history('table 3', 1024, 38, 10, 8, 312, {cards})"
    said = _in_interpreter(interpreter, call)[0].split()
    twin = CarouselTwin(script.start(TwinSource, "table 3", 1024), 38, 10, 8, 312)
    left, fed = hashlib.sha256(), hashlib.sha256()
    for _ in range(0, cards, 1000):
        before = twin.fed
        left.update(twin.deal(1000).tobytes())
        fresh = twin.bins.take(np.arange(before, twin.fed), mode="wrap")
        fed.update(fresh.astype(np.uint16).tobytes())
    assert said == [left.hexdigest(), fed.hexdigest(), str(twin.fed)]


def test_the_twin_refuses_what_it_cannot_repeat(script: ModuleType) -> None:
    with pytest.raises(ValueError, match="bins"):
        CarouselTwin(script.start(TwinSource, "x", 1024), 65, 10, 8, 312)
    with pytest.raises(ValueError, match="pack"):
        CarouselTwin(script.start(TwinSource, "x", 1024), 38, 10, 8, 20)
