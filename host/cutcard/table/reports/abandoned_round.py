"""The rulings that a rulebook allows on a round that cannot be resumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cutcard.engine.choices import PLAYER
from cutcard.engine.events import Irregularity
from cutcard.engine.refusal import EngineError
from cutcard.engine.round import step
from cutcard.engine.state import Round
from cutcard.journal import JournalDamagedError, JournalNewerError, read
from cutcard.table.display_names import job, words
from cutcard.table.reports.journal_text import JournalDescriber


def ways_out(journal: Path) -> list[str]:
    """Return the allowed rulings on the open round and the entitled roles, as for a machine
    failure.

    Return an empty list if no round is open, or if its record cannot be replayed.
    """
    round = _open_round(journal)
    if round is None:
        return []
    device = "shoe" if round.table.shuffler == "shoe" else "shuffler"
    try:
        after = step(round, Irregularity("malfunction", device=device))
    except (EngineError, LookupError, ValueError):
        return []
    return list(_ways(round, after))


def _ways(round: Round, after: Round) -> Iterator[str]:
    for choice in after.choices[len(round.choices) :]:
        for option in choice.options:
            by = "the player" if option.by == PLAYER else job(option.by or round.book.roles[-1])
            yield f"{words(option.ruling)}, by {by}{_cited(option.rules_now(after))}"
    for ruled in after.rulings[len(round.rulings) :]:
        yield f"{words(ruled.ruling or 'by rule')}{_cited(ruled.rules)}"


def _cited(rules: tuple[str, ...]) -> str:
    return f" [{', '.join(rules)}]" if rules else ""


def _open_round(journal: Path) -> Round | None:
    describer = JournalDescriber(journal)
    try:
        for record in read(journal):
            for _ in describer.lines(record):
                pass
    except (JournalDamagedError, JournalNewerError, OSError, KeyError, TypeError, ValueError):
        return None
    round = describer.round
    return None if describer.number is None or round is None or round.over else round
