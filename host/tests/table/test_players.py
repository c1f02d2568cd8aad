"""The decision of a person at the terminal."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from cutcard.cards import Card
from cutcard.engine import Deal, Placed, Table, start, step
from cutcard.rulebooks import open_rulebook
from cutcard.table.players import decide_at_prompt


def asked(cards: str, *answers: str) -> str:
    """What the terminal shows to a person with these cards who types these answers."""
    round = start(Table(open_rulebook("uk-blackjack"), decks=6), [Placed(1, "Ann", "main", 1000)])
    for card in cards.split():
        round = step(round, Deal(Card.parse(card)))
    app = typer.Typer()

    @app.command()
    def at_turn() -> None:
        box = round.boxes[1]
        typer.echo(f"took {decide_at_prompt(round, box, box.hands[0]).kind}")

    return CliRunner().invoke(app, input="".join(f"{answer}\n" for answer in answers)).output


def test_a_decision_is_typed() -> None:
    assert "took stand" in asked("9s 7d Th", "stand")


@pytest.mark.parametrize("refused", ["split", "fold"])
def test_what_the_hand_may_not_do_is_asked_again(refused: str) -> None:
    said = asked("9s 7d Th", refused, "hit")
    assert "say one of hit, stand" in said
    assert "took hit" in said


def test_only_what_the_rules_leave_is_offered() -> None:
    assert "split" in asked("8s 7d 8h", "stand")
    assert "split" not in asked("9s 7d Th", "stand")
