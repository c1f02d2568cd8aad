"""The simulator equals the engine: every card, decision and payment of a thousand rounds."""

from __future__ import annotations

import pytest

from tests.edge.simulate.comparing import Game, compare, games, rare_things

GAMES = list(games())
ROUNDS, FEWER_ROUNDS = 1000, 200  # of a variant; of two variants that apply together


def named(game: Game) -> str:
    return f"{game[0]}/{'+'.join(game[1])}"


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_kernel_and_engine_play_the_same_round(game: Game) -> None:
    rounds = ROUNDS if len(game[1]) == 1 else FEWER_ROUNDS
    seen = compare(game, rounds)
    assert seen["rounds"] > 0.9 * rounds, "nearly all shoes have cards enough"


def test_rare_events_are_listed_for_every_game() -> None:
    assert all(rare_things(game) for game in GAMES)
