"""The model of the board's flash: NOR, worn by erases, cut and torn at any operation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutcard.bench.flash import BLOCK, BLOCKS, PAGE, FlashImage, PowerCutError

ZEROS = bytes(PAGE)
ONES = b"\xff" * PAGE


@pytest.fixture
def flash(tmp_path: Path) -> FlashImage:
    return FlashImage(tmp_path / "flash.img", "1")


def test_new_flash_is_blank_and_has_the_size_of_the_boards(flash: FlashImage) -> None:
    assert flash.image.read_bytes() == b"\xff" * (352 * 4096)


@given(old=st.binary(min_size=PAGE, max_size=PAGE), new=st.binary(min_size=PAGE, max_size=PAGE))
def test_program_clears_bits_and_sets_no_bit(
    tmp_path_factory: pytest.TempPathFactory, old: bytes, new: bytes
) -> None:
    flash = FlashImage(tmp_path_factory.mktemp("flash") / "flash.img", "1")
    flash.program(3, 512, old)
    flash.program(3, 512, new)
    assert flash.read(3, 512, PAGE) == bytes(a & b for a, b in zip(old, new, strict=True))
    flash.close()


def test_erase_sets_all_bits_of_only_its_block(flash: FlashImage) -> None:
    for block in (3, 4, 5):
        flash.program(block, 0, ZEROS)
    flash.erase(4)
    assert [flash.read(block, 0, PAGE) for block in (3, 4, 5)] == [ZEROS, ONES, ZEROS]


def test_write_is_immediately_in_the_image(flash: FlashImage) -> None:
    flash.program(7, 256, ZEROS)
    assert flash.image.read_bytes()[7 * BLOCK + 256 :][:PAGE] == ZEROS


def test_programs_and_erases_are_counted_by_block(flash: FlashImage) -> None:
    for _ in range(3):
        flash.erase(9)
    flash.program(9, 0, ZEROS)
    assert flash.wear() == {
        "programs": 1,
        "erases": 3,
        "hottest_block": 9,
        "hottest_erases": 3,
        "endurance": 100_000,
    }


@pytest.mark.parametrize(
    "wrong",
    [
        lambda flash: flash.program(0, 100, ZEROS),
        lambda flash: flash.program(0, 0, ZEROS[:10]),
        lambda flash: flash.program(0, BLOCK, ZEROS),
        lambda flash: flash.program(BLOCKS, 0, ZEROS),
        lambda flash: flash.erase(BLOCKS),
    ],
    ids=["off the page", "part of a page", "past the block", "past the flash", "no such block"],
)
def test_impossible_operation_is_refused(
    flash: FlashImage, wrong: Callable[[FlashImage], None]
) -> None:
    with pytest.raises(ValueError, match=r"page|block"):
        wrong(flash)
    assert flash.operations == 0


def test_power_fails_at_the_given_operation(flash: FlashImage) -> None:
    flash.cut_at(3, torn=0)
    flash.program(0, 0, ZEROS)
    flash.erase(1)
    with pytest.raises(PowerCutError):
        flash.program(0, 256, ZEROS)
    assert flash.read(0, 256, PAGE) == ONES
    flash.program(0, 256, ZEROS)


def test_torn_program_has_written_its_first_part(flash: FlashImage) -> None:
    flash.cut_at(1, torn=0.5)
    with pytest.raises(PowerCutError):
        flash.program(0, 0, ZEROS)
    found = flash.read(0, 0, PAGE)
    assert found[:128] == ZEROS[:128]
    assert found[129:] == ONES[129:]


def test_program_cut_at_its_end_is_complete_but_unanswered(flash: FlashImage) -> None:
    flash.cut_at(1, torn=1)
    with pytest.raises(PowerCutError):
        flash.program(0, 0, ZEROS)
    assert flash.read(0, 0, PAGE) == ZEROS


def test_torn_erase_leaves_part_of_the_block_unchanged(flash: FlashImage) -> None:
    for page in range(0, BLOCK, PAGE):
        flash.program(0, page, ZEROS)
    flash.cut_at(1, torn=0.5)
    with pytest.raises(PowerCutError):
        flash.erase(0)
    found = flash.read(0)
    assert found[: BLOCK // 2] == b"\xff" * (BLOCK // 2)
    assert found[BLOCK // 2 + PAGE :] == bytes(BLOCK // 2 - PAGE)


def test_image_outlives_the_bench(flash: FlashImage) -> None:
    flash.program(0, 0, ZEROS)
    flash.close()
    assert FlashImage(flash.image, "1").read(0, 0, PAGE) == ZEROS
