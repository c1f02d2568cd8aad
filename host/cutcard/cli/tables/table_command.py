"""`cutcard table`: live tables on the bench."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from itertools import count
from pathlib import Path
from shlex import quote
from textwrap import fill, indent
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from cutcard import private_files, untrusted
from cutcard.bench.client import BenchError
from cutcard.cases.runner import run_file
from cutcard.cli.options import called_wrongly, complain, refuse
from cutcard.devices.errors import DeviceError
from cutcard.engine.ledger import dollars
from cutcard.engine.side_wagers.offering import refused_pit
from cutcard.journal import (
    BadTableKeyError,
    JournalDamagedError,
    JournalFailedError,
    JournalInUseError,
    JournalNewerError,
    is_in_use,
)
from cutcard.meters import MeterError
from cutcard.progress import working
from cutcard.table.display_names import words
from cutcard.table.jackpot.draw_checks import check_draws
from cutcard.table.jackpot.equipment import check_meters
from cutcard.table.jackpot.interface import DrawDoesNotHoldError, NotOfferedError
from cutcard.table.jackpot.metered import MetersDisagreeError, MetersSilentError
from cutcard.table.machine.clearing import LINE
from cutcard.table.machine.opening import has_stayed, switch_off
from cutcard.table.people.manager import BadManagerError, manager
from cutcard.table.people.terminal import Terminal
from cutcard.table.plan.jackpot_plan import is_bench, is_file
from cutcard.table.plan.table_file import (
    PLANS,
    BadTablePlanError,
    TablePlan,
    built_in,
    plan_from,
    plan_text,
    shortened,
    with_changes,
)
from cutcard.table.play import evening
from cutcard.table.play.evening import GOES_WRONG, WIDTH, Balance
from cutcard.table.play.live import TableLockedError, WagersRefusedError
from cutcard.table.replay.role_log import CARDS, CannotResumeError
from cutcard.table.replay.witnessing import is_url
from cutcard.table.reports.abandoned_round import ways_out
from cutcard.table.running import JOURNAL, PLAN, run

FOLDER = Path("tables")
WATCHED = 400  # milliseconds between cards, if people watch
INTERRUPTED = 130  # as a shell reports it

app = typer.Typer(help="Live tables: devices, engine and journal together.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Live tables: devices, engine and journal together."""


