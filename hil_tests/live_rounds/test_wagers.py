"""Wagers refused by a rule do not start a round; a wager left for the next round is carried."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.engine.state import Placed
from cutcard.table.play.live import WagersRefusedError
from hil_tests.live_rounds.live_table import Evening


def test_refused_wager_starts_no_round(live: Callable[..., Evening]) -> None:
    evening = live("shoe-8", "crown-melbourne-26")
    unoffered = Placed(1, "Ana", "buster", 500)
    with pytest.raises(WagersRefusedError, match="buster"):
        evening.play("", side=[unoffered])
    assert evening.records("round") == []
    assert evening.live.number == 0
    evening.play("Th 9c 7d 8s 6h 2c 3s 9s", "stand stand")


def test_blackpot_left_for_another_round_is_carried(
    live: Callable[..., Evening],
) -> None:
    """6, 7 and 8: 100 to 1, and the wager stays (Crown 23.3.5(c)); it may not be increased (iv)."""
    at = live("carousel-38", "crown-melbourne-26", offers={"blackpot": ""})
    at.play("6c 9c 6d 7h 8s 8d Kd 9c", "hit stand", side=[Placed(1, "Ana", "blackpot", 500)])
    assert ("blackpot", "carried", 55_000) in results(at)
    assert at.live._state_to_store()["carried"] == [[1, "Ana", "blackpot", 500]]
    at.play("6c 9c 6d 7h 8s Kd 9c", "stand stand", side=[Placed(1, "Ana", "blackpot", 900)])
    (lies,) = [w for w in at.records("round")[1]["wagers"] if w["bet"] == "blackpot"]
    assert (lies["carried"], lies["amount"]) == (True, 5)
    assert ("blackpot", "win", 499_500) in results(at)  # 1,000 to 1, and then the wager is lost
    assert at.live._state_to_store()["carried"] == []


def results(at: Evening) -> list[tuple[str, str, int]]:
    return [(line.key.bet, line.result, line.net) for line in at.outcome]
