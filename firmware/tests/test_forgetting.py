"""An erasable record survives every power cut, and the next record destroys its key.

The test needs MicroPython, which contains littlefs. `hil_tests/test_threats_flash.py` reads the
chip of a complete device.
"""

from __future__ import annotations

import pytest

from firmware.tests.interpreters import run

FIRST_BLOCK = 255  # records of a file; then a second file begins, and after it the first again


@pytest.mark.parametrize(
    ("first", "stored"), [(0, 3), (FIRST_BLOCK - 2, 4), (2 * FIRST_BLOCK - 2, 4)]
)
def test_a_cut_at_any_write_leaves_the_old_record_or_the_new_and_one_key(
    first: int, stored: int
) -> None:
    run(
        "micropython",
        "import sys; sys.path[:0] = ['.', '../tests']; import littlefs_cuts; "
        f"assert littlefs_cuts.cut_at_every_write({first}, {stored}) > 8 * {stored}",
    )
