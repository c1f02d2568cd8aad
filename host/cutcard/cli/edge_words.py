"""What the commands of `cutcard edge` share: the game that somebody typed, and how to refuse."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.cli.options import called_wrongly
from cutcard.rulebooks.book import Rulebook, UnknownRulebookError, games_named, open_rulebook
from cutcard.rulebooks.text import MalformedRulebookError


def game_named(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """One game as people type it: RULEBOOK VARIANT, RULEBOOK/VARIANT, two variants with a plus."""
    games = games_named(words)
    if len(games) != 1:
        called_wrongly(f"name one game, not {len(games)}")
    rulebook, variants = games[0]
    try:
        return rulebook, open_rulebook(rulebook, variants).variants
    except (UnknownRulebookError, MalformedRulebookError) as error:
        called_wrongly(str(error))


def ante_of(book: Rulebook, stake: int, ante: int | None) -> int | None:
    """The ante in cents: what was typed, else the most that the rulebook allows; None without."""
    share = book.get("ante.share")
    if share is None or not book.flag("ante.placed"):
        if ante is not None:
            called_wrongly(f"--ante: {book.name} {' '.join(book.variants)} has none")
        return None
    return int(share.odds * stake) if ante is None else ante
