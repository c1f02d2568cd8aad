"""`cutcard edge game`: the house edge of a main game, exactly, and its best strategy."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from cutcard.cli.edges.game_arguments import (
    Words,
    cents_or_refuse,
    decks_words,
    game_named,
    layout_words,
    odds_or_refuse,
    refuse_by_rule,
)
from cutcard.cli.edges.own_rules import (
    NO_EFFECT,
    SAID_ALREADY,
    OwnRules,
    OwnValues,
    PayFile,
    book_with_own,
    own_game_rules,
    own_rules_suffix,
    refuse_ineffective_rules,
    refuse_other_decks,
)
from cutcard.cli.options import called_wrongly, refuse
from cutcard.edge.game.drawing import as_html, as_pdf, as_svg, as_text, blocks, exception_lines
from cutcard.edge.game.figures import GameFigures, best_edge, figures_of
from cutcard.edge.game.rule_words import rule_lines
from cutcard.edge.game.splits import NotAnalysedError
from cutcard.edge.money_rules import MoneyRules, money_rules, switched, switches
from cutcard.edge.own_rules import BadRuleError, odds_typed, with_own
from cutcard.edge.strategy import OWN_RULES, UPS, as_json
from cutcard.engine import Placed, Table
from cutcard.engine.tables import TableRefusal, may_force_draws, refusals
from cutcard.progress import working
from cutcard.rulebooks import Rulebook, open_rulebook
from cutcard.spreadsheet import Sheet
from cutcard.untrusted import shown

SHOWN = 20  # exceptions printed; the files have all of them

Decks = Annotated[int, typer.Option(help="Number of decks.")]
Layout = Annotated[
    str, typer.Option("--blackjack", help="The odds of a Blackjack on the layout: 6:5.")
]
Wager = Annotated[
    float, typer.Option(help="The wager in dollars, for games with a Super Bonus: 10 or 25.")
]
Ante = Annotated[
    str, typer.Option(help="The ante as a share of the wager, 1:8; default: the most allowed.")
]
Sign = Annotated[bool, typer.Option("--forced-draw", help="The sign forces draws up to 12.")]
Readings = Annotated[
    bool, typer.Option("--readings", help="Also compute each doubtful rule with its other reading.")
]
StrategyFile = Annotated[
    Path | None,
    typer.Option("--strategy", metavar="FILE", help="Write the strategy for `edge simulate`."),
]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with the table.")]
Svg = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table as a picture.")]
Pdf = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table as a PDF.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print the strategy as CSV.")]


def game_command(
    context: typer.Context,
    words: Words,
    decks: Decks,
    blackjack: Layout = "",
    wager: Wager = 10.0,
    ante: Ante = "",
    forced_draw: Sign = False,
    own: OwnRules = None,
    paytable: PayFile = None,
    readings: Readings = False,
    strategy: StrategyFile = None,
    html: Html = None,
    svg: Svg = None,
    pdf: Pdf = None,
    as_json_: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """The house edge of a main game, exactly, and its best strategy.

    Every round is dealt from the full pack, as a continuous shuffler does; with one box, and
    without other known cards. Hands are played by their exact cards, and for comparison by their
    total only.

    Exit 2: a number of decks, a variant or an option that the rulebook does not allow.

        cutcard edge game uk-blackjack --decks 6

        cutcard edge game uk-blackjack --decks 6 --set blackjack.odds=6:5
    """
    if as_json_:
        refuse(context, "cannot be combined with --json: choose one of them", "as_csv")
    if as_csv:
        refuse(context, "cannot be combined with --csv, which has only the strategy", "readings")
    _refuse_one_file_for_two({"--strategy": strategy, "--html": html, "--svg": svg, "--pdf": pdf})
    rulebook, variants = game_named(words)
    printed = open_rulebook(rulebook, variants)
    of_ones_own = own_game_rules(own, paytable)
    values = of_ones_own.values
    book = book_with_own(printed, values)
    refuse_other_decks(book, values, decks)
    if book.get("super_bonus.prize") is None:
        why = "this game has no prize in dollars such as a Super Bonus: leave it out"
        refuse(context, why, "wager")
    asked = _asked(book, decks, blackjack, wager, ante, forced_draw=forced_draw)
    rules, refused = _comes_to(book, asked)
    refuse_by_rule(refused)
    why_idle = partial(_why_idle, printed, of_ones_own, asked)
    refuse_ineffective_rules(of_ones_own, own or [], why_idle)
    game = f"{book.name} {' '.join(book.variants)}, {decks_words(decks)}"
    name = f"{game}{_layout_words(book, asked)}"
    with working(f"computing {name}") as work:
        work.on("the first run compiles")
        try:
            found = figures_of(rules)
            work.on("without the sign")
            sign = _forced_draw_cost(book, asked, found)
            work.on("the other readings")
            otherwise = _otherwise(book, rules) if readings else {}
        except NotAnalysedError as error:
            called_wrongly(f"{name}: {error}; `cutcard edge simulate` plays it")
    made_for = {"rulebook": book.name, "variants": list(book.variants), **_layout(book, asked)}
    if values:
        made_for[OWN_RULES] = values
        name += own_rules_suffix(values)
    found = replace(found, strategy=replace(found.strategy, made_for=made_for))
    _write(strategy, as_json(found.strategy))
    rule_words = rule_lines(rules)
    picture = as_svg(found.strategy, name, rule_words)
    _write(svg, picture)
    if pdf is not None:
        _write_bytes(pdf, as_pdf(picture))
    rows = [*_figures(found), *_sign_rows(sign)]
    if readings and not otherwise:
        rows.append(("readings", "no doubtful rule affects the money of this game"))
    others = _reading_rows(found, otherwise)
    on_a_page = [(f"{key}, other reading", "; ".join(said)) for key, *said in others]
    _write(html, as_html(found.strategy, name, [*rows, *on_a_page], rule_words))
    if as_json_:
        data = {"game": made_for, **found.as_json(), "readings": otherwise}
        data |= {} if sign is None else {"forced_draws_cost": sign}
        print(json.dumps(data | {"strategy": json.loads(as_json(found.strategy))}))
    elif as_csv:
        _print_csv(found)
    else:
        _print(name, found, rows, others)


def _refuse_one_file_for_two(files: Mapping[str, Path | None]) -> None:
    """Exit 2 if two options name the same file."""
    named: dict[Path, str] = {}
    for option, file in files.items():
        if file is not None:
            before = named.setdefault(file.resolve(), option)
            if before != option:
                called_wrongly(f"{before} and {option} both name {file}: choose another for one")


class TableOptions(NamedTuple):
    """The table options of a command; `ante` is a share of the wager."""

    decks: int
    blackjack: str | None
    cents: int
    ante: Fraction | None
    forced_draw: bool


def _asked(
    book: Rulebook, decks: int, blackjack: str, wager: float, ante: str, *, forced_draw: bool
) -> TableOptions:
    cents = cents_or_refuse("--wager", wager)
    share = _share(ante) if ante else None
    if share is not None and not book.flag("ante.placed"):
        called_wrongly(f"--ante {ante}: this game has no ante")
    if forced_draw and not may_force_draws(book):
        called_wrongly(f"--forced-draw: no rule of {book.name} lets a sign force draws")
    if blackjack:
        odds_or_refuse("--blackjack", blackjack)
    return TableOptions(decks, blackjack or None, cents, share, forced_draw)


def _share(ante: str) -> Fraction:
    """Return an ante given as a share of the wager."""
    try:
        share = odds_typed(ante)
    except BadRuleError:
        share = Fraction(0)
    if not share:
        called_wrongly(f"--ante {shown(ante)}: it is a share of the wager, above 0, as in 1:8")
    return share


def _layout(book: Rulebook, asked: TableOptions) -> dict[str, Any]:
    """Return the options of the table that affect the money of a figure."""
    bonus = book.get("super_bonus.prize") is not None
    share = book.get("ante.share") if book.flag("ante.placed") else None
    ante = asked.ante if asked.ante is not None or share is None else share.odds
    layout = {
        "decks": asked.decks,
        "blackjack": asked.blackjack,
        "wager_cents": asked.cents if bonus else None,
        "ante": str(ante) if ante is not None else None,
        "forced_draw": asked.forced_draw or None,
    }
    return {key: value for key, value in layout.items() if value is not None}


def _layout_words(book: Rulebook, asked: TableOptions) -> str:
    table = _layout(book, asked)
    said = layout_words(asked.blackjack, forced_draw=asked.forced_draw)
    if "wager_cents" in table:
        said += f", a wager of ${asked.cents / 100:.2f}"
    return said + (f", an ante of {table['ante']} of the wager" if "ante" in table else "")


def _comes_to(book: Rulebook, asked: TableOptions) -> tuple[MoneyRules, list[TableRefusal]]:
    """Return the money rules of the table, and the rulebook's objections, each with its rule."""
    table = Table(
        book,
        asked.decks,
        blackjack=asked.blackjack,
        forced_draw=asked.forced_draw,
        minimum=asked.cents,
        ante=round(asked.cents * asked.ante) if asked.ante is not None else None,
    )
    rules = money_rules(
        book,
        asked.decks,
        blackjack=asked.blackjack,
        wager=Fraction(asked.cents, 100),
        ante=asked.ante,
        forced_draw=asked.forced_draw,
    )
    return rules, refusals(table, [Placed(1, "player", "main", asked.cents)])