@app.command("run")
def run_command(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(help="A table file, or the folder of a table to resume."),
    ] = None,
    rulebook: Annotated[
        str, typer.Option(help="Instead of a file: a rulebook, such as nz-division-2.")
    ] = "",
    variant: Annotated[str, typer.Option(help="The game, such as blackjack.")] = "",
    decks: Annotated[int, typer.Option(min=1, max=8, help="Decks at the table.")] = 6,
    shuffler: Annotated[
        str, typer.Option(help="The kind of machine: continuous (a shuffler) or shoe.")
    ] = "continuous",
    least: Annotated[int, typer.Option("--min", min=1, help="The table's minimum, in $.")] = 10,
    most: Annotated[int, typer.Option("--max", min=1, help="The table's maximum, in $.")] = 1000,
    blackjack: Annotated[str, typer.Option(help="The odds of a Blackjack, such as 6:5.")] = "",
    offer: Annotated[
        list[str] | None, typer.Option(help="A side wager on the layout: BET, or BET=PAY_SCALE.")
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(help="NAME:BOX:DOLLARS, then :BET=DOLLARS for each side wager, :manager=ID."),
    ] = None,
    people: Annotated[
        str,
        typer.Option(
            help="Decisions by: players (strategy), prompt (you), or console (rulings, wagers)."
        ),
    ] = "players",
    port: Annotated[
        str,
        typer.Option(
            "--cards", "--port", help="The machine: bench:carousel-60 (default), /dev/ttyACM0 ..."
        ),
    ] = "",
    controller: Annotated[
        str, typer.Option(help="The jackpot controller: bench:controller-4, /dev/ttyACM1 ...")
    ] = "",
    place: Annotated[
        int, typer.Option(min=1, max=4, help="The table's place at its controller.")
    ] = 1,
    meters: Annotated[
        str, typer.Option(help="The prize meters: bench, a file, or postgresql://HOST/NAME.")
    ] = "",
    meter_table: Annotated[
        str, typer.Option(help="The name under which the table plays for those meters.")
    ] = "",
    one_in: Annotated[
        int, typer.Option(min=0, help="The chance that a jackpot wager is picked: 1 in N.")
    ] = 0,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds to play.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**32 - 1,
            help="On a bench: the same noise; the same cards unless this computer's speed differs.",
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="A new folder for the journal; default: a folder named by the time."),
    ] = None,
    witness: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL|FILE",
            help="A witness, or a file on another disk, for signed checkpoints of the journal "
            "(repeatable).",
        ),
    ] = None,
    acknowledge: Annotated[
        str,
        typer.Option(
            help="NAME, TITLE of the manager who acknowledges a different or exchanged machine."
        ),
    ] = "",
    because: Annotated[str, typer.Option(help="The manager's reason.")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Only one JSON object at the end.")
    ] = False,
) -> None:
    """Run a table: from a file, from options, or (without both) an evening at two tables on the
    bench.

    The evening has New Zealand's rules at a continuous shuffler and Crown's at a shoe, each with
    its firmware in a real MicroPython, with mishaps and rulings. After any interruption, `cutcard
    table run FOLDER` resumes a table without losing or duplicating a card.

    Exit 0: cards and cents add up and every round replays. 1: they do not, or the table had to
    stop. 2: the table is invalid; all errors are printed, each with its rule.
    """
    options = _options(
        rulebook,
        variant=variant,
        decks=decks,
        shuffler=shuffler,
        least=least,
        most=most,
        blackjack=blackjack,
        offer=offer,
        player=player,
        people=people,
        jackpot={
            "controller": controller,
            "place": place if controller or place > 1 else 0,
            "meters": meters,
            "meter_table": meter_table,
            "one_in": one_in,
        },
    )
    _refuse_unused_options(context, file, rulebook)
    if file is None and options is None and seed is None:
        seed = 1  # the evening of the documentation
    console = Console(quiet=as_json, highlight=False, width=WIDTH)
    tables = _tables(
        file,
        options=options,
        folder=folder,
        port=port,
        rounds=rounds,
        seed=seed,
        witnesses=[_witness(each) for each in witness or ()],
    )
    _check_pit(tables)
    terminal, found = Terminal(), []
    # Without the text output, the progress shows the current work.
    with working("playing") if as_json else nullcontext() as work:
        for plan, home in tables:
            if work is not None:
                work.on(plan.name)
            found.append(
                _run(
                    console,
                    plan,
                    home,
                    seed,
                    answering=(acknowledge, because),
                    terminal=terminal,
                )
            )
    ok = all(each["ok"] for each in found)
    if as_json:
        typer.echo(json.dumps({"ok": ok, "tables": found}))
    else:
        for each in found:
            home = Path(each["journal"]).parent
            typer.echo(f"{each['table']}, round by round, and its rounds as case files:")
            typer.echo(f"  {_program()} journal show {quote(each['journal'])}")
            typer.echo(f"  {_program()} case run {quote(str(home / 'cases'))}")
        typer.echo("Verification of each journal with its machine:")
        for (plan, home), each in zip(tables, found, strict=True):
            port = f"{plan.cards}?folder={home / CARDS}" if is_bench(plan.cards) else plan.cards
            journal = quote(each["journal"])
            typer.echo(f"  {_program()} journal verify {journal} \\\n    --port {quote(port)}")
        typer.echo("The evening as a web page, moment by moment:")
        typer.echo(f"  {_program()} console {quote(str(_evening(tables)))}")
    raise typer.Exit(0 if ok else 1)


