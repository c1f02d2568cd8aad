"""Test against a device: fixtures for pytest, fresh for every test, on the bench or on a board.

    # test_my_table.py
    def test_a_card_comes_out(shuffler):  # a carousel on the bench with one deck in it
        assert shuffler.device.deal().card is not None

A test fails where the firmware crashed or leaked heap. `pytest --port chip:` runs them on an
emulated board, `pytest --port /dev/ttyACM0` those that need no hands against a real one.
"""

import pytest

pytest.register_assert_rewrite("cutcard.testing.bench_device")

from cutcard.testing.bench_device import BenchDevice  # noqa: E402

__all__ = ["BenchDevice"]
