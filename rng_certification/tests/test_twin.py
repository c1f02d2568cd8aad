"""The twin against the firmware, in CPython and in MicroPython, for every draw."""

from __future__ import annotations

import ast
import hashlib
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cutcard.machines import Row, find
from cutcard_firmware.core.random.source import RandomSource
from firmware.tests.interpreters import COMMANDS, FIRMWARE
from rng_certification import twin as twin_package
from rng_certification.continuous.steps import dealt_cards
from rng_certification.twin import beside_firmware, generator, streams
from rng_certification.twin.beside_firmware import (
    SCRIPTS,
    call_for,
    deals_as_the_firmware,
    firmware_history,
    twin_says,
)
from rng_certification.twin.carousel import CarouselTwin
from rng_certification.twin.instructions import HERE
from rng_certification.twin.sha256 import ROUNDS, START, Word32s, compress
from rng_certification.twin.source import TwinSource
from rng_certification.twin.state import put_state, take_state
from rng_certification.twin.streams import Mechanism

SPANS = (2, 38, 52, 256, 257, 1000, 65536, 65537, 1 << 24, (1 << 24) + 1, 1 << 32, 1, 6)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return firmware_history()


def _in_interpreter(interpreter: str, call: str) -> list[str]:
    paths = f"import sys; sys.path[:0] = [{str(FIRMWARE)!r}, {str(SCRIPTS)!r}]\n"
    program = f"{paths}from firmware_history import *\n{call}\n"
    done = subprocess.run(
        [*COMMANDS[interpreter](), program], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")


WAYS = {"ordinary instructions": generator.past_hidden}
if HERE:
    WAYS["the processor's own"] = generator.past_hidden_by_instructions


@pytest.mark.parametrize("hidden", WAYS.values(), ids=WAYS)
@given(st.binary(min_size=56, max_size=56))
def test_the_past_is_hidden_by_sha_256_with_either_instructions(
    hidden: Callable[[Word32s, Word32s, Word32s], None], message: bytes
) -> None:
    words, state = np.zeros(64, dtype=np.uint32), START.copy()
    words[:16] = np.frombuffer(message + bytes((0x80, *bytes(7))), dtype=">u4")
    hidden(state, words, ROUNDS)
    assert state.astype(">u4").tobytes() == hashlib.sha256(message).digest()


def test_twin_state_knows_every_field_of_the_firmwares_source() -> None:
    """`twin/state.py` reads private fields, so a new or renamed field must be handled there."""
    source = streams.start("fields")
    assert set(vars(source)) == {
        *("_noise", "_seed", "_health", "_personalization", "_entropy_samples", "_samples"),
        *("_starts", "failed", "_prediction_resistance", "_drbg", "_buffer", "_at"),
        *("_pool", "_pooled"),
    }
    assert set(vars(source._drbg)) == {
        *("_interval", "_v", "_c", "_counter", "_data", "_prediction_resistance"),
    }


def test_reading_and_restoring_the_state_changes_no_draw() -> None:
    kept, touched = streams.start("door"), streams.start("door")
    for span in SPANS:
        put_state(touched, take_state(touched))
        assert touched.below(span) == kept.below(span)


def test_only_twin_state_reads_private_fields_of_the_firmware() -> None:
    twin = Path(twin_package.__file__).parent
    readers = {
        file.name
        for file in twin.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")  # Python's own calls, as in super().__init__
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    }
    own = ast.parse((twin / "source.py").read_text())
    inherited = {node.attr for node in ast.walk(own) if isinstance(node, ast.Attribute)}
    assert readers == {"state.py"}
    assert not inherited & {"_drbg", "_buffer", "_at", "_prediction_resistance", "_entropy"}


def test_compression_equals_sha_256() -> None:
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
    st.booleans(),
    st.lists(
        st.tuples(st.sampled_from(SPANS), st.integers(0, 300), st.sampled_from("-cmr")),
        min_size=1,
        max_size=8,
    ),
)
def test_draws_equal_the_firmwares_through_any_history(
    script: ModuleType, name: str, interval: int, resists: bool, steps: list[tuple[int, int, str]]
) -> None:
    """Ranges, reseeds from noise, cycles, mixing and restarts, with or without prediction
    resistance, in any order."""
    firmware = script.start(RandomSource, name, interval, resists)
    twin = script.start(TwinSource, name, interval, resists)
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
def test_raw_bytes_equal_the_firmwares_output(
    script: ModuleType, interval: int, before: int, number: int
) -> None:
    firmware = script.start(RandomSource, "raw", interval)
    twin = script.start(TwinSource, "raw", interval)
    assert twin.draws(1000, before).tolist() == [firmware.below(1000) for _ in range(before)]
    assert twin.bytes(number).tolist() == [firmware._take(1) for _ in range(number)]