# The options of a table, used without a file.
_OF_A_TABLE = (
    "variant",
    "decks",
    "shuffler",
    "least",
    "most",
    "blackjack",
    "offer",
    "player",
    "people",
    "controller",
    "place",
    "meters",
    "meter_table",
    "one_in",
)


def _refuse_unused_options(context: typer.Context, file: Path | None, rulebook: str) -> None:
    if file is not None:
        why = "cannot be combined with a table file or folder, which defines it"
        refuse(context, why, "rulebook", *_OF_A_TABLE)
        if file.is_dir():
            why = "cannot be combined with a folder: its table resumes unchanged"
            refuse(context, why, "port", "rounds", "seed", "folder", "witness")
    elif not rulebook:
        refuse(context, "requires --rulebook, which names the game", *_OF_A_TABLE)


def _program() -> str:
    """Return the command for this program: its path if its name is not on the PATH."""
    typed = sys.argv[0]
    return typed if Path(typed).name == "cutcard" and shutil.which("cutcard") is None else "cutcard"


def _evening(tables: list[tuple[TablePlan, Path]]) -> Path:
    """Return the folder that contains exactly these tables."""
    homes = [home for _, home in tables]
    return homes[0] if len(homes) == 1 else homes[0].parent


def _options(
    rulebook: str,
    variant: str,
    decks: int,
    shuffler: str,
    least: int,
    most: int,
    blackjack: str,
    offer: list[str] | None,
    player: list[str] | None,
    people: str,
    jackpot: dict[str, str | int],
) -> dict[str, Any] | None:
    """Return the table of the options, in the keys of a table file; None without a rulebook."""
    if not rulebook:
        return None
    offers = dict(each.partition("=")[::2] for each in offer or ())
    return {
        "name": variant or rulebook,
        "rulebook": rulebook,
        **({"variant": variant} if variant else {}),
        "decks": decks,
        "shuffler": shuffler,
        "people": people,
        **({"pace": WATCHED} if people == "console" else {}),
        **{key: value for key, value in jackpot.items() if value},
        "players": [_player(text) for text in player or ("Ana:1:20", "Ben:3:50", "Cleo:5:10")],
        "table": {
            "min": least,
            "max": most,
            **({"blackjack": blackjack} if blackjack else {}),
            **({"offers": offers} if offers else {}),
        },
    }


def _witness(given: str) -> str:
    """Return the name of a witness for the table file, valid from any folder."""
    return given if is_url(given) else str(Path(given).expanduser().absolute())


def _player(text: str) -> dict[str, Any]:
    name, *numbers = text.split(":")
    try:
        box, wager, *sides = numbers
        side = dict(each.split("=") for each in sides)
        manager = side.pop("manager", "")
        found = {"name": name, "box": int(box), "wager": int(wager)}
        found |= {"manager": manager} if manager else {}
        return found | {"side": {bet: int(dollars_) for bet, dollars_ in side.items()}}
    except ValueError:
        complain(f"--player {text}: write it like Ana:1:20 or Ana:1:20:push-22=5")
        raise typer.Exit(2) from None


