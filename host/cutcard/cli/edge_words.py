"""What the commands of `cutcard edge` share: the game that somebody typed, and how to refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import typer

from cutcard.rulebooks.book import UnknownRulebookError, games_named, open_rulebook
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


def called_wrongly(message: str) -> NoReturn:
    """Exit 2, with what was wrong on standard error."""
    typer.echo(message, err=True)
    raise typer.Exit(2)
