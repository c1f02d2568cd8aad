"""What a card costs the flash. `make bench` works out from it how long a board lasts."""

from __future__ import annotations

from hil_tests.flash_wear import erases_a_card

# With the image of a carousel-38 on the board; `make bench` measures it anew.
FIVE_YEARS = 0.279


def test_a_card_erases_as_little_as_five_years_of_flash_allow() -> None:
    assert erases_a_card("carousel-38", rounds=16) <= FIVE_YEARS
