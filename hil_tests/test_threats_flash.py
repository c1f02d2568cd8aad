"""A copy of the entire flash reveals no bin of a returned card.

The reader (`read_out`) knows every format and tries every key that is still legible anywhere. It
can read the current state, as the device itself must after a power cut, but no earlier state.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.bench.flash import FlashImage, PowerCutError, operations_in
from cutcard.devices import Controller, Shuffler
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.storage import state as st
from hil_tests import read_out
from hil_tests.power_cut import TORN
from hil_tests.read_out import WrittenKey

BenchAt = Callable[..., Bench]
RETURNED = 12
SEED = 32  # bytes of the seed that a start leaves for the next


def chip_of(bench: Bench, folder: Path) -> bytes:
    """Return the chip's content without MicroPython's own part, read with the power off."""
    file = folder / "chip.bin"
    bench.do("chip", what="read", to=str(file))
    return file.read_bytes()[-(Path(bench.folder) / "flash.img").stat().st_size :]


def evening(bench: Bench, rounds: int = 1) -> list[int]:
    """Load a deck, deal and return some cards; return the bins that contain these now."""
    bench.put(1)
    with Shuffler.open(bench.port, key=bench.key) as device:
        device.load(1)
        for _ in range(rounds):
            for _ in range(RETURNED):
                device.deal()
            numbers = {card["number"] for card in bench.cards()["outside"]}
            bench.return_cards()
            bench.settle()
    return sorted(
        int(place.removeprefix("bin "))
        for place, cards in bench.cards().items()
        for card in cards
        if card["number"] in numbers
    )


def test_flash_read_out_does_not_leak_the_bins_of_returned_cards(
    fresh_bench: BenchAt, tmp_path: Path
) -> None:
    bench = fresh_bench("carousel-38", 1)
    bins = evening(bench)
    assert len(bins) == RETURNED
    bench.cut_power()
    found = read_out.states(chip_of(bench, tmp_path))
    found_bins = read_out.bins_of_returned(found)
    assert not found_bins, (
        f"bins of {len(found_bins)} of {RETURNED} cards are legible: {found_bins} of {bins}"
    )
    assert [state.get(st.PACK) for state in found] == [52]  # only the current state is legible
    assert found[0].get(st.INTENT) == 0


@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shelves-10"])
def test_only_the_last_state_and_the_last_seed_remain_of_all_writes(
    fresh_bench: BenchAt, tmp_path: Path, machine: str
) -> None:
    """A machine that shuffles one pack at a time also stores the place of every card."""
    bench = fresh_bench(machine, 1)
    bench.put(1)
    with Shuffler.open(bench.port, key=bench.key) as device:
        device.load(1)
        device.deal()
    for _ in range(3):
        bench.cycle_power()
        bench.settle()
    bench.cut_power()
    found = read_out.legible(chip_of(bench, tmp_path))
    assert sorted(len(contents) == SEED for contents in found) == [False, True]


def test_controller_leaves_its_last_state_and_no_earlier_one(
    fresh_bench: BenchAt, tmp_path: Path
) -> None:
    bench = fresh_bench("controller-4", 1)
    with Controller.open(bench.port, key=bench.key) as device:
        device.set_prizes(1, "1 1000\n2 100\n3 5\n")
        for round in range(1, 9):
            device.press(1, round, box=1, wager=500)
    bench.cut_power()
    found = read_out.legible(chip_of(bench, tmp_path))
    assert sorted(len(contents) == SEED for contents in found) == [False, True]


def test_file_system_stores_no_times_of_writes(
    fresh_bench: BenchAt, benches: Benches, tmp_path: Path
) -> None:
    """Between two records the wheel has turned, so the time between them would reveal the bin.

    On the chip, only the files of its image have times, from their installation.
    """
    bench = fresh_bench("carousel-38", 1)
    flash = (Path(bench.folder) / "flash.img").read_bytes()
    of_the_image = read_out.times(flash) if benches.kind == CHIP else []
    evening(bench)
    bench.cut_power()
    chip = chip_of(bench, tmp_path)
    assert read_out.small_files(chip)  # littlefs's files are legible
    assert {*read_out.times(chip)} <= {*of_the_image}


def test_at_most_two_records_are_legible_wherever_an_evening_is_cut_off(
    fresh_bench: BenchAt, tmp_path: Path
) -> None:
    """The chip is read after a power cut at each single program and erase.

    It contains the key of the current record, and perhaps of the one before or after it. During the
    evening, the first block of keys is used up.
    """
    bench = fresh_bench("carousel-38", 1)
    image = tmp_path / "flash.img"
    image.write_bytes((Path(bench.folder) / "flash.img").read_bytes())
    log = Path(bench.do("flash", what="record")["log"])
    evening(bench, rounds=8)
    chip = FlashImage(image, "torn")
    written: list[WrittenKey] = []
    blocks = set()
    for operation in operations_in(log.read_bytes()):
        key = read_out.key_in(operation)
        if key is not None:
            written.append(key)
            blocks.add(key.block)
        block = read_out.block_of(operation)
        before = chip.read(block)
        for torn in TORN:
            chip.cut_at(1, torn)
            with pytest.raises(PowerCutError):
                chip.replay(operation)
            assert all(key in written[-2:] for key in written if key.is_legible(chip))
            chip.put_back(block, before)
        chip.replay(operation)
        written = [key for key in written if key in written[-2:] or key.is_legible(chip)]
    chip.close()
    assert len(blocks) == 2


@pytest.mark.parametrize("at", range(1, 10))
def test_start_destroys_the_remains_of_a_cut(fresh_bench: BenchAt, tmp_path: Path, at: int) -> None:
    """The power fails while a card is returned, in one of the writes of some commits."""
    bench = fresh_bench("carousel-38", 1)
    bench.put(1)
    with Shuffler.open(bench.port, key=bench.key) as device:
        device.load(1)
        for _ in range(RETURNED):
            device.deal()
    bench.do("flash", what="cut", at=at, torn=TORN[at % 3])
    bench.return_cards()
    bench.settle()
    assert bench.status()["power"] == "off"
    assert 1 <= len(read_out.states(chip_of(bench, tmp_path))) <= 2
    bench.restore_power()
    bench.settle()
    bench.cut_power()
    found = read_out.states(chip_of(bench, tmp_path))
    assert [state.get(st.INTENT) for state in found] == [0]
