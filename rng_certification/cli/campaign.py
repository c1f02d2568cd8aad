"""`cutcard certify` without data: the certificate of one product, from its plan to its verdict."""

from __future__ import annotations

import json
import math
import os
import secrets
import socket
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.text import Text

from cutcard.columns import show_table
from cutcard.devices import provisioning
from cutcard.devices.errors import DeviceError
from cutcard.progress import Work, working
from cutcard.untrusted import BadContentError, content, read_json, text_of, why_unreadable
from rng_certification.base.canonical import canonical
from rng_certification.base.cluster import ClusterFailedError
from rng_certification.base.fingerprints import digest_of, fingerprints
from rng_certification.base.signing import ReportSigner
from rng_certification.campaign.declared import declared
from rng_certification.campaign.evidence import BadEvidenceError, Evidence, load_evidence
from rng_certification.campaign.folder import CampaignFolder, DamagedShardError, OtherCampaignError
from rng_certification.campaign.layers import FAIL, NOT_APPLICABLE, OPEN, PASS, layers, required
from rng_certification.campaign.pace import Pace, slowness
from rng_certification.campaign.plan import CampaignPlan
from rng_certification.campaign.plan_reading import MOST_OF_A_PROFILE, read_plan
from rng_certification.campaign.product import REFERENCE, BadProductError, Product
from rng_certification.campaign.run_log import BadLogError, RunLog
from rng_certification.campaign.running import run_all, tasks_of
from rng_certification.campaign.work import ShardFailedError, Task
from rng_certification.cli.answering import (
    INTERRUPTED,
    NO_VERDICT,
    OPEN_ITEMS,
    require_place,
    write_json,
)
from rng_certification.cli.report import say_written
from rng_certification.profiles.answers import chance_of_any_failure
from rng_certification.profiles.profile import (
    BadProfileError,
    Profile,
    UnknownProfileError,
    profile_in,
    profiles_of,
)
from rng_certification.report.cover import keep_cover
from rng_certification.report.first_page import product_named

SHOWN = 5
_ANSWERS_IN = 10.0  # seconds, for a connection to a scheduler
EXIT = {FAIL: 1, OPEN: OPEN_ITEMS, PASS: 0}
_COLOURS = {PASS: "green", FAIL: "red", OPEN: "yellow", NOT_APPLICABLE: ""}


@dataclass(frozen=True)
class CampaignOptions:
    """The options of a campaign, unchanged from the command line."""

    machine: str | None = None
    decks: int | None = None
    prizes: str | None = None
    rulebooks: str | None = None
    profile: str = "all"
    require: str | None = None
    evidence: Sequence[Path] = ()
    seed: str | None = None
    nonce: str | None = None
    batteries: bool = False
    port: str | None = None


