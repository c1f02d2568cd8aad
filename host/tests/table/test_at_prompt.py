"""A person at the terminal, for all people at the table."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import typer
from typer.testing import CliRunner

from cutcard.cards import Card, parse_cards
from cutcard.engine import Deal, Placed, Table, start, step
from cutcard.engine.events import LATE, Act, Event, Irregularity, Ruling
from cutcard.engine.obligations import options
from cutcard.engine.state import DEALER, Round
from cutcard.rulebooks import open_rulebook
from cutcard.table.people.at_prompt import PlayersAtPrompt, RulesAtPrompt
from cutcard.table.people.terminal import Terminal

AT_PROMPT = PlayersAtPrompt(Terminal())


def dealt(cards: str, *game: str) -> Round:
    book = open_rulebook(game[0], game[1:])
    round = start(Table(book, decks=6), [Placed(1, "Ann", "main", 1000)])
    for card in cards.split():
        round = step(round, Deal(Card.parse(card)))
    return round


def asked(cards: str, *answers: str, game: tuple[str, ...] = ("uk-blackjack",)) -> str:
    """Return the terminal's output for these cards and these typed answers."""
    round = dealt(cards, *game)
    box = round.boxes[1]
    return at_terminal(lambda: AT_PROMPT.decide(round, box, box.hands[0]).kind, *answers)


def at_terminal(ask: Callable[[], object], *answers: str) -> str:
    app = typer.Typer()

    @app.command()
    def at_turn() -> None:
        typer.echo(f"took {ask()}")

    return CliRunner().invoke(app, input="".join(f"{answer}\n" for answer in answers)).output


def test_decision_is_typed() -> None:
    assert "took stand" in asked("9s 7d Th", "stand")


@pytest.mark.parametrize("refused", ["split", "fold"])
def test_decision_not_allowed_for_the_hand_is_requested_again(refused: str) -> None:
    said = asked("9s 7d Th", refused, "hit")
    assert "use one of hit, stand" in said
    assert "took hit" in said


def test_only_allowed_decisions_are_offered() -> None:
    assert "split" in asked("8s 7d 8h", "stand")
    assert "split" not in asked("9s 7d Th", "stand")


def test_surrender_is_offered_if_the_book_has_it_in_turn() -> None:
    pontoon = ("crown-melbourne-26", "crown-pontoon")
    assert "took surrender" in asked("9s Kd 7h", "surrender", game=pontoon)
    assert "surrender" not in asked("9s 7d Th", "stand")


def test_first_letters_are_accepted_if_unambiguous() -> None:
    said = asked("8s 7d 8h", "s", "sp")
    assert "use one of hit, stand, double, split (the first letters are enough)" in said
    assert "took split" in said


@pytest.mark.parametrize(("answer", "taken"), [("y", True), ("n", False), ("", False)])
def test_empty_answer_declines_an_option(answer: str, taken: bool) -> None:
    round = dealt("9s Ad 7h", "crown-melbourne-26", "blackjack")
    (act,) = options(round)
    said = at_terminal(lambda: AT_PROMPT.consider(round, act), answer)
    assert "insure?" in said
    assert f"took {taken}" in said


def test_late_wager_is_typed() -> None:
    round = dealt("9s 7d Th", "uk-blackjack")
    box = round.boxes[1]
    taken: list[Act] = []

    def take() -> str:
        taken.append(AT_PROMPT.decide(round, box, box.hands[0]))
        return taken[0].kind

    said = at_terminal(take, "wager Ann", "wager Ann 1 2.505", "wager Ann 1 5 any-pair")
    assert said.count("type it as in: wager Ana 1 20") == 2
    assert taken == [Act(LATE, box=1, player="Ann", amount=500, bet="any-pair")]


def test_end_of_the_input_ends_the_program() -> None:
    said = asked("9s 7d Th", "fold")
    assert "took" not in said
    assert "Aborted" in said


def shoe_fails(*typed: str) -> tuple[Ruling, str]:
    """Return the ruling typed in New Zealand after Ann's card fell on the dealer, and the
    screen."""
    table = Table(open_rulebook("nz-division-2"), decks=6, shuffler="shoe")
    mains = [Placed(1, "Ann", "main", 2000), Placed(2, "Bob", "main", 1000)]
    round = start(table, mains)
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("Th 9c 6d 2h 8d")),
        Act("hit"),
        Deal(Card.parse("9h"), to=DEALER),
        Irregularity("malfunction", device="shoe"),
    )
    for event in events:
        round = step(round, event)
    floor = RulesAtPrompt()
    floor.terminal = Terminal()
    made: list[Ruling | None] = []
    said = at_terminal(lambda: made.append(floor.rule(round, round.choices[-1], True)), *typed)
    assert made[0] is not None
    step(round, made[0])
    return made[0], said


def test_void_hand_and_the_dealers_cards_are_typed() -> None:
    ruling, said = shoe_fails("2", "7", "1", "6d")
    assert "name one or more of dealer, 1, 2" in said
    assert (ruling.kind, ruling.hands, ruling.dealer) == (
        "void-hands",
        ("1",),
        tuple(parse_cards("6d")),
    )


@pytest.mark.parametrize(("typed", "dealer"), [("", ""), ("6d", "6d")])
def test_reconstruction_takes_the_dealers_cards_or_no_cards(typed: str, dealer: str) -> None:
    ruling, _ = shoe_fails("1", typed)
    assert (ruling.kind, ruling.dealer) == ("reconstruct", tuple(parse_cards(dealer)))
