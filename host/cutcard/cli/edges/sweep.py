"""`cutcard edge sweep` and `cutcard edge figures`: every game that the rulebooks allow."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cutcard.cli.edges.game_arguments import (
    OURS_OR_OWN,
    AnyDecks,
    book_named,
    decks_words,
    refuse_table,
)
from cutcard.cli.edges.own_rules import OwnRules, PayFile, own_game_rules
from cutcard.cli.options import called_wrongly, refuse
from cutcard.columns import show_table
from cutcard.edge.game.page import edges_page
from cutcard.edge.game.published import ours, published
from cutcard.edge.game.side_sweep import games_beside, rows_by_cards, rows_by_play
from cutcard.edge.game.splits import NotAnalysedError
from cutcard.edge.game.stored_sides import cited, stored_sides
from cutcard.edge.game.sweep import as_text, configuration_of, configurations, row_of, stored
from cutcard.edge.own_rules import BadRuleError
from cutcard.edge.plain_page import PAGES
from cutcard.engine import Table
from cutcard.progress import working
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.spreadsheet import Sheet

BookName = Annotated[
    str, typer.Argument(metavar="[RULEBOOK]", help=f"{OURS_OR_OWN}; default: all included ones.")
]
Compute = Annotated[
    bool, typer.Option("--compute", help="Compute the figures again, which takes minutes.")
]
Into = Annotated[
    Path | None,
    typer.Option("--into", metavar="FOLDER", help="With --compute: write the stored figures here."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def sweep_command(
    context: typer.Context,
    rulebook: BookName = "",
    decks: AnyDecks = 0,
    own: OwnRules = None,
    paytable: PayFile = None,
    compute: Compute = False,
    into: Into = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Every configuration that the rulebooks allow, those that favour the player first.

    Main games by variant, number of decks, layout, wager, and both readings of each doubtful rule;
    side wagers by game, pay scale and decks (those that depend on play with six decks, or the most
    available). The figures are included in cutcard; --compute computes them again. Main games of a
    folder and with house rules are always computed.

    For example: cutcard edge sweep crown-melbourne-26 --decks 4
    """
    if as_json:
        refuse(context, "cannot be combined with --json: choose one of them", "as_csv")
    values = own_game_rules(own, paytable).values
    if rulebook not in ("", *RULEBOOKS):
        book_named(rulebook)
    is_changed = bool(values) or rulebook not in ("", *RULEBOOKS)
    if into is not None and (rulebook or decks or is_changed or not compute):
        called_wrongly("--into requires --compute, for all rulebooks and decks")
    if into is not None and not into.is_dir():
        called_wrongly(f"--into {into} is not a folder")
    if is_changed:
        rows, sides = _computed_with(rulebook, decks, values), []
    elif compute:
        rows, sides = _computed(rulebook, decks), _computed_sides(rulebook, decks)
    else:
        rows, sides = list(stored()), list(stored_sides())
    if into is not None:
        (into / "sides.json").write_text(as_text(sides), "utf-8")
        (into / "figures.json").write_text(as_text(rows), "utf-8")
        (into / "published.json").write_text(as_text(_computed_published()), "utf-8")
    chosen = [
        row
        for row in rows + sides
        if rulebook in ("", row["rulebook"]) and decks in (0, row["decks"])
    ]
    if not chosen:
        if rulebook:
            refuse_table(Table(open_rulebook(rulebook), decks))
        called_wrongly(f"no rulebook has a game with {decks_words(decks)}")
    chosen.sort(key=lambda row: row["edge"])
    chosen = [row | _beside(row) for row in chosen]
    if as_json:
        print(json.dumps(chosen))
    elif as_csv:
        _print_csv(chosen)
    else:
        _print(chosen)


def figures_command(
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write it into this folder, with the page in plain words and its pictures.",
        ),
    ] = None,
) -> None:
    """Print docs/reference/edges.md from the included figures."""
    if folder is None:
        print(edges_page(), end="")
        return
    if not folder.is_dir():
        called_wrongly(f"--folder {folder} is not a folder")
    for name, text in PAGES.items():
        (folder / name).write_text(text(), "utf-8")


