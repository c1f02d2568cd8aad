"""`cutcard certify --input`: a verdict on random data from any source."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer
from rich.console import Console
from rich.text import Text

from cutcard.columns import show_table
from cutcard.progress import working
from cutcard.untrusted import shown
from rng_certification.cli.answering import answering, no_verdict, write_json
from rng_certification.cli.report import say_written

if TYPE_CHECKING:
    from rng_certification.base.signing import ReportSigner
    from rng_certification.certification import Certificate, GivenSubject
    from rng_certification.repeated_looks import Look, LookLimit

SHOWN = 10


@dataclass(frozen=True)
class DataDescription:
    """The options that describe the data."""

    span: int | None = None
    deck: int | None = None
    prizes: str | None = None
    machine: str | None = None
    until: str | None = None
    column: str | None = None
    first: int | None = None


def judge_data(
    source: str,
    kind: str,
    about: DataDescription,
    json_to: str | None,
    out: Path | None = None,
    cover: dict[str, str] | None = None,
    signer: ReportSigner | None = None,
) -> None:
    """Read and judge data, print the result and exit; `out` is the report's folder."""
    # Kernels and their compiler are loaded only here, so that other commands start quickly.
    from rng_certification.base.reading import UnusableDataError
    from rng_certification.certification import certify as run
    from rng_certification.repeated_looks import grow

    with answering(json_to):
        subject, until = _subject(kind, about), _until(about.until)
        if out is not None:
            _make_folder(out)
        try:
            with ExitStack() as open_things:
                stream, size = _opened(source, open_things)
                wanted = until.bytes if until else size
                work = open_things.enter_context(working(f"judging {source}", wanted))
                certificate = (
                    grow(stream, subject, until, _say_look, work.advance)
                    if until
                    else run(stream, subject, work.advance)
                )
        except UnusableDataError as unusable:
            no_verdict(str(unusable), unusable.offset, json_to)
        except OSError as error:
            no_verdict(f"cannot read {source}: {error.strerror}", None, json_to)
        if out is not None:
            _write_report(
                out,
                subject=subject,
                certificate=certificate,
                source=source,
                cover=cover or {},
                signer=signer,
            )
        if json_to is not None:
            write_json(json.dumps(certificate.as_json(), indent=2), json_to)
        if json_to != "-":
            _print(certificate, source)
            if out is not None:
                say_written(out, signer)
        raise typer.Exit(0 if certificate.judgement.passed else 1)


def _until(said: str | None) -> LookLimit | None:
    from rng_certification.repeated_looks import LookLimit

    try:
        return None if said is None else LookLimit.of(said)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--until") from error


def _say_look(look: Look) -> None:
    """Print a line for each look."""
    typer.echo(
        f"look {look.number} at {look.bytes:,} bytes, alpha {look.alpha:.3g}: "
        f"{look.verdict if look.verdict == 'fail' else 'no fault found'}, the smallest "
        f"adjusted p of {look.tests} tests {look.adjusted:.3g} ({look.worst})",
        err=True,
    )


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot write to the folder: {error.strerror}"
        raise typer.BadParameter(problem, param_hint="--out") from error


def _write_report(
    out: Path,
    subject: GivenSubject,
    certificate: Certificate,
    source: str,
    cover: dict[str, str],
    signer: ReportSigner | None,
) -> None:
    """Write the data as a campaign of one part, with the report of a campaign."""
    from rng_certification.base.fingerprints import of_the_suite
    from rng_certification.campaign.folder import CampaignFolder, OtherCampaignError
    from rng_certification.campaign.given import plan_of, result_of
    from rng_certification.campaign.judging import judged
    from rng_certification.report.cover import keep_cover
    from rng_certification.report.writing import write_report

    name = "standard input" if source == "-" else shown(Path(source).name)
    plan, tested, folder = plan_of(subject, certificate, name), of_the_suite(), CampaignFolder(out)
    try:
        folder.declare(plan, tested)
        part = result_of(plan.parts[0], subject, certificate)
        folder.keep_part(plan.parts[0], part)
        folder.keep_campaign(judged(plan, [part], tested))
        keep_cover(out, cover)
        write_report(out, signer)
    except OtherCampaignError as other:
        raise typer.BadParameter(str(other), param_hint="--out") from other
    except OSError as error:
        problem = f"cannot write to the folder: {error.strerror}"
        raise typer.BadParameter(problem, param_hint="--out") from error


