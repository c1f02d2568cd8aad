"""Test against a device: pytest fixtures, new for every test, on the bench or on a board.

    # test_my_table.py
    def test_shuffler_deals_a_card(shuffler):  # a carousel on the bench with one deck in it
        assert shuffler.device.deal().card is not None

A test fails if the firmware crashed or leaked heap. `pytest --port chip:` runs the tests on an
emulated board, `pytest --port /dev/ttyACM0` runs those that need no manual action on a real one.
"""

import pytest

pytest.register_assert_rewrite("cutcard.testing.bench_device")

from cutcard.testing.bench_device import BenchDevice  # noqa: E402

__all__ = ["BenchDevice"]