def _tables(
    file: Path | None,
    options: dict[str, Any] | None,
    folder: Path | None,
    port: str,
    rounds: int | None,
    seed: int | None,
    witnesses: Sequence[str] = (),
    built_in_plans: Sequence[str] = PLANS,
) -> list[tuple[TablePlan, Path]]:
    """Return the tables to run, each with its folder, which contains its table file."""
    if file is not None and file.is_dir():
        return [(_plan(_text(home / PLAN), home / PLAN), home) for home in _homes(file)]
    home = folder or _new_folder()
    if file is not None:
        texts = {"": (_text(file), file)}
    elif options is not None:
        texts = {"": (plan_text(options), home / PLAN)}
    elif len(built_in_plans) == 1:
        texts = {"": (built_in(built_in_plans[0]), home / PLAN)}
    else:
        texts = {name: (built_in(name), home / name / PLAN) for name in built_in_plans}
    found = []
    for name, (text, path) in texts.items():
        changed: dict[str, Any] = {"cards": port} if port else {}
        if witnesses:
            changed["witness"] = list(witnesses)
        if rounds:
            ours = file is None and options is None  # the mishaps of the evening cannot be removed
            changed |= shortened(text, rounds) if ours else {"rounds": rounds}
        plan = _plan(with_changes(text, changed), path)
        if is_file(plan.jackpot.meters):  # valid from any folder
            changed["meters"] = str(Path(plan.jackpot.meters).expanduser().absolute())
        text = with_changes(text, changed)
        plan = _plan(text, path)
        if (home / name / PLAN).exists():
            typer.echo(
                f"{home / name} has a table already. To resume it: "
                f"`cutcard table run {quote(str(home / name))}`",
                err=True,
            )
            raise typer.Exit(2)
        _check_meters(plan, path)
        private_files.make_folder(home / name)
        private_files.create(home / name / PLAN, text)
        found.append((plan, home / name))
    return found


def _check_pit(tables: list[tuple[TablePlan, Path]]) -> None:
    """Exit 2 if tables that run together break a rule for all tables of a pit."""
    offered = {str(home): (plan.table.book.side_wagers, plan.table.offers) for plan, home in tables}
    if wrong := refused_pit(offered):
        for each in wrong:
            complain(each)
        raise typer.Exit(2)


def _check_meters(plan: TablePlan, path: Path) -> None:
    """Report differences between a table and its meters before its folder is created."""
    try:
        check_meters(plan)
    except BadManagerError as bad:
        complain(str(bad))
        raise typer.Exit(2) from bad
    except BadTablePlanError as bad:
        for mistake in bad.mistakes:
            complain(f"{path}: {mistake}")
        raise typer.Exit(2) from bad
    except MeterError as error:
        complain(str(error))
        raise typer.Exit(1) from error


def _homes(folder: Path) -> list[Path]:
    """Return the folders of the tables that were run in this one."""
    inside = sorted(folder.iterdir()) if folder.is_dir() else []
    homes = [home for home in (folder, *inside) if (home / PLAN).is_file()]
    if not homes:
        called_wrongly(f"{folder}: no table was run in this folder")
    return homes


def _text(file: Path) -> str:
    try:
        return untrusted.text_of(untrusted.content(file, untrusted.MOST_TOML))
    except OSError as error:
        called_wrongly(f"{file}: {error.strerror}")
    except untrusted.BadContentError as error:
        called_wrongly(f"{file}: {error}")


def _plan(text: str, path: Path) -> TablePlan:
    try:
        return plan_from(text, path)
    except BadManagerError as bad:
        complain(str(bad))
        raise typer.Exit(2) from bad
    except BadTablePlanError as bad:
        for mistake in bad.mistakes:
            complain(f"{path}: {mistake}")
        raise typer.Exit(2) from bad


def _new_folder() -> Path:
    """Create a separate folder for each run: journaled data is never replaced."""
    stem = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    for number in count(1):
        home = FOLDER / (stem if number == 1 else f"{stem}-{number}")
        if not home.exists():
            return home
    raise AssertionError


def _resume_hint(home: Path) -> str:
    said = f"Resume it: `{_program()} table run {quote(str(home))}`"
    return f"{said}{_stays(home, 'until then, or until you end it')}"


def _stays(home: Path, how_long: str = "until you end it") -> str:
    """Return a line about the table's bench if one runs."""
    stop = f"`{_program()} table stop {quote(str(home))}`"
    return f"\nIts bench runs {how_long}: {stop}" if has_stayed(home) else ""