def run_campaign(
    asked: CampaignOptions,
    out: Path | None,
    scheduler: str | None,
    processes: int | None,
    plan_only: bool,
    json_to: str | None,
    cover: dict[str, str],
    signer: ReportSigner | None,
) -> NoReturn:
    product = _product(asked)
    wanted = _layers(asked.require, product)
    profile, profile_file, profiles = _profile(asked.profile)
    evidence = _evidence(asked.evidence, product)
    ending = "" if profile == "all" else f"-{Path(profile).stem}"
    folder = CampaignFolder(out or Path(f"certification-{product.name}{ending}"))
    nonces = (secrets.token_hex(16), asked.nonce or secrets.token_hex(16))
    plan = replace(
        declared(
            product,
            profiles,
            profile,
            asked.seed or _begun_with(folder) or nonces,
            asked.batteries,
            asked.port,
            profile_file,
        ),
        evidence=evidence,
    )
    if not plan.parts:
        raise typer.BadParameter(
            f"no clause of this profile has tests for {product.name}", param_hint="--profile"
        )
    if plan_only:
        typer.echo(canonical(plan.as_json()), nl=False)
        raise typer.Exit(0)
    require_place(json_to)
    _require_scheduler(scheduler)
    tested, log = fingerprints(), RunLog()
    try:
        folder.declare(plan, tested)
        number = log.begin(plan, folder.path)
    except BadLogError as bad:
        typer.echo(
            f"cutcard certify: {log.path} was changed: {bad}. Keep a copy, move it away, "
            "and mention it in the report; the next campaign begins another log.",
            err=True,
        )
        raise typer.Exit(NO_VERDICT) from None
    except (OtherCampaignError, BadContentError) as other:
        raise typer.BadParameter(str(other), param_hint="--out") from other
    except OSError as error:
        problem = f"cannot write to the folder: {error.strerror}"
        raise typer.BadParameter(problem, param_hint="--out") from error
    pace = Pace(tasks_of(plan), processes or len(os.sched_getaffinity(0)), slowness())
    _announce(plan, folder, pace)
    began = time.monotonic()
    try:
        with working("certifying") as work:
            work.follow(lambda: (pace.share(), _left(pace.left())))
            work.on("loading and compiling the tests")
            parts = run_all(
                plan,
                folder,
                processes=processes,
                scheduler=scheduler,
                finished=lambda task, seconds: _finished(work, pace, task, seconds),
            )
            # Loaded only now, because the typesetter takes a second to load.
            from rng_certification.campaign.judging import judged
            from rng_certification.report.writing import write_report

            work.on("judging")
            campaign = judged(plan, parts, tested)
            path = folder.keep_campaign(campaign)
            log.end(number, campaign["verdict"])
            work.on("writing the report")
            keep_cover(folder.path, cover)
            write_report(folder.path, signer)
    except DamagedShardError as damaged:
        raise typer.BadParameter(str(damaged), param_hint="--out") from damaged
    except (ShardFailedError, ClusterFailedError) as failed:
        typer.echo(
            f"cutcard certify: {failed}\nFinished parts are in {folder.path}: run the "
            "same command to try the others again.",
            err=True,
        )
        raise typer.Exit(NO_VERDICT) from None
    except KeyboardInterrupt:
        typer.echo(
            f"\nStopped. Finished parts are in {folder.path}: run the same command to resume.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    code = EXIT[required(campaign["layers"], wanted)]
    if json_to is not None:
        summary = {**_summary(campaign, path), "run": number, "exit": code}
        write_json(json.dumps(summary, indent=2), json_to)
    if json_to != "-":
        _print(campaign, path, number, time.monotonic() - began)
        say_written(folder.path, signer)
        _say_verdict(campaign, asked.require, wanted)
    raise typer.Exit(code)


def _require_scheduler(address: str | None) -> None:
    """Raise BadParameter if no program listens at the address, before anything is written."""
    if address is None:
        return
    try:
        parts = urlsplit(address)
        if not parts.scheme or not parts.hostname or not parts.port:
            raise ValueError("write tcp://HOST:PORT")
        socket.create_connection((parts.hostname, parts.port), timeout=_ANSWERS_IN).close()
    except (OSError, ValueError) as error:
        problem = f"no Dask scheduler answers at {address}: {why_unreadable(error)}"
        raise typer.BadParameter(problem, param_hint="--scheduler") from None


def _product(asked: CampaignOptions) -> Product:
    machine = asked.machine
    if asked.port:
        try:
            there = provisioning.identify(asked.port).machine
        except DeviceError as error:  # no verdict: the device did not answer
            typer.echo(f"cutcard certify: {error.problem}\n{error.hint}", err=True)
            raise typer.Exit(NO_VERDICT) from None
        machine = machine or there
    prizes, rulebooks = (
        tuple(filter(None, (names or "").split(","))) for names in (asked.prizes, asked.rulebooks)
    )
    try:
        product = Product.of(machine or REFERENCE, asked.decks, prizes, rulebooks)
    except BadProductError as bad:
        raise typer.BadParameter(str(bad), param_hint=_option_of(asked)) from bad
    if asked.port and product.name != there:
        raise typer.BadParameter(
            f"the device at {asked.port} is a {there}, but the certificate is for a {product.name}",
            param_hint="--machine",
        )
    return product


def _option_of(asked: CampaignOptions) -> str:
    """Name the options of which one is wrong."""
    names = ("machine", "decks", "prizes", "rulebooks")
    return ", ".join(f"--{name}" for name in names if getattr(asked, name) is not None)


def _layers(require: str | None, product: Product) -> tuple[str, ...]:
    """Return the layers that decide the exit code: the required ones, or all."""
    known = {layer.layer: layer for layer in layers()}
    if require is None:
        return tuple(known)
    wanted = tuple(word.strip().upper() for word in require.split(","))
    for word in wanted:
        if word not in known:
            raise typer.BadParameter(
                f"unknown layer {word!r}; use one of {', '.join(known)}", param_hint="--require"
            )
        if known[word].only and known[word].only not in product.features:
            raise typer.BadParameter(
                f"layer {word} does not apply to {product.name}: {known[word].lacking}",
                param_hint="--require",
            )
    return wanted


def _profile(name: str) -> tuple[str, str, tuple[Profile, ...]]:
    """Return the name of a profile, its text if it is a file, and the profiles that it includes."""
    try:
        if not name.endswith(".toml"):
            return name, "", profiles_of(name)
        path = Path(name)
        text = text_of(content(path, MOST_OF_A_PROFILE))
        return path.name, text, (profile_in(text, path.name),)  # built-in names never end in .toml
    except OSError as error:
        problem = f"cannot read {name}: {error.strerror}"
        raise typer.BadParameter(problem, param_hint="--profile") from error
    except (BadContentError, BadProfileError, UnknownProfileError) as bad:
        raise typer.BadParameter(str(bad), param_hint="--profile") from bad


def _evidence(files: Sequence[Path], product: Product) -> tuple[Evidence, ...]:
    firmware = digest_of(fingerprints()["firmware"])
    try:
        read = tuple(map(load_evidence, files))
    except BadEvidenceError as bad:
        raise typer.BadParameter(str(bad), param_hint="--evidence") from bad
    for file, evidence in zip(files, read, strict=True):
        if evidence.machine_sha256 != product.sha256:
            raise typer.BadParameter(
                f"{file} belongs to another machine file (SHA-256 "
                f"{evidence.machine_sha256[:16]}…); the file of {product.name} has "
                f"{product.sha256[:16]}…",
                param_hint="--evidence",
            )
        if evidence.figures.get("firmware_sha256", firmware) != firmware:
            raise typer.BadParameter(
                f"{file} belongs to other firmware than the one installed here",
                param_hint="--evidence",
            )
    return read


def _begun_with(folder: CampaignFolder) -> str | tuple[str, str] | None:
    """Return the seed, or the nonces, of a campaign that was begun in this folder."""
    path = folder.path / "plan.json"
    if not path.is_file():
        return None
    try:
        plan = read_plan(read_json(path))
    except (BadContentError, ValueError):
        return None  # declaring the plan reports errors of the folder
    return plan.nonces or plan.seed


def _announce(plan: CampaignPlan, folder: CampaignFolder, pace: Pace) -> None:
    """Print the product, the expected time and the seed before the campaign runs."""
    cores = len(os.sched_getaffinity(0))
    named = product_named(plan.as_json()["product"])
    typer.echo(
        f"Certifying {named}: {len(plan.parts)} parts, {_minutes(pace.left())} on {cores} "
        f"core{'s' if cores > 1 else ''}.\nSeed {plan.seed}; files in {folder.path}.",
        err=True,
    )


def _minutes(seconds: float) -> str:
    minutes = max(1, math.ceil(seconds / 60))
    if minutes > 90:
        return f"about {minutes / 60:.0f} hours"
    return f"about {minutes} minute{'s' if minutes > 1 else ''}"


def _left(seconds: float) -> str:
    """Return the remaining time in words, for the progress display."""
    if seconds < 60:
        return f"about {max(5, 5 * round(seconds / 5))} s left"
    return f"{_minutes(seconds)} left"


def _finished(work: Work, pace: Pace, task: Task, seconds: float | None) -> None:
    work.on(f"{task.part.id} done")
    pace.finished(task, seconds)


def _summary(campaign: dict[str, Any], path: Path) -> dict[str, Any]:
    judgement, product = campaign["judgement"], campaign["plan"]["product"]
    return {
        "verdict": campaign["verdict"],
        "product": {key: value for key, value in product.items() if key != "machine_file"},
        "layers": {each["layer"]: each["verdict"] for each in campaign["layers"]},
        "open": [
            {"layer": each["layer"], **item} for each in campaign["layers"] for item in each["open"]
        ],
        "alpha": judgement["alpha"],
        "tests": len(judgement["tests"]),
        "failed": [test["name"] for test in judgement["tests"] if test["verdict"] == FAIL],
        "profiles": {entry["profile"]: entry["verdict"] for entry in campaign["clauses"]},
        "parts": {part["id"]: part["sample"] for part in campaign["parts"]},
        "a_good_source_fails_some_profile": chance_of_any_failure(campaign["clauses"]),
        "plan_sha256": campaign["plan_sha256"],
        "campaign": str(path),
    }


def _false_alarms(campaign: dict[str, Any]) -> str:
    """Return the chance that a good source fails, in words."""
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
        failed = sum(test["verdict"] == FAIL for test in ran)
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
    failed = sorted((t for t in ran if t["verdict"] == FAIL), key=lambda test: test["p"])
    for test in failed[:SHOWN]:
        console.print(
            f"[red]fail[/red] {test['name']}: p {test['p']:.3g}, adjusted {test['adjusted_p']:.3g}",
            highlight=False,
        )
    if len(failed) > SHOWN:
        console.print(f"and {len(failed) - SHOWN} more", highlight=False)
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


def _say_verdict(campaign: dict[str, Any], require: str | None, wanted: Sequence[str]) -> None:
    """Print the layers with their open items, and then the verdict."""
    console = Console()
    for each in campaign["layers"]:
        colour = _COLOURS[each["verdict"]]
        line = Text(f"{each['layer']} {each['title']}: ")
        console.print(line.append(each["verdict"], colour), highlight=False)
        for item in each["open"]:
            console.print(
                f"    open: {item['missing']}\n    {item['command']}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
    if require is not None:
        verdict = required(campaign["layers"], wanted)
        console.print(f"required layers {', '.join(wanted)}: {verdict}", highlight=False)
    colour = _COLOURS[campaign["verdict"]]
    console.print(f"[bold {colour}]{campaign['verdict'].upper()}[/bold {colour}]")
