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
    from rng_certification.base.signing import ReportSigner
    from rng_certification.report.verification import ReportCheck

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def report(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help=("The folder of the campaign."))],
    cover: CoverFile = None,
    on_cover: OnCover = None,
    key: KeyName = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a finished campaign again: page, PDF, list of tests, and signed JSON.

    The same campaign, key and cover give the same bytes. The entries of the cover are stored with
    the campaign. Exit 0: written. Exit 2: there is no finished campaign in the folder.

        cutcard certify report certification-all --key house-2026

        cutcard certify report certification-all --on-cover "applicant=House of Cards"
    """
    from rng_certification.report.cover import BadCoverError, keep_cover
    from rng_certification.report.writing import NoCampaignError, write_report

    said = cover_of(cover, on_cover)
    signer = signer_of(key, passphrase_file, as_json)
    try:
        if said and folder.is_dir():
            keep_cover(folder, said)
        with working("writing the report"):
            written = write_report(folder, signer)
    except (BadCoverError, NoCampaignError) as problem:
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


def say_written(folder: Path, signer: ReportSigner | None) -> None:
    console = Console()
    console.print(
        f"{folder}/report.html, report.pdf, tests.csv, report.json", soft_wrap=True, highlight=False
    )
    if signer is None:
        console.print(
            "[bold yellow]NOT SIGNED[/bold yellow]: its maker cannot be verified. "
            "Sign it with `cutcard certify report FOLDER --key NAME`."
        )
    else:
        sort = "development key" if signer.public.development else "key"
        console.print(f"Signed with {sort} {signer.public.number}, {signer.public.name}.")


def verify(
    path: Annotated[
        Path, typer.Argument(metavar="FOLDER|REPORT.json", help="The signed report, or its folder.")
    ],
    public_key: Annotated[
        str,
        typer.Option(
            metavar="HEX|FILE",
            help="The key that you trust, as `cutcard keys public NAME` prints it. Get "
            "it from the report's maker, never from the folder of the report.",
        ),
    ],
    rerun: Annotated[
        str | None,
        typer.Option(
            metavar="N|all|none",
            help=("The number of parts to run again, smallest first (default: 1)."),
        ),
    ] = None,
    given: Annotated[
        Path | None,
        typer.Option(
            "--input", metavar="FILE", help="Your copy of the data, for a report of given data."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check a report: its signature, its files, its verdict, and some of its parts again.

    Verdicts are judged again from the findings, pages are typeset again, and parts are run again
    and compared byte by byte. If the signature is invalid, the rest of the report is not read. A
    report of given data needs the data again, with --input.

    Exit 0: every check passes, for any verdict of the report; it is printed. Exit 1: a check fails,
    or the report is damaged. Exit 2: no report, no key, or a report of another format.

        cutcard certify verify certification-carousel-60 --public-key house-2026.pub

        cutcard certify verify report.json --public-key house-2026.pub --rerun all

        cutcard certify verify own/report.json --public-key house-2026.pub --input draws.bin
    """
    from cutcard.keys.public_half import BadPublicKeyError, read_public_key
    from rng_certification.report.verification import (
        ReportDamagedError,
        ReportUnreadableError,
        checks,
        read_report,
    )
    from rng_certification.report.writing import SIGNED

    if given is not None and rerun is not None:
        raise typer.BadParameter("a report of given data has no parts to run", param_hint="--rerun")
    number = _number("1" if rerun is None else rerun)
    console = Console()
    done = []
    try:
        trusted = read_public_key(public_key)
        path = path / SIGNED if path.is_dir() else path
        with working("checking the report") as work:
            for check in checks(path, trusted, number, given):
                done.append(check)
                work.on(f"{check.name} done")
                if not as_json:
                    with work.held():
                        _print_check(check, console)
    except (BadPublicKeyError, ReportUnreadableError) as problem:
        if as_json:
            print(json.dumps({"verified": None, "error": str(problem)}))
        else:
            typer.echo(str(problem), err=True)
        raise typer.Exit(1 if isinstance(problem, ReportDamagedError) else 2) from None
    failed = [check.name for check in done if check.holds is False]
    verdict = None if failed else str(read_report(path)["verdict"])
    if as_json:
        rows = [{"check": c.name, "holds": c.holds, "says": c.says} for c in done]
        answer = {"verified": not failed, "verdict": verdict, "checks": rows}
        print(json.dumps(answer, indent=2))
    elif verdict is None:
        console.print(f"[bold red]NOT VERIFIED[/bold red]: {', '.join(failed)}")
    else:
        again = any(check.name == "rerun" and check.holds for check in done)
        verified = "Signature and rerun verified." if again else "Signature verified, no rerun."
        console.print(f"{verified} The report's verdict is {verdict.upper()}.", highlight=False)
    raise typer.Exit(1 if failed else 0)


def _print_check(check: ReportCheck, console: Console) -> None:
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
        str | None,
        typer.Argument(metavar="[NAME]", help=("Show only this profile, with its clauses.")),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the profiles, or the clauses of one and the tests that answer each.

    Only texts that we have read are cited; the list ends with those that were not compared. Exit 2:
    there is no profile of that name.

        cutcard certify profiles

        cutcard certify profiles gli-19 --json
    """
    from rng_certification.profiles.profile import (
        COMBINATIONS,
        NAMES,
        UnknownProfileError,
        profiles_of,
    )
    from rng_certification.report.evaluation import NOT_COMPARED

    try:
        chosen = profiles_of(name or "all")
    except UnknownProfileError as unknown:
        raise typer.BadParameter(str(unknown), param_hint="NAME") from unknown
    if as_json:
        print(json.dumps([profile.as_json() for profile in chosen], indent=2, ensure_ascii=False))
        return
    if name is None:
        known = [(profile.name, str(len(profile.clauses)), profile.title) for profile in chosen]
        known += [(each, "", "every profile: " + ", ".join(NAMES)) for each in COMBINATIONS]
        show_table(("profile", "clauses", "title"), known)
        not_compared = "; ".join(f"{text['name']} ({text['where']})" for text in NOT_COMPARED)
        Console().print(
            f"Not compared, because their texts are not available to us: {not_compared}.",
            highlight=False,
        )
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
    """Show the log of all campaigns here: number, time, plan and result.

    Every run has a number, also a stopped one; its report shows it. Exit 1: the log was changed.

        cutcard certify runs
    """
    from rng_certification.campaign.run_log import BadLogError, RunLog

    log = RunLog()
    try:
        known = log.runs()
    except BadLogError as bad:
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
