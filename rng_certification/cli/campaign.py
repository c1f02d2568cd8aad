"""`cutcard certify` without data: a campaign from its plan to its verdict, as a person sees it."""

from __future__ import annotations

import json
import os
import secrets
import time
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from cutcard.columns import show_table
from cutcard.devices import provisioning
from cutcard.devices.errors import BadPort, DeviceError
from cutcard.progress import Work, working
from cutcard.untrusted import BadContent, read_json
from rng_certification.base.cluster import ClusterFailed
from rng_certification.base.fingerprints import fingerprints
from rng_certification.campaign.declared import declared
from rng_certification.campaign.folder import DamagedShard, Folder, OtherCampaign
from rng_certification.campaign.plan import Plan, canonical
from rng_certification.campaign.plan_reading import read_plan
from rng_certification.campaign.run_log import BadLog, RunLog
from rng_certification.campaign.running import run_all, tasks_of
from rng_certification.campaign.work import ShardFailed, Task
from rng_certification.cli.report import say_written
from rng_certification.profiles.answers import chance_of_any_failure
from rng_certification.profiles.profile import UnknownProfile
from rng_certification.report.cover import keep_cover
from rng_certification.report.signing import Signer

SHOWN = 5
INTERRUPTED = 130  # as a shell says it: neither pass nor fail


