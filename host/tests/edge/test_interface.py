"""The Python interface of analysis and simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cutcard.cards import Card
from cutcard.edge.interface import (
    ACTIONS,
    DECISIONS,
    BadRuleError,
    GameSetup,
    NotSimulatedError,
    PlayedRounds,
    RefusedTableError,
    analyse,
    play_rounds,
    simulate,
)
from cutcard.engine import Act, Deal, Placed, Settled, Table, finish, results, start, step
from cutcard.engine.turn import hand_in_turn, next_card_goes_to
from cutcard.rulebooks import open_rulebook

SHOE = GameSetup("uk-blackjack", decks=6, boxes=3, dealing="shoe")
ROUNDS = 20_000


@pytest.fixture(scope="module")
def rounds() -> PlayedRounds:
    return play_rounds(SHOE, ROUNDS)


def test_analysis_takes_changed_rules() -> None:
    plain = analyse(GameSetup("uk-blackjack", decks=2))
    peeks = analyse(GameSetup("uk-blackjack", decks=2, rules={"dealer.peeks": True}))
    assert peeks.edge < plain.edge


def test_simulation_by_the_best_strategy_has_the_exact_edge() -> None:
    game = GameSetup("uk-blackjack", decks=2)
    exact = analyse(game)
    found = simulate(game, 2_000_000, strategy=exact.strategy)
    assert abs(found.with_insurance.value - exact.edge) < 5 * found.with_insurance.error


def test_recorded_rounds_are_the_rounds_of_the_simulation(rounds: PlayedRounds) -> None:
    counted = simulate(SHOE, ROUNDS)
    net = rounds.boxes["net"].sum() / (counted.rounds * SHOE.boxes * SHOE.stake)
    assert rounds.rounds == counted.rounds
    assert -net == pytest.approx(counted.with_insurance.value, abs=1e-12)
    assert len(rounds.cards) == round(counted.cards * counted.rounds)


@pytest.mark.parametrize("game", [SHOE, GameSetup("uk-blackjack", decks=1, boxes=2)])
def test_engine_pays_a_recorded_round_identically(game: GameSetup) -> None:
    played = play_rounds(game, 60, seed="engine")
    for number in range(played.rounds):
        cards = played.cards[played.cards["round"] == number]["card"]
        of_round = played.decisions[played.decisions["round"] == number]
        assert (
            _engine(game, cards, of_round)
            == played.boxes[played.boxes["round"] == number]["net"].tolist()
        )


def _engine(game: GameSetup, cards: Any, decisions: Any) -> list[int]:
    """Play a recorded round with the engine; return the result of each box."""
    table = Table(open_rulebook(game.rulebook), decks=game.decks)
    boxes = range(1, game.boxes + 1)
    round = start(table, [Placed(box, "Ann", "main", game.stake) for box in boxes])
    left = iter(cards.tolist())
    for _ in range(2 * game.boxes + 1):
        round = step(round, Deal(Card.from_code(next(left))))
    for each in decisions[decisions["what"] == DECISIONS.index("insure")]:
        if each["action"]:
            round = step(round, Act("insure", box=int(each["box"])))
    ways = iter(decisions[decisions["what"] == DECISIONS.index("play")]["action"].tolist())
    due = [Card.from_code(code) for code in left]
    round = step(round, Settled("interim"))
    while due or hand_in_turn(round) is not None:
        if next_card_goes_to(round) is not None:
            round = step(round, Deal(due.pop(0)))
        else:
            round = step(round, Act(ACTIONS[next(ways)]))
    lines = results(finish(round))
    return [sum(line.net for line in lines if line.key.box == box) for box in boxes]


def test_same_seed_gives_the_same_rounds_on_any_number_of_cores(rounds: PlayedRounds) -> None:
    again = play_rounds(SHOE, ROUNDS, cores=1)
    other = play_rounds(SHOE, 2_000, seed="another")
    for name in ("boxes", "cards", "decisions", "payments"):
        assert np.array_equal(getattr(rounds, name), getattr(again, name))
    assert not np.array_equal(rounds.cards[: len(other.cards)], other.cards)


def test_payments_add_up_to_the_results(rounds: PlayedRounds) -> None:
    paid = rounds.payments["cents"].sum()
    assert paid == rounds.boxes["net"].sum()


def test_progress_is_reported_until_the_end() -> None:
    seen: list[tuple[int, int]] = []
    simulate(SHOE, ROUNDS, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (ROUNDS, ROUNDS)
    assert seen == sorted(seen)


def test_machine_deals_through_its_twin() -> None:
    game = GameSetup("uk-blackjack", decks=6, dealing="carousel-38")
    assert simulate(game, 8_192).rounds == 8_192
    with pytest.raises(NotSimulatedError, match="carousel-38"):
        play_rounds(game, 10)


def test_wrong_games_raise_errors_that_name_the_rule() -> None:
    with pytest.raises(RefusedTableError, match="9 decks"):
        analyse(GameSetup("uk-blackjack", decks=9))
    with pytest.raises(BadRuleError, match="did you mean double"):
        simulate(GameSetup("uk-blackjack", rules={"double.after_spilt": False}), 10)
    with pytest.raises(NotSimulatedError, match="at least 1"):
        simulate(SHOE, 0)


def test_existing_dask_client_plays_the_same_rounds_and_stays_open(
    rounds: PlayedRounds,
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(processes=False, n_workers=1, dashboard_address=None) as client:
        played = play_rounds(SHOE, ROUNDS, scheduler=client)
        found = simulate(SHOE, ROUNDS, scheduler=client)
        assert client.status == "running"
    assert np.array_equal(played.cards, rounds.cards)
    assert found == simulate(SHOE, ROUNDS)


def test_frames_have_a_column_for_each_field(rounds: PlayedRounds) -> None:
    frames = rounds.frames()
    assert list(frames["boxes"].columns) == ["round", "box", "net", "sides"]
    assert len(frames["cards"]) == len(rounds.cards)
