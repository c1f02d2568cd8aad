"""`cutcard certify report`, `verify`, `profiles`: write a report, check one, show the clauses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from cutcard.columns import show_table
from cutcard.keys.passphrase import PassphraseFile
from cutcard.progress import working
from rng_certification.cli.report_options import CoverFile, KeyName, OnCover, cover_of, signer_of

if TYPE_CHECKING:
    from rng_certification.report.signing import Signer
    from rng_certification.report.verification import Check

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the campaign is.")],
    cover: CoverFile = None,
    on_cover: OnCover = None,
    key: KeyName = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a finished campaign again: page, PDF, list of tests, and signed JSON.

    The same campaign, key and cover give the same bytes. What is said of the cover is kept with
    the campaign. Exit 0: written. Exit 2: there is no finished campaign in the folder.

        cutcard certify report certification-all --key house-2026

        cutcard certify report certification-all --on-cover "applicant=House of Cards"
    """
    from rng_certification.report.cover import BadCover, keep_cover
    from rng_certification.report.writing import NoCampaign, write_report

    said = cover_of(cover, on_cover)
    signer = signer_of(key, passphrase_file, as_json)
    try:
        if said and folder.is_dir():
            keep_cover(folder, said)
        with working("writing the report"):
            written = write_report(folder, signer)
    except (BadCover, NoCampaign) as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(2) from None
    if as_json:
        summary = {
            "verdict": written["verdict"],
            "files": written["report"]["files"],
            "key": signer.described if signer else None,
        }
        print(json.dumps(summary, indent=2))
    else:
        say_written(folder, signer)


def say_written(folder: Path, signer: Signer | None) -> None:
    console = Console()
    console.print(
        f"{folder}/report.html, report.pdf, tests.csv, report.json", soft_wrap=True, highlight=False
    )
    if signer is None:
        console.print(
            "[bold yellow]NOT SIGNED[/bold yellow]: nobody can tell who made this report. "
            "Sign it with `cutcard certify report FOLDER --key NAME`."
        )
    else:
        sort = "development key" if signer.public.development else "key"
        console.print(f"Signed with {sort} {signer.public.number}, {signer.public.name}.")


def verify(
    path: Annotated[Path, typer.Argument(metavar="REPORT.json", help="The signed report.")],
    public_key: Annotated[
        str,
        typer.Option(
            metavar="HEX|FILE",
            help="The key that you trust, as `cutcard keys public NAME` prints it. Take it from "
            "the report's maker, never from the folder of the report.",
        ),
    ],
    rerun: Annotated[
        str | None,
        typer.Option(metavar="N|all|none", help="How many parts to run again, smallest first: 1."),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(
            "--input", metavar="FILE", help="Your copy of the data, for a report of given data."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a report: who signed it, whether it is whole, and whether it is true.

    Signature, files, verdicts worked out anew from the findings, fingerprints of firmware and
    suite, pages set again, and parts run again and compared byte by byte. A signature that does not
    hold ends it: nothing else in the report is looked at. For a report of given data, give the
    data again: it is judged anew.

    Exit 0: every check holds. Exit 1: at least one does not, or the report is cut
    short. Exit 2: no report, or no key.

        cutcard certify verify certification-all/report.json --public-key house-2026.pub

        cutcard certify verify report.json --public-key house-2026.pub --rerun all

        cutcard certify verify own/report.json --public-key house-2026.pub --input draws.bin
    """
    from cutcard.keys.public_half import BadPublicKey, read_public_key
    from rng_certification.report.verification import Damaged, Unreadable, checks

    if given is not None and rerun is not None:
        raise typer.BadParameter("a report of given data has no parts to run", param_hint="--rerun")
    number = _number("1" if rerun is None else rerun)
    console = Console()
    done = []
    try:
        trusted = read_public_key(public_key)
        with working("checking the report") as work:
            for check in checks(path, trusted, number, given):
                done.append(check)
                work.on(f"{check.name} done")
                if not as_json:
                    with work.held():
                        _print_check(check, console)
    except (BadPublicKey, Unreadable) as problem:
        if as_json:
            print(json.dumps({"verified": None, "error": str(problem)}))
        else:
            typer.echo(str(problem), err=True)
        raise typer.Exit(1 if isinstance(problem, Damaged) else 2) from None
    failed = [check.name for check in done if check.holds is False]
    if as_json:
        rows = [{"check": c.name, "holds": c.holds, "says": c.says} for c in done]
        print(json.dumps({"verified": not failed, "checks": rows}, indent=2))
    elif failed:
        console.print(f"[bold red]NOT VERIFIED[/bold red]: {', '.join(failed)}")
    else:
        console.print("[bold green]VERIFIED[/bold green]")
    raise typer.Exit(1 if failed else 0)


def _print_check(check: Check, console: Console) -> None:
    mark = {True: "[green]holds[/green]", False: "[red]FAILS[/red]", None: "not done"}
    console.print(f"{check.name:<13} {mark[check.holds]}  ", end="")
    console.print(check.says, markup=False, highlight=False, soft_wrap=True)


def _number(rerun: str) -> int | None:
    if rerun in ("all", "none"):
        return None if rerun == "all" else 0
    if not rerun.isdecimal():
        raise typer.BadParameter("a number of parts, all, or none", param_hint="--rerun")
    return int(rerun)


def profiles(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="One of them, with its clauses.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The profiles, or the clauses of one and the tests that answer each.

    Only clauses whose text was read are cited. Exit 2: there is no profile of that name.

        cutcard certify profiles

        cutcard certify profiles gli-19 --json
    """
    from rng_certification.profiles.profile import COMBINATIONS, NAMES, UnknownProfile, profiles_of

    try:
        chosen = profiles_of(name or "all")
    except UnknownProfile as unknown:
        raise typer.BadParameter(str(unknown), param_hint="NAME") from unknown
    if as_json:
        print(json.dumps([profile.as_json() for profile in chosen], indent=2, ensure_ascii=False))
        return
    if name is None:
        known = [(profile.name, str(len(profile.clauses)), profile.title) for profile in chosen]
        known += [(each, "", "every profile: " + ", ".join(NAMES)) for each in COMBINATIONS]
        show_table(("profile", "clauses", "what it is"), known)
        return
    for profile in chosen:
        rows = []
        for clause in profile.clauses:
            answer = clause.not_claimed and f"not claimed: {clause.not_claimed}"
            answer = answer or "\n".join((*clause.tests, *clause.shown_by))
            asks = f"{clause.asks}\nHere: {clause.here}" if clause.here else clause.asks
            rows.append((clause.cites, asks, answer))
        show_table(("clause", "asks", "answered by"), rows, title=profile.title, lines=True)


def runs(as_json: AsJson = False) -> None:
    """The log of all campaigns here: number, when, seed's plan, and how each ended.

    Every run has a number, also one that was stopped; its report shows it. Exit 1: the log was
    changed.

        cutcard certify runs
    """
    from rng_certification.campaign.run_log import BadLog, RunLog

    log = RunLog()
    try:
        known = log.runs()
    except BadLog as bad:
        typer.echo(f"{log.path} was changed: {bad}", err=True)
        raise typer.Exit(1) from None
    if as_json:
        print(json.dumps([vars(run) for run in known], indent=2))
        return
    rows = [
        (
            str(run.number),
            run.begun,
            run.profile,
            run.verdict or "never ended",
            run.plan_sha256[:16],
        )
        for run in known
    ]
    show_table(("run", "begun", "profile", "verdict", "plan"), rows)
