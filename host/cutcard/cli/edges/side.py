"""`cutcard edge side` and `edge prizes`: side wagers in exact fractions, and prize tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from cutcard import untrusted
from cutcard.cli.edges.game_arguments import (
    OURS_OR_OWN,
    AnyDecks,
    book_named,
    decks_words,
    refuse_by_rule,
    refuse_table,
)
from cutcard.cli.edges.own_rules import (
    SAID_ALREADY,
    own_rules_suffix,
    own_values,
    refuse_ineffective_rules,
)
from cutcard.cli.options import called_wrongly, refuse
from cutcard.columns import show_table, wrapped
from cutcard.edge.decimals import percent, rounded
from cutcard.edge.game.stored_sides import hangs_on_play, stored_sides
from cutcard.edge.own_rules import BadRuleError, own_row, own_rows, with_own_odds
from cutcard.edge.page import arithmetic_page, remarks
from cutcard.edge.prize_tables import BadPrizeTableError, PrizeFigures, prize_figures, read_prizes
from cutcard.edge.side_bets import NOT_ENUMERATED, SideEdge, side_edges
from cutcard.edge.strategy import OWN_RULES
from cutcard.engine import Table
from cutcard.engine.tables import TableRefusal
from cutcard.progress import working
from cutcard.rulebooks.book import Rulebook, open_rulebook
from cutcard.rulebooks.side_wagers.catalogue import SideWager

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
BookName = Annotated[str, typer.Argument(metavar="RULEBOOK", help=f"{OURS_OR_OWN}.")]
OwnOdds = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="ROW=ODDS", help="The odds of a row at your table: perfect-pair=25:1."
    ),
]
PayFile = Annotated[
    Path | None,
    typer.Option("--paytable", metavar="FILE", help="Rows and odds in a TOML file."),
]
BetName = Annotated[str, typer.Argument(metavar="[BET]", help="One bet; default: all.")]


def side_command(
    rulebook: BookName,
    bet: BetName = "",
    decks: AnyDecks = 0,
    own: OwnOdds = None,
    paytable: PayFile = None,
    as_json: AsJson = False,
) -> None:
    """The house edge of side wagers: exact fractions, and one figure for those that depend on play.

    Side wagers that the first cards or the dealer's hand decide are computed immediately. For a
    wager that depends on the play of the box, both extremes are computed. The figures under the
    best play of the main game, and of both together, are included in cutcard; for other numbers of
    decks they are computed if the bet is named.

    Use --set for another paytable.

        cutcard edge side uk-blackjack 21-plus-3 --decks 6

        cutcard edge side uk-blackjack perfect-pairs --set perfect-pair=25:1
    """
    book = book_named(rulebook)
    bets = _bets(book, bet)
    if decks:
        refuse_table(Table(book, decks))
        _refuse_decks(book, bet, decks)
    values, with_own = _with_own_odds(book, bet, decks, own or [], paytable)
    edges: list[SideEdge] = []
    with working("dealing every card", len(bets)) as work:
        for name in bets:
            work.on(name)
            edges += side_edges(book.source, name, decks or None, with_own)
            work.advance()
    left_out = {name: NOT_ENUMERATED[name] for name in bets if name in NOT_ENUMERATED}
    by_play = _by_play(book, bets, bet, decks, with_own)
    if as_json:
        result: dict[str, Any] = {"edges": [_as_json(edge) for edge in edges], "by_play": by_play}
        result["left_out"] = left_out
        if values:
            result[OWN_RULES] = values
        print(json.dumps(result))
        return
    if edges:
        _print_edges(f"{rulebook}{own_rules_suffix(values)}", edges)
    for name, why in left_out.items():
        typer.echo("\n".join(wrapped(f"{name}: no fraction, it {why}", later="  ")))
    if by_play:
        headings = ("bet", "pays by", "game", "decks", "edge", "assuming")
        cells = [
            (
                row["side"],
                row["choice"],
                row["games"][0],
                str(row["decks"]),
                f"{row['edge']:.4%}",
                row["assuming"],
            )
            for row in by_play
        ]
        show_table(headings, cells, title=f"under the best play{own_rules_suffix(values)}")


def _refuse_decks(book: Rulebook, bet: str, decks: int) -> None:
    """Exit 2 if the rulebook has no pay table of the bet for this number of decks, with its
    rule."""
    wager = book.side_wagers.get(bet)
    if wager is None or any(decks in (column.decks or (decks,)) for column in wager.columns):
        return
    known = sorted({number for column in wager.columns for number in column.decks or ()})
    have = f"{wager.title} has a pay table for {', '.join(map(str, known))}"
    rule = wager.decks_rule or wager.pay_rule
    refuse_by_rule([TableRefusal(f"{decks_words(decks)}; {have}", (rule,))])


def _by_play(
    book: Rulebook, bets: Sequence[str], asked: str, decks: int, own: SideWager | None
) -> Sequence[Mapping[str, Any]]:
    """Return wagers that depend on play: the included figures, else computed for the named one."""
    kept = [
        row
        for row in stored_sides()
        if row["rulebook"] == book.name
        and row["side"] in bets
        and decks in (0, row["decks"])
        and hangs_on_play(row)
    ]
    known = own is None and (kept or not asked or not decks)
    if known or not hangs_on_play({"rulebook": book.source, "side": asked}):
        return kept
    from cutcard.edge.game.side_sweep import games_beside, rows_by_play  # compiled: only if needed

    rulebook, wager = book.name, book.side_wagers[asked]
    games = [
        (variant, decks or number)
        for _, variant, number in games_beside((rulebook,))
        if not decks or decks in open_rulebook(rulebook, (variant,))["cards.decks"].value
    ]
    games = [
        (variant, number)
        for variant, number in games
        if any(number in (column.decks or (number,)) for column in wager.columns)
    ]
    rows = []
    with working("computing the best play", len(games)) as work:
        for variant, number in games:
            work.on(variant)
            rows += rows_by_play(rulebook, variant, number, asked, own)
            work.advance()
    return rows


def _with_own_odds(
    book: Rulebook, bet: str, decks: int, typed: Sequence[str], paytable: Path | None
) -> tuple[dict[str, Any], SideWager | None]:
    """Return the house odds and the bet, or None without house odds. Exit 2 for invalid odds."""
    if not typed and paytable is None:
        return {}, None
    printed = book.side_wagers.get(bet)
    if printed is None:
        why = "its odds are a rule of the game: `cutcard edge game --set insurance.wins=...`"
        called_wrongly(
            f"--set and --paytable: {bet} has no rows; {why}"
            if bet
            else "--set and --paytable require one bet: name it"
        )
    said = own_values(typed, paytable, of_text=own_row, of_file=own_rows)
    try:
        own = with_own_odds(printed, said.values)
    except BadRuleError as bad:
        called_wrongly(str(bad))

    def why_idle(row: str) -> str:
        without = with_own_odds(printed, said.without(row))
        columns = zip(without.columns, own.columns, strict=True)
        pays = [
            (before.odds[row], after.odds[row])
            for before, after in columns
            if row in before.odds and (not decks or decks in (before.decks or (decks,)))
        ]
        return SAID_ALREADY if all(before == after for before, after in pays) else ""

    refuse_ineffective_rules(said, typed, why_idle)
    return said.values, own


def prizes_command(
    context: typer.Context,
    rulebook: Annotated[str, typer.Argument(metavar="[RULEBOOK]", help=f"{OURS_OR_OWN}.")] = "",
    bet: BetName = "",
    file: Annotated[
        Path | None,
        typer.Option("--table", help="Your own table: lines of number, space, amount."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Mean, variance and chances of the prizes that a jackpot button draws.

    Your own table has the format of a controller. Exit 2: the table of prizes is invalid.

        cutcard edge prizes crown-melbourne-26 pontoon-pandemonium

        cutcard edge prizes --table mine.txt
    """
    if file is not None:
        refuse(
            context,
            "cannot be combined with --table, which names your own table",
            "rulebook",
            "bet",
        )
        _print_prizes([(file.name, "", _own_figures(file))], as_json)
        return
    if not rulebook:
        called_wrongly(f"name a rulebook ({OURS_OR_OWN}), or your own table: --table FILE")
    book = book_named(rulebook)
    wagers = book.side_wagers
    drawn = [name for name in _bets(book, bet) if name in wagers]
    tables = [
        (name, column.choice, prize_figures(column.prizes))
        for name in drawn
        for column in wagers[name].columns
        if column.prizes.chances
    ]
    if not tables:
        called_wrongly(f"{bet or rulebook} draws no prizes by button")
    _print_prizes(tables, as_json)


