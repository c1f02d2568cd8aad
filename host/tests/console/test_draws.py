"""The displayed draws are verified with the controller's key."""

from __future__ import annotations

from dataclasses import replace

from cutcard.console.draws import LatestDraws
from cutcard.journal import Record
from cutcard.prizes.draw import Draw
from tests.prizes.test_verify import PUBLIC, chain


def shown(draws: list[Draw]) -> list[str]:
    """Return the problem of each draw, as displayed."""
    found = LatestDraws().with_record(Record(1, "key", {"public": PUBLIC.hex()}, ""))
    for number, draw in enumerate(draws, start=2):
        found = found.with_record(Record(number, "draw", draw.as_json(), ""))
    return [each["why"] for each in found.shown]


def test_signed_draws_in_one_chain_are_valid() -> None:
    assert shown(chain()) == [""] * 4


def test_changed_prize_is_reported_with_its_draw() -> None:
    draws = chain()
    draws[2] = replace(draws[2], prize=2 if draws[2].prize == 1 else 1)
    said = shown(draws)
    assert said[:2] == ["", ""]
    assert "draw 3: the signature does not match this key" in said[2]


def test_missing_draw_is_reported() -> None:
    assert "draw 3: earlier draws are missing" in shown([*chain()[:1], *chain()[2:]])[1]