# The options that describe each kind of data; all others are rejected for it.
_OPTIONS_OF_KIND = {
    "bits": (),
    "draws": ("range", "prizes", "column", "first"),
    "shuffles": ("deck", "first"),
    "presses": ("prizes",),
    "steps": ("machine", "deck"),
}


def _subject(kind: str, about: DataDescription) -> GivenSubject:
    """Return the subject; options of other kinds of data are rejected."""
    from cutcard.machines import MachineFileError
    from rng_certification.certification import Layout, subject_of
    from rng_certification.jackpot.prizes import UnknownPrizesError

    given: dict[str, object] = {"range": about.span, "prizes": about.prizes, "deck": about.deck}
    given |= {"machine": about.machine, "column": about.column, "first": about.first}
    for name, value in given.items():
        if value is not None and name not in _OPTIONS_OF_KIND[kind]:
            kinds = [each for each, names in _OPTIONS_OF_KIND.items() if name in names]
            raise typer.BadParameter(
                f"only valid with --kind {' or '.join(kinds)}", param_hint=f"--{name}"
            )
    _require_options(kind, about)
    try:
        size = about.span or about.deck or 0
        layout = Layout(about.column, about.first)
        return subject_of(kind, size, about.prizes or "", about.machine or "", layout)
    except UnknownPrizesError as unknown:
        raise typer.BadParameter(str(unknown), param_hint="--prizes") from unknown
    except MachineFileError as error:
        raise typer.BadParameter(str(error), param_hint="--machine") from error
    except ValueError as error:
        hint = "--prizes" if kind == "presses" else "--deck"
        raise typer.BadParameter(str(error), param_hint=hint) from error


def _require_options(kind: str, about: DataDescription) -> None:
    """Raise BadParameter if an option that this kind needs is missing or out of range."""
    from rng_certification.certification import DECKS, SPANS

    if kind == "draws" and about.prizes is not None and about.span is not None:
        raise typer.BadParameter(
            "cannot be combined with --prizes: the prize table has its own range",
            param_hint="--prizes",
        )
    if kind == "draws" and about.prizes is None and (about.span is None or about.span not in SPANS):
        raise typer.BadParameter(
            f"draws need a range of {SPANS[0]} to {SPANS[-1]} numbers, or --prizes ID",
            param_hint="--range",
        )
    if kind == "shuffles" and (about.deck is None or about.deck not in DECKS):
        raise typer.BadParameter(
            f"shuffles need a deck of {DECKS[0]} to {DECKS[-1]} cards", param_hint="--deck"
        )
    if kind == "presses" and about.prizes is None:
        raise typer.BadParameter(
            "presses need the prize table of each table, such as madness-21,madness-21",
            param_hint="--prizes",
        )
    if kind == "steps" and about.machine is None:
        raise typer.BadParameter(
            "steps need their machine: carousel-60, or its file",
            param_hint="--machine",
        )
    if kind == "steps" and about.deck is None:
        raise typer.BadParameter("steps need the number of cards inside", param_hint="--deck")


def _opened(source: str, open_things: ExitStack) -> tuple[BinaryIO, int | None]:
    if source == "-":
        return sys.stdin.buffer, None
    path = Path(source)
    stream = open_things.enter_context(path.open("rb"))
    return stream, path.stat().st_size


def _print(certificate: Certificate, source: str) -> None:
    console = Console()
    judgement = certificate.judgement
    ran = [test for test in judgement.tests if test.finding.p is not None]
    ran.sort(key=lambda test: test.finding.p or 0.0)
    rows = []
    for test in ran[:SHOWN]:
        finds = "" if test.detectable is None else f"{test.detectable:.3g}"
        figures = (f"{test.finding.p:.3g}", f"{test.adjusted:.3g}", finds)
        verdict = Text(test.verdict, "red" if test.verdict == "fail" else "")
        rows.append((test.finding.name, *figures, verdict))
    numbers = ("p", "adjusted p", "finds from")
    title = f"{source}: {certificate.sample:,} {certificate.unit}"
    show_table(("test", *numbers, "verdict"), rows, title=title, numbers=numbers)
    skipped = len(judgement.tests) - len(ran)
    console.print(
        f"{len(ran)} tests, the {min(SHOWN, len(ran))} smallest p shown; {skipped} "
        f"skipped because of too little data; {len(judgement.failures)} failed at a "
        f"family alpha of {judgement.alpha}."
    )
    console.print(f"sha256 {certificate.sha256}", soft_wrap=True)
    colour = "green" if judgement.passed else "red"
    console.print(f"[bold {colour}]{judgement.verdict.upper()}[/bold {colour}]")
