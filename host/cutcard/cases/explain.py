"""The description of a round, sentence by sentence, as a floor manager would give it."""

from __future__ import annotations

from collections.abc import Iterator

from cutcard.cases.runner import CaseReport
from cutcard.engine.ledger import dollars
from cutcard.engine.results import OPEN, WagerResult, results
from cutcard.engine.state import Round
from cutcard.rulebooks.book import Rules

Sentence = tuple[str, Rules]


def explain(report: CaseReport) -> list[Sentence]:
    """Return the sentences about a replayed case, each with its rules."""
    return list(_sentences(report))


def _sentences(report: CaseReport) -> Iterator[Sentence]:
    yield report.title, ()
    if report.invalid is not None:
        for why in report.refusals:
            yield f"The table is refused: {why}.", tuple(report.invalid)
    if report.round is not None:
        yield from _round(report.round)
    if report.waits_for is not None:
        yield (
            f"The record ends here and the round is open: it waits for {report.waits_for}.",
            (),
        )
    for difference in report.differences:
        yield f"This differs from the file: {difference}.", ()


def _round(round: Round) -> Iterator[Sentence]:
    table = round.table
    game = " and ".join(variant.replace("-", " ") for variant in round.book.variants)
    decks = "1 deck" if table.decks == 1 else f"{table.decks} decks"
    yield f"{round.book.title}; {game}; {decks}, {table.shuffler}.", ()
    dealt = round.book.rules("deal.initial")
    for number, box in sorted(round.boxes.items()):
        who = " and ".join(f"{main.player} with {dollars(main.amount)}" for main in box.mains)
        cards = " ".join(map(str, box.dealt[:2]))
        yield f"Box {number}: {who or 'no player'}; dealt {cards or 'no card'}.", dealt
    for placed in round.placed:
        if placed.bet != "main":
            bet = placed.bet.replace("-", " ")
            on = f"{placed.player} on box {placed.box}"
            yield f"{on} also has {dollars(placed.amount)} on {bet}.", ()
    if round.dealer:
        yield f"The dealer shows {round.dealer[0]}.", dealt
    for note in round.story:
        yield note.text, tuple(dict.fromkeys(note.rules))
    for result in results(round):
        yield _outcome(result), result.rules


def _outcome(result: WagerResult) -> str:
    key = result.key
    verb = came_out(result.result, result.net)
    return f"{key.player} on box {key.box}, {key.bet.replace('-', ' ')}: {verb}."


def came_out(result: str, net: int) -> str:
    """Return the outcome of a wager in words; `net` in cents."""
    return {
        OPEN: "is open",
        "win": f"wins {dollars(net)}",
        "lose": f"loses {dollars(-net)}",
        "stand-off": "stands off",
        "void": "gets it back",
        "surrendered": f"surrendered, {dollars(net)}",
        "carried": f"is carried to the next round, {dollars(net)} so far",
    }[result]