def _own_figures(file: Path) -> PrizeFigures:
    try:
        text = untrusted.text_of(untrusted.content(file, untrusted.MEBIBYTE))
        return prize_figures(read_prizes(text))
    except BadPrizeTableError as bad:
        called_wrongly(f"{file}: {bad}")
    except (OSError, untrusted.BadContentError) as error:
        called_wrongly(f"{file} cannot be read: {untrusted.why_unreadable(error)}")


def _print_prizes(tables: Sequence[tuple[str, str, PrizeFigures]], as_json: bool) -> None:
    if as_json:
        rows = [
            {"bet": name, "table": choice, **figures.as_json()} for name, choice, figures in tables
        ]
        print(json.dumps(rows))
        return
    cells = []
    for name, choice, figures in tables:
        best, chance = max(figures.chances)
        cells.append(
            (
                name,
                choice,
                f"{figures.total:,}",
                f"${rounded(figures.mean, 4)}",
                f"${float(figures.variance) ** 0.5:,.2f}",
                f"${best:,}, 1 in {float(1 / chance):,.0f}",
            )
        )
    show_table(("bet", "table", "prizes", "mean for $1", "standard deviation", "best prize"), cells)


def page_command() -> None:
    """Print docs/reference/rulebooks/side-bet-arithmetic.md."""
    with working("dealing every card to every side wager"):
        text = arithmetic_page()
    print(text, end="")