def _computed_with(rulebook: str, decks: int, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the figures of a folder's games, or with changed rules; exit 2 for invalid ones."""
    try:
        return _computed(rulebook, decks, values)
    except (BadRuleError, NotAnalysedError) as bad:
        called_wrongly(str(bad))


def _computed(
    rulebook: str, decks: int, values: Mapping[str, Any] | None = None
) -> list[dict[str, Any]]:
    books = (rulebook,) if rulebook else RULEBOOKS
    wanted = [each for each in configurations(books, values) if decks in (0, each.decks)]
    rows = []
    with working("computing every game", len(wanted)) as work:
        for each in wanted:
            work.on(f"{each.rulebook} {' '.join(each.variants)}, {decks_words(each.decks)}")
            rows.append(row_of(each))
            work.advance()
    return rows


def _computed_sides(rulebook: str, decks: int) -> list[dict[str, Any]]:
    books = (rulebook,) if rulebook else RULEBOOKS
    games = [game for game in games_beside(books) if decks in (0, game[2])]
    rows: list[dict[str, Any]] = []
    with working("computing every side wager", len(books) + len(games)) as work:
        for book in books:
            work.on(book)
            rows += rows_by_cards(book)
            work.advance()
        for game in games:
            work.on(" ".join(map(str, game)))
            rows += rows_by_play(*game)
            work.advance()
    return rows


def _computed_published() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with working("computing figures printed by others", len(published())) as work:
        for entry in published():
            work.on(entry.what)
            rows.append(dict(ours(entry)))
            work.advance()
    return rows


def _print_csv(rows: list[dict[str, Any]]) -> None:
    sheet = Sheet(sys.stdout)
    main = ("rulebook", "variants", "decks", "blackjack", "wager", "reading", "edge", "by_total")
    side = ("otherwise", "side", "choice", "assuming", "allowed_by")
    names = (*main, *side, "action", "variance")
    sheet.write(names)
    for row in rows:
        plain = {**row, "variants": _games(row), "allowed_by": ", ".join(row["allowed_by"])}
        sheet.write([plain.get(name, "") for name in names])


def _beside(row: dict[str, Any]) -> dict[str, Any]:
    """Return the rule text of another reading, and the rules that allow an option in the player's
    favour."""
    favours = row["edge"] < 0
    if "side" in row:
        return {"allowed_by": list(cited(row)) if favours else []}
    each = configuration_of(row)
    return {
        "otherwise": each.switch.otherwise if each.switch is not None else "",
        "allowed_by": list(each.cited) if favours else [],
    }


def _games(row: dict[str, Any]) -> str:
    """Return one game, of several variants with a plus; for a side wager every identical game."""
    return ", ".join(row["games"]) if "side" in row else "+".join(row["variants"])


def _print(rows: list[dict[str, Any]]) -> None:
    headings = ("edge", "rulebook", "game", "decks", "side wager", "layout", "wager")
    show_table(
        (*headings, "read otherwise", "assuming", "allowed by"),
        [_side_cells(row) if "side" in row else _main_cells(row) for row in rows],
    )


def _main_cells(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{100 * row['edge']:.6f} %",
        row["rulebook"],
        _games(row),
        str(row["decks"]),
        "",
        row["blackjack"],
        f"${row['wager']}",
        f"{row['reading']}: {row['otherwise']}" if row["otherwise"] else "",
        "",
        ", ".join(row["allowed_by"]),
    )


def _side_cells(row: dict[str, Any]) -> tuple[str, ...]:
    scale = f", pays by {row['choice']}" if row["choice"] else ""
    return (
        f"{100 * row['edge']:.6f} %",
        row["rulebook"],
        _games(row),
        str(row["decks"]),
        f"{row['side']}{scale}",
        "",
        "",
        "",
        row["assuming"],
        ", ".join(row["allowed_by"]),
    )
