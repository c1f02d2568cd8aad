"""The weights of a carousel: their derivation, and the equality of the shipped ones."""

from __future__ import annotations

import numpy as np
import pytest

from cutcard.machines import Row, find
from rng_certification.continuous.weights import Bin, derive, leakage_of, loads


def test_a_bin_of_unlimited_capacity_needs_no_weights() -> None:
    """With so many places that bins are never full, the waiting time is memoryless by itself."""
    assert leakage_of(38, 8, 104, Row((1,) * 40, (1,) * 40)).waiting == pytest.approx(0, abs=0.003)


def test_often_full_bin_leaks_the_age_of_a_card() -> None:
    """As in an independent simulation: 0.61 bits, of which an ideal machine has 0.04."""
    assert leakage_of(38, 8, 312, Row((1,) * 10, (1,) * 10)).waiting == pytest.approx(
        0.56, abs=0.02
    )


def test_weights_of_one_pack_do_not_fit_another() -> None:
    machine = find("carousel-38")
    own, other = (leakage_of(38, 8, pack, machine.row(312)).waiting for pack in (312, 208))
    assert own < 0.01 < 0.08 < other


def test_loads_have_the_requested_mean() -> None:
    shares = loads(np.array([4.0, 2, 1]), np.array([1.0, 2, 3]), 1.25)
    assert shares @ np.arange(4) == pytest.approx(1.25)
    assert shares[1] / shares[0] * 1 / 4 == pytest.approx(shares[2] / shares[1] * 2 / 2)


@pytest.mark.parametrize("name", ["carousel-38", "carousel-60"])
def test_the_shipped_weights_are_good_for_each_allowed_pack(name: str) -> None:
    machine = find(name)
    for decks, deck in machine.admitted():
        found = leakage_of(machine.whole("bins.count"), 8, decks * deck, machine.row(decks * deck))
        assert found.waiting < 0.01
        assert found.followers < 0.006


@pytest.mark.soak
@pytest.mark.parametrize(("name", "pack"), [("carousel-38", 312), ("carousel-60", 416)])
def test_the_shipped_weights_can_be_derived_again(name: str, pack: int) -> None:
    machine = find(name)
    bins, capacity = machine.whole("bins.count"), machine.whole("bins.capacity")
    assert derive(bins, capacity, machine.whole("chute.low"), pack) == machine.row(pack)


def test_a_pack_that_does_not_fit_is_rejected() -> None:
    with pytest.raises(ValueError, match="do not fit into 4 bins of 5"):
        derive(4, 5, 2, 52)


def test_the_model_of_a_bin_of_one_place_has_no_followers() -> None:
    assert Bin(1).leakage(np.ones(1), np.ones(1), 60, 0.5).followers == pytest.approx(0, abs=0.01)