def _why_idle(printed: Rulebook, own: OwnValues, asked: TableOptions, key: str) -> str:
    """Return why a house rule has no effect at this table; empty if it has one."""
    try:
        without = _comes_to(with_own(printed, own.without(key)), asked)
    except BadRuleError:
        return ""  # the other rules need it
    if without != _comes_to(with_own(printed, own.values), asked):
        return ""
    if key == "blackjack.odds" and asked.blackjack is not None:
        return f"--blackjack {asked.blackjack} overrides it"
    same = printed.get(key) is not None and printed[key].value == own.values[key]
    said_already = same and key not in own.overridden
    return SAID_ALREADY if said_already else NO_EFFECT


def _otherwise(book: Rulebook, rules: MoneyRules) -> dict[str, dict[str, Any]]:
    return {
        switch.name: {
            "otherwise": switch.otherwise,
            "edge": round(best_edge(switched(rules, switch)), 12),
        }
        for switch in switches(book, rules)
    }


def _forced_draw_cost(book: Rulebook, asked: TableOptions, found: GameFigures) -> float | None:
    """Return the cost of forced draws in initial wagers under the best play; None without them."""
    if not asked.forced_draw:
        return None
    without = best_edge(_comes_to(book, asked._replace(forced_draw=False))[0])
    return round(found.edge - without, 12) + 0.0


