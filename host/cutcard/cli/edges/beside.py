"""`cutcard edge beside`: side wagers whose result depends on the play of the main game."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from cutcard.cli.edges.game_arguments import Words, decks_words, game_named, refuse_table
from cutcard.cli.options import called_wrongly
from cutcard.columns import show_table
from cutcard.edge.game.beside import SHARES, edges_beside
from cutcard.edge.game.riding import NOT_BESIDE_FREE_BETS, riding_edges
from cutcard.engine import Table
from cutcard.progress import working
from cutcard.rulebooks import open_rulebook

Decks = Annotated[int, typer.Option(help="Number of decks.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def beside_command(words: Words, decks: Decks, as_json: AsJson = False) -> None:
    """The house edge of side wagers that depend on play, under the best play of the main game.

    It also gives the edge under the best play of both wagers together, with a side wager as large
    as the main one and a fifth of it, including the cost to the main wager. It covers Super Sevens,
    Lucky Match, Magnificent Sevens and Pot of Gold, and House Money and Let It Ride with winnings
    left riding. `cutcard edge side` has the side wagers that the first cards or the dealer's hand
    decide.

    For example: cutcard edge beside mbs-free-bet-3 --decks 6
    """
    rulebook, variants = game_named(words)
    book = open_rulebook(rulebook, variants)
    refuse_table(Table(book, decks))
    name = f"{book.name} {' '.join(book.variants)}, {decks_words(decks)}"
    with working(f"computing {name}"):
        found = list(edges_beside(book, decks))
        riding = list(riding_edges(book, decks))
    known = {each.bet for each in riding}
    left_out = {
        bet: NOT_BESIDE_FREE_BETS
        for bet, side in book.side_wagers.items()
        if side.riding and bet not in known
    }
    if not found and not riding and not left_out:
        called_wrongly(f"{name}: no side wager depends on its play")
    if as_json:
        rows = [
            {
                "bet": each.bet,
                "choice": each.choice,
                "edge": round(each.edge, 12),
                "assuming": "the best play of the main game",
                "together": [
                    {"share": share, "edge": round(edge, 12)} for share, edge in each.together
                ],
                "rows": [
                    {"hand": hand, "odds": odds, "chance": round(chance, 15)}
                    for hand, odds, chance in each.rows
                ],
            }
            for each in found
        ]
        result = {"game": name, "edges": rows, "riding": [asdict(each) for each in riding]}
        print(json.dumps(result | {"left_out": left_out}))
        return
    cells = [
        (each.bet, each.choice, f"{each.edge:.6%}", *(f"{edge:.6%}" for _, edge in each.together))
        for each in found
    ]
    if cells:
        by_both = tuple(f"of both, side : main 1:{1 / share:g}" for share in SHARES)
        show_table(
            ("bet", "pays by", "edge under the best play of the main game", *by_both),
            cells,
            title=name,
        )
    if riding:
        headings = (
            "may ride",
            "side : main",
            "payouts taken",
            "riding where it gains, best play of the main game",
            "best play of both together",
        )
        show_table(
            headings,
            [
                (
                    each.bet,
                    f"1:{1 / each.share:g}",
                    f"{each.kept:.6%}",
                    f"{each.by_main:.6%}",
                    f"{each.together:.6%}",
                )
                for each in riding
            ],
        )
    for bet, why in left_out.items():
        typer.echo(f"{bet}: not computed for this game: {why}")
