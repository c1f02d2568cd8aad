"""A board emulated on a busy computer gets proportionally more time."""

from __future__ import annotations

import os

import pytest

from cutcard.devices import deadline
from cutcard.devices.deadline import Deadline


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a load of three processes for each of two cores."""
    monkeypatch.setattr(os, "getloadavg", lambda: (6.0, 1.0, 1.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


@pytest.mark.usefixtures("busy")
def test_timeouts_of_an_emulated_board_grow_with_the_load(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadline, "_pace", 20.0)
    given = Deadline(2)
    assert given.wait == pytest.approx(2 * 20 * 3, abs=5)
    assert given.left == pytest.approx(2, abs=0.1)


@pytest.mark.usefixtures("busy")
def test_timeouts_of_a_board_on_a_cable_do_not_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_pace", 1.0)
    assert Deadline(2).wait <= 2
