"""`cutcard case`: replay and explain case files, and find the included ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cutcard.cases.collection import find, library_cases
from cutcard.cases.explain import explain
from cutcard.cases.runner import CaseReport, run_file
from cutcard.cli.options import called_wrongly, complain, refuse
from cutcard.columns import wrapped
from cutcard.engine.ledger import dollars
from cutcard.engine.results import OPEN, results
from cutcard.rulebooks.book import RULEBOOKS

app = typer.Typer(
    name="case",
    help="Replay recorded rounds, and explain the result of each wager with its rule.",
    no_args_is_help=True,
)


@app.command()
def run(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="Case files, or folders that are searched for *.toml; included cases by their "
            "names in `case list`.",
            metavar="FILE_OR_FOLDER...",
        ),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON Lines, one object per file.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the differences, and the count.")
    ] = False,
) -> None:
    """Replay case files through their rulebooks and compare with the expected results.

    A record without the end of its round is shown as open, with the next expected step.

    Exit 0: all agree. 1: one differs. 2: one is malformed (or there are no files).
    """
    if as_json:
        refuse(context, "cannot be combined with --json, which has a line for every file", "quiet")
    files = list(_files(paths))
    if not files:
        complain("no case files found; name *.toml files or a folder with some")
        raise typer.Exit(2)
    console = Console(highlight=False, soft_wrap=True)
    reports = []
    for file in files:
        report = run_file(file)
        reports.append(report)
        if as_json:
            typer.echo(json.dumps(report.as_json()))
        elif not quiet or not report.ok:
            _print(console, report)
    if not as_json:
        _count(console, reports)
    if any(report.malformed is not None for report in reports):
        raise typer.Exit(2)
    if not all(report.ok for report in reports):
        raise typer.Exit(1)


@app.command("explain")
def explain_command(
    file: Annotated[Path, typer.Argument(help="A case file, or a name from `case list`.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="The sentences with their rules, as JSON.")
    ] = False,
) -> None:
    """Explain the round as a floor manager would, with the rule of each step."""
    case = find(file)
    if not case.is_file():
        called_wrongly(f"{file} does not exist. `cutcard case list` lists the included cases.")
    report = run_file(case)
    if report.malformed is not None:
        complain(f"{file}: {report.malformed}")
        if report.round is None:
            raise typer.Exit(2)
    lines = explain(report)
    if as_json:
        typer.echo(json.dumps([{"text": text, "rules": list(rules)} for text, rules in lines]))
    else:
        for text, rules in lines:
            said = f"{text} [{', '.join(rules)}]" if rules else text
            typer.echo("\n".join(wrapped(said, later="  ")))
    if not report.ok:
        raise typer.Exit(2 if report.malformed is not None else 1)


@app.command("list")
def list_cases(
    rule: Annotated[
        str | None,
        typer.Option(help="Only cases about this rule or a part of it, such as 16.13 or 7.5.5(a)."),
    ] = None,
    rulebook: Annotated[
        str | None, typer.Option(help=f"Only this rulebook: {', '.join(RULEBOOKS)}.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON Lines, one object per case.")
    ] = False,
) -> None:
    """List the case files included in cutcard; with --rule, the effects of a rule at a table.

    `cutcard case explain NAME` explains one in prose, `cutcard case run NAME` replays it.

    Exit 0: there are some. 1: no case is about that rule. 2: the rulebook does not exist.
    """
    if rulebook is not None and rulebook not in RULEBOOKS:
        complain(f"unknown rulebook {rulebook!r}; use one of {', '.join(RULEBOOKS)}")
        raise typer.Exit(2)
    found = [
        case
        for case in library_cases()
        if rulebook in (None, case.rulebook) and (rule is None or case.is_about(rule))
    ]
    for case in found:
        if as_json:
            typer.echo(json.dumps({**case._asdict(), "file": str(case.path)}))
        else:
            typer.echo("\n".join(wrapped(f"{case.name}: {case.title}", later="    ")))
    if not as_json:
        typer.echo(
            f"{len(found)} cases" + ("; explain one: cutcard case explain NAME" * bool(found))
        )
    if not found:
        raise typer.Exit(1)


def _files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in map(find, paths):
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*.toml")) if not _is_rulebook(file))
        else:
            yield path


def _is_rulebook(file: Path) -> bool:
    """Return whether a file is a rulebook's, stored next to the cases."""
    return (file.parent / "base.toml").is_file()


def _print(console: Console, report: CaseReport) -> None:
    mark = "[green]agrees[/]" if report.ok else "[red]differs[/]"
    if report.malformed is not None:
        console.print("[red]malformed[/]", end=" ")
        console.print(f"{report.path}: {report.malformed}", markup=False)
    else:
        console.print(mark, end=" ")
        console.print(f"{report.path}: {report.title}", markup=False)
    if report.invalid is not None:
        rules = ", ".join(report.invalid) or "no rule"
        console.print(f"  refused: {'; '.join(report.refusals)} ({rules})", markup=False)
    if report.round is not None:
        for result in results(report.round):
            key = result.key
            line = f"  box {key.box} {key.player:<6} {key.bet:<20} {result.result:<11}"
            net = "" if result.result == OPEN else dollars(result.net)
            line += f" {net:>10}  {', '.join(result.rules)}"
            console.print("\n".join(wrapped(line.rstrip(), later=" " * 10)), markup=False)
        for ruled in report.round.rulings:
            text = f"  {ruled.irregularity or 'press'}: {ruled.ruling or 'by the rules'}"
            by = f" by {ruled.by}" if ruled.by else ""
            console.print(f"{text}{by}  {', '.join(ruled.rules)}", markup=False)
    if report.waits_for is not None and report.malformed is None:
        console.print(f"  open: the round waits for {report.waits_for}", markup=False)
    for difference in report.differences:
        console.print(f"  ! {difference}", markup=False)


def _count(console: Console, reports: list[CaseReport]) -> None:
    agree = sum(report.ok for report in reports)
    malformed = sum(report.malformed is not None for report in reports)
    differ = len(reports) - agree - malformed
    console.print(f"{len(reports)} cases: {agree} agree, {differ} differ, {malformed} malformed")
