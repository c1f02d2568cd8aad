"""The exact figures, compared with the simulator, which equals the engine round by round."""

from __future__ import annotations

import pytest

from cutcard.edge.game.beside import edges_beside
from cutcard.edge.game.figures import figures_of
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.job import Job, ready
from cutcard.edge.simulate.running import simulate
from cutcard.edge.strategy import as_json
from cutcard.rulebooks import open_rulebook

ROUNDS = 20_000_000


@pytest.mark.soak
@pytest.mark.parametrize(
    ("rulebook", "variant", "decks"),
    [
        ("uk-blackjack", "blackjack", 1),
        ("uk-blackjack", "blackjack", 6),
        ("nz-division-2", "blackjack", 8),
        ("nz-division-2", "free-bet", 6),
        ("crown-melbourne-26", "vegas", 4),
        ("crown-melbourne-26", "premium-doubling", 4),
        ("crown-melbourne-26", "blackjack-plus", 6),
        ("crown-melbourne-26", "crown-pontoon", 8),
        ("mbs-free-bet-3", "free-bet", 6),
    ],
)
def test_simulated_strategy_has_the_exact_edge(rulebook: str, variant: str, decks: int) -> None:
    found = figures_of(money_rules(open_rulebook(rulebook, (variant,)), decks))
    job = Job(rulebook, (variant,), decks, as_json(found.strategy))

    played, whole = simulate(job, ready(job), ROUNDS)

    assert whole
    assert abs(played.edge.value - found.edge) < 4 * played.edge.error
    assert played.variance == pytest.approx(found.variance, rel=0.01)
    assert played.edge_of_action == pytest.approx(found.edge_of_action, abs=4 * played.edge.error)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("rulebook", "variant", "bet"),
    [
        ("mbs-free-bet-3", "free-bet", "pot-of-gold"),
        ("nz-division-2", "blackjack", "super-sevens"),
        ("nz-division-2", "blackjack", "lucky-match"),
        ("crown-melbourne-26", "blackjack", "magnificent-sevens"),
    ],
)
def test_simulated_side_wager_by_play_has_its_exact_edge(
    rulebook: str, variant: str, bet: str
) -> None:
    book = open_rulebook(rulebook, (variant,))
    strategy = as_json(figures_of(money_rules(book, 6)).strategy)
    exact = next(each for each in edges_beside(book, 6) if each.bet == bet)
    job = Job(rulebook, (variant,), 6, strategy, sides={bet: (exact.choice, 100)})

    played, _ = simulate(job, ready(job), ROUNDS)

    (side,) = played.sides
    assert abs(side.edge.value - exact.edge) < 4 * side.edge.error
