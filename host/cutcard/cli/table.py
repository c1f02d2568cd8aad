"""`cutcard table`: live tables on the bench."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from cutcard import private_files
from cutcard.cases.runner import run_file
from cutcard.cli.options import refuse
from cutcard.engine.ledger import dollars
from cutcard.progress import working
from cutcard.table import evening, jackpot_rounds
from cutcard.table.evening import Balance

FOLDER = Path("build/evening")
JACKPOT_FOLDER = Path("build/jackpot")

app = typer.Typer(help="Live tables: devices, engine and journal together.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Live tables: devices, engine and journal together."""


@app.command("evening")
def evening_command(
    context: typer.Context,
    rounds: Annotated[
        int, typer.Option(min=1, max=40, help="Rounds at each of the two tables.")
    ] = 25,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same cards, same mishaps.")
    ] = 1,
    folder: Annotated[
        Path, typer.Option(help="Where journals and case files go; older ones are replaced.")
    ] = FOLDER,
    port: Annotated[
        str, typer.Option(help="A machine of your own instead: /dev/ttyACM0, socket://host:port.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object at the end, no story.")
    ] = False,
) -> None:
    """Play an evening at two tables on the bench, with mishaps, and balance it at the end.

    A continuous shuffler under New Zealand's rules and a shoe under Crown's, each with firmware in
    a real MicroPython. The bench causes a jam, a double draw, a miscount and a power cut; each is
    ruled on with its rule. Exit code 0 where cards and cents add up and every round replays.
    """
    console = Console(quiet=as_json, highlight=False, soft_wrap=True)
    private_files.make_folder(folder)  # what was dealt to whom is in it
    found = []
    tables: dict[str, Callable[[Path], Balance]] = {
        "new-zealand": lambda file: evening.continuous_table(rounds, seed, file, console.print),
        "crown": lambda file: evening.shoe_table(rounds, seed, file, console.print),
    }
    if port:
        refuse(context, "does not go with --port: a machine of your own has no seed", "seed")
        tables = {"port": lambda file: evening.table_at_port(port, rounds, file, console.print)}
    # The story itself says what is under way; without it, somebody else must.
    with working("playing an evening") if as_json else nullcontext() as work:
        for name, play in tables.items():
            if work is not None:
                work.on(name)
            journal = folder / f"{name}.journal"
            journal.unlink(missing_ok=True)
            balance = play(journal)
            replayed = _replay(journal, folder / "cases" / name)
            found.append(_summary(name, balance, replayed, journal))
            _print(console, balance, replayed)
    ok = all(each["ok"] for each in found)
    if as_json:
        typer.echo(json.dumps({"ok": ok, "tables": found}))
    else:
        console.print(
            f"\nEverything that happened: {folder}/*.journal  (cutcard journal show FILE)"
        )
        console.print(f"Each round as a case file:  cutcard case run {folder}/cases")
        console.print("A machine to play with:     cutcard bench")
    raise typer.Exit(0 if ok else 1)


@app.command("jackpot")
def jackpot_command(
    rounds: Annotated[int, typer.Option(min=1, max=200, help="Rounds to play.")] = 20,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Same seed, same cards, same prizes.")
    ] = 5,
    folder: Annotated[
        Path, typer.Option(help="Where journal, draws and case files go; older ones are replaced.")
    ] = JACKPOT_FOLDER,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object at the end, no story.")
    ] = False,
) -> None:
    """Play at a table with a jackpot button on the bench, and check every draw as a stranger would.

    New Zealand blackjack with Madness 21: whoever has a Blackjack presses the button, and the
    controller draws one of 3,750 prizes, records it, signs it and shows it (15A.6). Its power fails
    once before it shows a prize: the prize stands. Exit code 0 where cards and cents add up, every
    round replays, and every draw holds by the controller's public key.
    """
    console = Console(quiet=as_json, highlight=False, soft_wrap=True)
    private_files.make_folder(folder)  # what was dealt to whom is in it
    journal, draws = folder / "jackpot.journal", folder / "draws.jsonl"
    journal.unlink(missing_ok=True)
    with working("playing for jackpots") if as_json else nullcontext():
        balance = jackpot_rounds.jackpot_table(rounds, seed, journal, console.print)
    replayed = _replay(journal, folder / "cases")
    drawn = jackpot_rounds.check_draws(journal)
    draws.write_text("".join(json.dumps(draw.as_json()) + "\n" for draw in drawn.draws))
    summary = _summary("jackpot", balance, replayed, journal)
    ok = summary["ok"] and drawn.ok
    if as_json:
        prizes = [
            {"round": draw.round, "box": draw.box, "wager": draw.wager, "amount": draw.amount}
            for draw in drawn.draws
        ]
        said = {"public_key": drawn.public_key.hex(), "prizes": prizes, "draws": str(draws)}
        typer.echo(json.dumps(summary | said | {"ok": ok, "problems": drawn.found.problems}))
    else:
        _print(console, balance, replayed)
        verdict = "all of them hold" if drawn.ok else f"[red]{'; '.join(drawn.found.problems)}[/]"
        console.print(f"[bold]   draws: {len(drawn.draws)}, signed and in one chain: {verdict}[/]")
        if drawn.draws:
            key = drawn.public_key.hex()
            console.print(f"Check them yourself: cutcard prize verify {draws} --public-key {key}")
        console.print(f"Everything that happened: cutcard journal show {journal}")
    raise typer.Exit(0 if ok else 1)


def _replay(journal: Path, folder: Path) -> tuple[int, int]:
    """Rounds written down, and how many of them replay to the same settlement."""
    for old in folder.glob("*.toml"):
        old.unlink()
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
    cents = "  ".join(f"{name} {dollars(net)}" for name, net in balance.cents.items())
    house = dollars(-sum(balance.cents.values()))
    sign = "=" if balance.adds_up else "[red]is not[/]"
    console.print(
        f"[bold]   cards: {balance.inside} inside + {balance.outside} outside {sign} {balance.pack}"
        f"\n   money: {cents}  house {house}  sum $0"
        f"\n   rounds: {balance.rounds}, machine faults: {balance.faults}, "
        f"replayed from the journal: {replayed[1]} of {replayed[0]}[/]\n"
    )
