"""Wagers that a rule refuses never begin a round, main and side wagers alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.engine.state import Placed
from cutcard.table.live import WagersRefused
from hil_tests.live_rounds.live_table import Evening


def test_a_wager_that_the_rules_refuse_begins_no_round(live: Callable[..., Evening]) -> None:
    evening = live("shoe-8", "crown-melbourne-26")
    unoffered = Placed(1, "Ana", "buster", 500)
    with pytest.raises(WagersRefused, match="buster"):
        evening.play("", side=[unoffered])
    assert evening.records("round") == []
    assert evening.live.number == 0
    evening.play("Th 9c 7d 8s 6h 2c 3s 9s", "stand stand")
