"""What a card costs the flash. `make bench` works out from it how long a board lasts."""

from __future__ import annotations

import pytest

from cutcard.testing.plugin import BENCH, kind_of
from hil_tests.flash_wear import erases_a_card

# With the image of a carousel-38 on the board; `make bench` measures it anew.
FIVE_YEARS = 0.279


def test_a_card_erases_as_little_as_five_years_of_flash_allow(
    request: pytest.FixtureRequest,
) -> None:
    if kind_of(request.config) != BENCH:
        pytest.skip(
            "counts erases on the bench, which has the same core and littlefs: six decks in, and "
            "240 cards out and back, did not end on the emulated chip within 20 minutes of a busy "
            "computer, and a board has nobody who counts"
        )
    assert erases_a_card("carousel-38", rounds=16) <= FIVE_YEARS