def rows_for(pack: int, capacity: int) -> st.SearchStrategy[dict[int, Row]]:
    """Return weights for this pack, or None."""
    weights = st.lists(st.integers(1, 255), min_size=capacity, max_size=capacity).map(tuple)
    return st.one_of(
        st.just({}), st.builds(lambda into, out: {pack: Row(into, out)}, weights, weights)
    )


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["slots", "shelves", "carousel"]),
    st.integers(1, 3),
    st.integers(1, 300),
    st.integers(1, 4),
    st.booleans(),
    st.data(),
)
def test_packs_leave_each_mechanism_as_in_the_firmware(
    script: ModuleType,
    kind: str,
    interval: int,
    cards: int,
    number: int,
    tight: bool,
    draw: st.DataObject,
) -> None:
    """If space is tight, full bins and shelves are drawn again until one has room."""
    fewest = -(-cards // 100)  # a bin of a carousel has at most 127 cards
    bins = cards if kind == "slots" else draw.draw(st.integers(fewest, 300))
    capacity = 1 if kind == "slots" else -(-cards // bins) + (0 if tight else 5)
    single = kind == "carousel" and draw.draw(st.booleans())
    rows = draw.draw(rows_for(cards, capacity)) if kind == "carousel" else {}
    firmware = script.start(RandomSource, "packs", interval)
    twin = script.start(TwinSource, "packs", interval)
    spec = script.Spec(kind, bins, capacity, 8, single, rows)
    expected = script.packs(firmware, spec, cards, number)
    machine = Mechanism(kind, bins, capacity, 8, single, rows)
    made = streams.shuffles(twin, machine, cards, number, piece=3)
    left = np.concatenate(list(made))
    assert (np.sort(left, axis=1) == np.arange(cards)).all()
    assert script.digest(left.ravel().tolist()) == expected.digest()


def test_packs_leave_each_mechanism_as_in_micropython(script: ModuleType) -> None:
    machines = (("slots", 52, 1), ("shelves", 10, 60), ("carousel", 38, 10))
    said = _in_interpreter("micropython", f"show_packs('three', 9, {machines}, 52, 40)")
    for machine, line in zip(machines, said, strict=False):
        twin = script.start(TwinSource, "three", 9)
        decks = np.concatenate(list(streams.shuffles(twin, Mechanism(*machine, 8), 52, 40)))
        assert script.digest(decks.ravel().tolist()) == line


@pytest.mark.parametrize("resists", [False, True], ids=["plain", "prediction-resistance"])
@pytest.mark.parametrize("interpreter", ["cpython", "micropython"])
def test_draws_equal_the_firmwares_in_each_interpreter(
    script: ModuleType, interpreter: str, resists: bool
) -> None:
    said = _in_interpreter(interpreter, f"show_draws('twin', 7, {SPANS}, 500, {resists})")
    twin = script.start(TwinSource, "twin", 7, resists)
    for span, line in zip(SPANS, said, strict=False):
        numbers = twin.draws(span, 500)
        twin.cycle()
        total = int(numbers.astype(np.uint64).sum())
        assert line == f"{script.digest((numbers & 0xFFFF).tolist())} {total}"


@settings(max_examples=12, deadline=None)
@given(
    st.one_of(st.integers(1, 64), st.integers(65, 512)),
    st.integers(1, 12),
    st.integers(0, 30),
    st.integers(1, 4),
    st.integers(0, 3),
    st.data(),
)
def test_a_carousel_of_any_size_deals_the_firmwares_cards(
    script: ModuleType,
    bins: int,
    capacity: int,
    low: int,
    interval: int,
    cycle_every: int,
    draw: st.DataObject,
) -> None:
    """By single cards or by complete bins, with or without weights; the source cycles between
    rounds, or does not."""
    room = bins * capacity
    assume(room >= 24)
    pack = draw.draw(st.integers(24, min(room, 416)))
    single, rows = draw.draw(st.booleans()), draw.draw(rows_for(pack, capacity))
    numbers = (bins, capacity, low, pack, cycle_every)
    assert_deals_as_the_firmware(script, interval, numbers, single, rows)


@pytest.mark.parametrize("single", [False, True])
def test_a_chute_with_room_for_the_pack_is_filled_before_the_source_cycles(
    script: ModuleType, single: bool
) -> None:
    """65 bins of one card, a chute that is low below 24 cards, and a pack of 24.

    A card that is returned at the end of a round makes the chute low with a card to push.
    """
    rows = {24: Row((1,), (2,))}
    assert_deals_as_the_firmware(script, 1, (65, 1, 23, 24, 1), single, rows)


def assert_deals_as_the_firmware(
    script: ModuleType,
    interval: int,
    numbers: tuple[int, int, int, int, int],
    single: bool,
    rows: dict[int, Row],
) -> None:
    """Compare cards and bins of 300 cards; `numbers` are those of `CarouselTwin`."""
    bins, capacity, low, pack, cycle_every = numbers
    cards = 300
    firmware = script.start(RandomSource, "carousel", interval)
    spec = script.Spec("carousel", bins, capacity, low, single, rows)
    left, fed = script.history(firmware, spec, pack, cards, cycle_every)
    source = script.start(TwinSource, "carousel", interval)
    twin = CarouselTwin(source, *numbers, single, rows.get(pack))
    assert script.digest(twin.deal(cards).tolist()) == left.digest()
    assert twin.fed == fed.number
    assert script.digest(twin.bins[: twin.fed].tolist()) == fed.digest()


@pytest.mark.parametrize(
    ("interpreter", "cards"),
    [
        ("cpython", 50_000),
        ("micropython", 100_000),
        pytest.param("micropython", 1_000_000, marks=pytest.mark.soak),
    ],
)
def test_the_machine_of_38_bins_deals_the_firmwares_cards_in_each_interpreter(
    interpreter: str, cards: int
) -> None:
    machine = Mechanism.of(find("carousel-38"))
    said = _in_interpreter(interpreter, call_for(machine, 312, cards))[0].split()
    assert said == twin_says(machine, 312, cards)


def test_a_twin_that_deals_other_cards_than_the_firmware_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Mechanism.of(find("carousel-38"))
    assert deals_as_the_firmware(machine, 312, 1000)
    monkeypatch.setattr(
        beside_firmware, "twin_says", lambda machine, pack, _: twin_says(machine, pack, 2000)
    )
    assert not deals_as_the_firmware(machine, 312, 1000)


@pytest.mark.parametrize("resists", [False, True], ids=["cycles", "prediction-resistance"])
def test_a_history_with_cycles_equals_the_firmwares_in_micropython(
    script: ModuleType, resists: bool
) -> None:
    """A machine with more bins than a word has bits; its source cycles after every round."""
    call = f"show_history('table 4', 64, (100, 4, 8), 312, 6000, 1, {resists})"
    said = _in_interpreter("micropython", call)[0].split()
    source = script.start(TwinSource, "table 4", 64, resists)
    twin = CarouselTwin(source, 100, 4, 8, 312, cycle_every=1)
    left = script.digest(twin.deal(6000).tolist())
    assert said == [left, script.digest(twin.bins[: twin.fed].tolist()), str(twin.fed)]


def test_a_history_has_the_dealt_cards_and_every_step_between() -> None:
    machine = Mechanism("carousel", 38, 10, 8)
    pieces = list(streams.history(streams.start("steps"), machine, 312, 5000, piece=700))
    cards = streams.carousel_at_a_table(streams.start("steps"), machine, 312).deal(5000)
    assert dealt_cards(np.concatenate(pieces)).tolist() == cards.tolist()


def test_a_stream_does_not_depend_on_the_size_of_its_pieces() -> None:
    def joined(piece: int) -> list[int]:
        source = streams.start("pieces")
        some = np.concatenate(list(streams.raw_bytes(source, 1000, piece)))
        more = np.concatenate(list(streams.draws(source, 38, 500, piece)))
        return [*some.tolist(), *more.tolist()]

    assert joined(64) == joined(1000)


def test_streams_of_two_names_are_independent() -> None:
    one, other = (streams.start(name).bytes(64).tolist() for name in ("table 1", "table 2"))
    assert one != other


def test_the_twin_rejects_unsupported_machines(script: ModuleType) -> None:
    source = script.start(TwinSource, "x", 1024)
    with pytest.raises(ValueError, match="bins"):
        CarouselTwin(source, 513, 10, 8, 312)
    with pytest.raises(ValueError, match="pack"):
        CarouselTwin(source, 38, 10, 8, 20)
    with pytest.raises(ValueError, match="do not fit"):
        source.shelf_shuffles(10, 5, 52, 1)
    with pytest.raises(ValueError, match="stack does not shuffle"):
        next(streams.shuffles(source, Mechanism("stack", 0, 416), 52, 1))
    with pytest.raises(ValueError, match="do not take discards back"):
        next(streams.history(source, Mechanism("shelves", 10, 60), 52, 1))