def _run(
    console: Console,
    plan: TablePlan,
    home: Path,
    seed: int | None,
    answering: tuple[str, str] = ("", ""),
    terminal: Terminal | None = None,
) -> dict[str, Any]:
    book = plan.table.book
    decks = "1 deck" if plan.table.decks == 1 else f"{plan.table.decks} decks"
    game = " and ".join(map(words, book.variants))
    console.print(f"[bold]{escape(book.title)}[/]\n   {game}, {decks}, {escape(plan.cards)}")
    try:
        balance = run(
            plan,
            home,
            lambda line: console.print(_styled(line)),
            seed=seed,
            manager=manager(plan.table, *answering) if any(answering) else None,
            terminal=terminal,
        )
    except BadManagerError as bad:
        complain(str(bad))
        raise typer.Exit(2) from bad
    except BadTablePlanError as bad:
        for mistake in bad.mistakes:
            complain(f"{home / PLAN}: {mistake}")
        raise typer.Exit(2) from bad
    except CannotResumeError as stopped:
        complain(str(stopped))
        if ways := ways_out(home / JOURNAL):
            complain(
                "A round is open. Its rulebook allows these rulings, as for a machine failure:"
            )
            complain("\n".join(f"  {way}" for way in ways))
        if stays := _stays(home).strip():
            complain(stays)
        raise typer.Exit(1) from stopped
    except (JournalFailedError, JournalInUseError) as stopped:
        complain(str(stopped))
        raise typer.Exit(1) from stopped
    except (BadTableKeyError, JournalDamagedError, JournalNewerError) as stopped:
        complain(f"{stopped}{_stays(home)}")
        raise typer.Exit(1) from stopped
    except (DrawDoesNotHoldError, MetersDisagreeError) as stopped:
        complain(f"{stopped}{_stays(home)}")
        raise typer.Exit(1) from stopped
    except (DeviceError, BenchError, MeterError, MetersSilentError) as stopped:
        complain(f"{stopped}\n{_resume_hint(home)}")
        raise typer.Exit(1) from stopped
    except (NotOfferedError, TableLockedError, WagersRefusedError) as stopped:
        complain(f"{stopped}\n{_resume_hint(home)}")
        raise typer.Exit(1) from stopped
    except (KeyboardInterrupt, typer.Abort):
        complain(f"\nStopped.\n{_resume_hint(home)}")
        raise typer.Exit(INTERRUPTED) from None
    replayed = _replay(home / JOURNAL, home / "cases")
    _print(console, balance, replayed)
    return _summary(plan.name, balance, replayed, home / JOURNAL)


@app.command("jackpot")
def jackpot_command(
    rounds: Annotated[int, typer.Option(min=1, max=200, help="Rounds to play.")] = 20,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=2**32 - 1,
            help="The same noise; the same cards and prizes unless this computer's speed differs.",
        ),
    ] = 5,
    folder: Annotated[
        Path | None,
        typer.Option(
            help="A new folder for journal, draws and case files; default: named by the time."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Only one JSON object at the end.")
    ] = False,
) -> None:
    """Play at a table with a jackpot button on the bench, and verify every draw as a third party.

    New Zealand blackjack with Madness 21: a player with a Blackjack presses the button, and the
    controller draws one of 3,750 prizes, records it, signs it and shows it (15A.6). Its power fails
    once before it shows a prize: the prize remains valid. Exit code 0 if cards and cents add up,
    every round replays, and every draw is valid for the controller's public key.
    """
    console = Console(quiet=as_json, highlight=False, width=WIDTH)
    [(plan, home)] = _tables(
        None,
        options=None,
        folder=folder,
        port="",
        rounds=rounds,
        seed=seed,
        built_in_plans=("jackpot",),
    )
    with working("playing for jackpots") if as_json else nullcontext():
        summary = _run(console, plan, home, seed)
    drawn = check_draws(home / JOURNAL)
    summary["faults"] += drawn.restarts
    summary["ok"] = summary["ok"] and not drawn.problems
    draws = home / "draws.jsonl"
    private_files.create(draws, "".join(json.dumps(draw.as_json()) + "\n" for draw in drawn.draws))
    key = drawn.controllers[-1].public_key.hex()
    if as_json:
        prizes = [
            {"round": draw.round, "box": draw.box, "wager": draw.wager, "amount": draw.amount}
            for draw in drawn.draws
        ]
        said = {"public_key": key, "prizes": prizes, "draws": str(draws)}
        typer.echo(json.dumps(summary | said | {"problems": drawn.problems}))
    else:
        wrong = escape("; ".join(drawn.problems))
        verdict = f"[red]{wrong}[/]" if wrong else "all are valid"
        console.print(f"[bold]   draws: {len(drawn.draws)}, signed and in one chain: {verdict}[/]")
        if drawn.draws:
            typer.echo("Check them yourself:")
            typer.echo(f"  {_program()} prize verify {quote(str(draws))} --public-key {key}")
        typer.echo("Everything that happened:")
        typer.echo(f"  {_program()} journal show {quote(str(home / JOURNAL))}")
    raise typer.Exit(0 if summary["ok"] else 1)