def _bets(book: Rulebook, bet: str) -> Sequence[str]:
    known = [*book.side_wagers, "insurance"]
    if bet and bet not in known:
        called_wrongly(f"{book.name} has no bet {bet!r}; it has {', '.join(known)}")
    return [bet] if bet else known


def _as_json(edge: SideEdge) -> dict[str, object]:
    return {
        "bet": edge.bet,
        "choice": edge.choice,
        "decks": edge.decks,
        "pack": edge.pack,
        "soft_17": edge.soft_17 or None,
        "assuming": edge.assuming or None,
        "edge": str(edge.edge),
        "percent": percent(edge.edge, 4),
        "printed_percent": edge.printed,
        "break_even_meter": str(edge.break_even) if edge.break_even is not None else None,
        "rows": [
            {"hand": row.hand, "odds": str(row.odds), "chance": str(row.chance)}
            for row in edge.rows
        ],
    }


def _print_edges(title: str, edges: Sequence[SideEdge]) -> None:
    rows = [
        (
            edge.bet,
            edge.choice,
            f"{edge.decks} x {edge.pack}",
            f"{percent(edge.edge)} %",
            _short(edge.edge),
            _remarks(edge),
        )
        for edge in edges
    ]
    headings = ("bet", "pays by", "decks", "edge", "exactly", "assuming")
    show_table(headings, rows, title=title)


def _remarks(edge: SideEdge) -> str:
    printed = f"the rulebook prints {edge.printed} %" if edge.printed else ""
    return "; ".join(filter(None, (remarks(edge), edge.without_meter, printed)))


def _short(edge: Fraction) -> str:
    """Return a fraction if it is short enough to read; --json has the others."""
    return str(edge) if edge.denominator < 10**9 else "(see --json)"
