"""The flash wear per card. `make bench` derives the life of a board from it."""

from __future__ import annotations

import pytest

from cutcard.testing.plugin import BENCH, kind_of
from hil_tests.flash_wear import erases_a_card
from hil_tests.limits import ERASES_A_CARD


def test_erases_per_card_allow_five_years_of_flash(
    request: pytest.FixtureRequest,
) -> None:
    if kind_of(request.config) != BENCH:
        pytest.skip(
            "counts erases on the bench, which has the same core and littlefs: six decks in, and "
            "1,500 cards out and back, do not end on the emulated chip within 20 minutes, "
            "and a board does not count them"
        )
    assert erases_a_card("carousel-38", rounds=80) <= ERASES_A_CARD