@app.command("stop")
def stop_command(
    folder: Annotated[Path, typer.Argument(help="The folder of a table that has stopped.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the benches as JSON.")] = False,
) -> None:
    """End the benches of a stopped or killed table.

    A bench continues when its table's program ends, as a machine on a table would. Ending it
    switches its machine off: its cards stay in place, and `cutcard table run FOLDER` starts it
    again. In an open round this is a power failure, with the same rulings.
    """
    homes = _homes(folder)
    for home in homes:
        if is_in_use(home / JOURNAL):
            complain(f"{home}: its table is running. End that first, with Ctrl-C")
            raise typer.Exit(1)
    ended = {str(home): switch_off(home) for home in homes}
    if as_json:
        typer.echo(json.dumps({"ended": ended}))
        return
    for where, machines in ended.items():
        typer.echo(f"{where}: {'ended ' + ', '.join(machines) if machines else 'no bench runs'}")


def _styled(line: str) -> Text:
    """Style a line of a table for a terminal. Text entered by people is not markup."""
    text = Text(line, style="yellow" if line.startswith(GOES_WRONG) else "")
    text.highlight_regex(r"\[[^\[\]]*\]", "dim")  # rules
    return text


def _replay(journal: Path, folder: Path) -> tuple[int, int]:
    """Write the rounds as case files; return their number, and the number that replay
    identically."""
    count = evening.write_cases(journal, folder)
    return count, sum(run_file(path).ok for path in folder.glob("*.toml"))


def _summary(
    name: str, balance: Balance, replayed: tuple[int, int], journal: Path
) -> dict[str, Any]:
    return {
        "table": name,
        "ok": balance.adds_up and replayed[0] == replayed[1] == balance.rounds,
        "rounds": balance.rounds,
        "replayed": replayed[1],
        "faults": balance.faults,
        "cards": {"pack": balance.pack, "inside": balance.inside, "outside": balance.outside},
        "cents": balance.cents | {"house": -sum(balance.cents.values())},
        "journal": str(journal),
    }


def _print(console: Console, balance: Balance, replayed: tuple[int, int]) -> None:
    each = [f"{name} {dollars(net)}" for name, net in balance.cents.items()]
    each += [f"house {dollars(-sum(balance.cents.values()))}", "sum $0"]
    money = fill("  ".join(each), LINE - len("money: "), break_on_hyphens=False)
    sign = "=" if balance.adds_up else "[red]is not[/]"
    console.print(
        f"[bold]   cards: {balance.inside} inside + {balance.outside} outside {sign} {balance.pack}"
        f"\n   money: {escape(indent(money, ' ' * 10).strip())}"
        f"\n   rounds: {balance.rounds}, machine faults: {balance.faults}, "
        f"replayed from the journal: {replayed[1]} of {replayed[0]}[/]\n"
    )