def _sign_rows(cost: float | None) -> list[tuple[str, str]]:
    if cost is None:
        return []
    said = f"{cost:.6%} of the initial wager"
    return [("forced draws cost", said if cost else "$0: the best play draws there anyway")]


def _figures(found: GameFigures) -> list[tuple[str, str]]:
    rows = [
        ("house edge", f"{found.edge:.6%} of the initial wager, by a hand's exact cards"),
        ("return", f"{found.returned:.6%}"),
        ("by total only", f"{found.by_total:.6%}, {found.by_total - found.edge:.6%} more"),
        ("of all money wagered", f"{found.edge_of_action:.6%} of {found.action:.6f} wagers"),
        ("variance of a round", f"{found.variance:.4f}, to about three places"),
        ("insurance", "gains with some hands" if found.insures else "never gains"),
    ]
    if found.bound:
        rows.append(("cut off", f"unlimited splits: less than {max(found.bound, 1e-12):.0e}"))
    return rows


def _apart(difference: float) -> str:
    """Format a difference with its sign; zero has no minus sign."""
    return f"{round(difference, 12) + 0.0:+.6%}"


def _reading_rows(
    found: GameFigures, otherwise: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, ...]]:
    """Return a row for each reading: its alternative, the edge there, and the difference."""
    return [
        (key, each["otherwise"], f"{each['edge']:.6%}", _apart(each["edge"] - found.edge))
        for key, each in otherwise.items()
    ]


def _print(
    name: str,
    found: GameFigures,
    rows: list[tuple[str, str]],
    readings: list[tuple[str, ...]],
) -> None:
    typer.echo(name)
    for label, said in rows:
        typer.echo(f"{label:<22} {said}")
    if readings:
        from cutcard.columns import show_table  # imported here because it loads slowly

        show_table(("reading", "the other way", "edge", "difference"), readings)
    typer.echo()
    typer.echo(as_text(found.strategy))
    exceptions = found.strategy.exceptions
    typer.echo(f"\n{len(exceptions)} hands are better played by their cards than by their total:")
    for line in exception_lines(exceptions[:SHOWN]):
        typer.echo(f"  {line}")
    if len(exceptions) > SHOWN:
        typer.echo(
            f"  and {len(exceptions) - SHOWN} more: --json, --html or --strategy prints them all"
        )


def _print_csv(found: GameFigures) -> None:
    sheet = Sheet(sys.stdout)
    sheet.write(["hands", "hand", *UPS])
    for block in blocks(found.strategy):
        for row in block.rows:
            sheet.write([block.title, row.label, *row.cells])


def _write(file: Path | None, text: str) -> None:
    if file is not None:
        _write_bytes(file, text.encode())


def _write_bytes(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        called_wrongly(f"{file} cannot be written: {error.strerror}")