def run_campaign(
    profile: str,
    out: Path | None,
    seed: str | None,
    nonce: str | None,
    scheduler: str | None,
    processes: int | None,
    batteries: bool,
    port: str | None,
    plan_only: bool,
    json_to: str | None,
    cover: dict[str, str],
    signer: Signer | None,
) -> NoReturn:
    folder = Folder(out or Path(f"certification-{profile}"))
    try:
        board = (port, provisioning.identify(port).machine) if port else None
        chosen = (
            seed or _begun_with(folder) or (secrets.token_hex(16), nonce or secrets.token_hex(16))
        )
        plan = declared(profile, chosen, batteries, board)
    except UnknownProfile as unknown:
        raise typer.BadParameter(str(unknown), param_hint="--profile") from unknown
    except DeviceError as error:
        _device_failed(error)
    if plan_only:
        typer.echo(canonical(plan.as_json()), nl=False)
        raise typer.Exit(0)
    _announce(plan, folder)
    tested, log = fingerprints(), RunLog()
    try:
        folder.declare(plan, tested)
        number = log.begin(plan, folder.path)
    except BadLog as bad:
        typer.echo(
            f"cutcard certify: {log.path} was changed: {bad}. Keep it, move it away, and say so in "
            "the report; the next campaign begins another log.",
            err=True,
        )
        raise typer.Exit(2) from None
    except (OtherCampaign, BadContent) as other:
        raise typer.BadParameter(str(other), param_hint="--out") from other
    except OSError as error:
        problem = f"cannot write there: {error.strerror}"
        raise typer.BadParameter(problem, param_hint="--out") from error
    began = time.monotonic()
    try:
        with working("certifying", sum(task.seconds for task in tasks_of(plan))) as work:
            work.on("loading and compiling the tests")
            parts = run_all(
                plan,
                folder,
                processes=processes,
                scheduler=scheduler,
                finished=lambda task: _finished(work, task),
            )
            # What sets the report takes a second to load: here nobody waits for it.
            from rng_certification.campaign.judging import judged
            from rng_certification.report.writing import write_report

            work.on("judging")
            campaign = judged(plan, parts, tested)
            path = folder.keep_campaign(campaign)
            log.end(number, campaign["verdict"])
            work.on("writing the report")
            keep_cover(folder.path, cover)
            write_report(folder.path, signer)
    except DamagedShard as damaged:
        raise typer.BadParameter(str(damaged), param_hint="--out") from damaged
    except (ShardFailed, ClusterFailed) as failed:
        typer.echo(
            f"cutcard certify: {failed}\nWhat was finished is kept in {folder.path}: the same "
            "command tries the rest again.",
            err=True,
        )
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo(
            f"\nStopped. What was finished is kept in {folder.path}: the same command goes on.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    if json_to is not None:
        _write({**_summary(campaign, path), "run": number}, json_to)
    if json_to != "-":
        _print(campaign, path, number, time.monotonic() - began)
        say_written(folder.path, signer)
    raise typer.Exit(0 if campaign["verdict"] == "pass" else 1)


def _begun_with(folder: Folder) -> str | tuple[str, str] | None:
    """The seed, or the nonces, of a campaign that was begun in this folder."""
    path = folder.path / "plan.json"
    if not path.is_file():
        return None
    try:
        plan = read_plan(read_json(path))
    except (BadContent, ValueError):
        return None  # declaring the plan says what is wrong with the folder
    return plan.nonces or plan.seed


def _announce(plan: Plan, folder: Folder) -> None:
    """Before anything runs: how much is done, how long it takes, and from which seed."""
    seconds = sum(task.seconds for task in tasks_of(plan))
    cores = len(os.sched_getaffinity(0))
    minutes = max(1, round(seconds / cores / 60))
    typer.echo(
        f"{len(plan.parts)} parts, about {minutes} "
        f"minute{'s' if minutes > 1 else ''} on {cores} core{'s' if cores > 1 else ''}.\n"
        f"Seed {plan.seed}; kept in {folder.path}.",
        err=True,
    )


def _device_failed(error: DeviceError) -> NoReturn:
    """Before anything was begun: nobody answers at the port."""
    typer.echo(f"cutcard certify: {error.problem}\n{error.hint}", err=True)
    raise typer.Exit(2 if isinstance(error, BadPort) else 1)


def _finished(work: Work, task: Task) -> None:
    """Guesses weigh the parts."""
    work.on(f"{task.part.id} done")
    work.advance(task.seconds)


def _summary(campaign: dict[str, Any], path: Path) -> dict[str, Any]:
    judgement = campaign["judgement"]
    return {
        "verdict": campaign["verdict"],
        "alpha": judgement["alpha"],
        "tests": len(judgement["tests"]),
        "failed": [test["name"] for test in judgement["tests"] if test["verdict"] == "fail"],
        "profiles": {entry["profile"]: entry["verdict"] for entry in campaign["clauses"]},
        "parts": {part["id"]: part["sample"] for part in campaign["parts"]},
        "a_good_source_fails_some_profile": chance_of_any_failure(campaign["clauses"]),
        "plan_sha256": campaign["plan_sha256"],
        "campaign": str(path),
    }


def _write(summary: dict[str, Any], to: str) -> None:
    text = json.dumps(summary, indent=2)
    if to == "-":
        print(text)
    else:
        Path(to).write_text(text + "\n", encoding="utf-8")


def _false_alarms(campaign: dict[str, Any]) -> str:
    """With which chance a good source would have failed."""
    ours = f"A good source fails here with a chance of at most {campaign['judgement']['alpha']:g}"
    theirs = chance_of_any_failure(campaign["clauses"])
    if not theirs:
        return f"{ours}."
    return f"{ours}, and some profile at its own highest confidence with at most {theirs:.2g}."


def _print(campaign: dict[str, Any], path: Path, number: int, seconds: float) -> None:
    console = Console()
    tests = campaign["judgement"]["tests"]
    rows = []
    for part in campaign["parts"]:
        mine = [test for test in tests if test["name"].startswith(f"{part['id']}/")]
        ran = [test for test in mine if test["p"] is not None]
        failed = sum(test["verdict"] == "fail" for test in ran)
        verdict = Text("pass" if ran else "skipped")
        rows.append(
            (
                part["id"],
                f"{part['sample']:,} {part['unit']}",
                f"{len(ran)}",
                f"{min(test['p'] for test in ran):.2g}" if ran else "",
                Text(f"{failed} failed", "red") if failed else verdict,
            )
        )
    show_table(("part", "sample", "tests", "least p", "verdict"), rows)
    for entry in campaign["clauses"]:
        console.print(f"{entry['profile']}: {entry['verdict']}", highlight=False)
    ran = [test for test in tests if test["p"] is not None]
    for test in sorted(ran, key=lambda test: test["p"])[:SHOWN]:
        if test["verdict"] == "fail":
            console.print(
                f"[red]fail[/red] {test['name']}: p {test['p']:.3g}, "
                f"adjusted {test['adjusted_p']:.3g}",
                highlight=False,
            )
    console.print(
        f"{len(ran)} tests in one family at alpha {campaign['judgement']['alpha']}, "
        f"{len(tests) - len(ran)} skipped; {seconds:.0f} s.",
        highlight=False,
    )
    console.print(_false_alarms(campaign), highlight=False)
    console.print(
        f"run {number} of this laboratory; seed {campaign['plan']['seed']}\n"
        f"plan sha256 {campaign['plan_sha256']}\n{path}",
        soft_wrap=True,
        highlight=False,
    )
    colour = {"pass": "green", "fail": "red"}.get(campaign["verdict"], "yellow")
    console.print(f"[bold {colour}]{campaign['verdict'].upper()}[/bold {colour}]")
