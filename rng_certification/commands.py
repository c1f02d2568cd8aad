"""`cutcard certify`: a verdict on random data from anywhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn
from rich.table import Table

if TYPE_CHECKING:
    from rng_certification.certification import Certificate, Subject

SHOWN = 10


class Kind(StrEnum):
    bits = "bits"
    draws = "draws"
    shuffles = "shuffles"


def certify(
    source: Annotated[
        str, typer.Option("--input", metavar="FILE|-", help="The data; - is standard input.")
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            help="bits: raw bytes. draws: little-endian uint32. shuffles: little-endian uint16, "
            "a record a shuffle, each a permutation of 0..N-1."
        ),
    ],
    span: Annotated[
        int | None, typer.Option("--range", metavar="N", help="Draws are of 0..N-1.")
    ] = None,
    prizes: Annotated[
        str | None,
        typer.Option(
            "--prizes",
            metavar="ID",
            help="Draws are numbers of prizes from 0, of this rulebook's table: madness-21, "
            "pontoon-pandemonium-1 to -10.",
        ),
    ] = None,
    deck: Annotated[
        int | None, typer.Option("--deck", metavar="N", help="Cards of a shuffle.")
    ] = None,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON; - prints it.")
    ] = None,
) -> None:
    """Judge random bits, draws or shuffles: uniform, independent, without repetition.

    All tests form one family: a good source fails with a chance of at most 0.005.
    Exit 0: pass. Exit 1: fail. Exit 2: no usable data, or too little of it.

    Examples:

      cutcard certify --input noise.bin --kind bits

      cutcard certify --input draws.bin --kind draws --range 38 --json -

      cutcard certify --input button.bin --kind draws --prizes madness-21

      ./my-shuffler | cutcard certify --input - --kind shuffles --deck 52
    """
    # Kernels and their compiler load only here, so that other commands start quickly.
    from rng_certification.certification import certify as run
    from rng_certification.reading import UnusableData

    subject = _subject(kind, span, deck, prizes)
    try:
        with ExitStack() as open_things:
            stream, size = _opened(source, open_things)
            advance = open_things.enter_context(_progress(size))
            certificate = run(stream, subject, advance)
    except UnusableData as unusable:
        _no_verdict(str(unusable), unusable.offset, json_to)
    except OSError as error:
        _no_verdict(f"cannot read {source}: {error.strerror}", None, json_to)
    if json_to is not None:
        _write(json.dumps(certificate.as_json(), indent=2), json_to)
    if json_to != "-":
        _print(certificate, source)
    raise typer.Exit(0 if certificate.judgement.passed else 1)


def _subject(kind: Kind, span: int | None, deck: int | None, prizes: str | None) -> Subject:
    from rng_certification.certification import DECKS, SPANS, subject_of
    from rng_certification.jackpot.prizes import UnknownPrizes

    if prizes is not None:
        if kind is not Kind.draws or span is not None:
            raise typer.BadParameter(
                "goes with --kind draws, and without --range: the table has its own",
                param_hint="--prizes",
            )
        try:
            return subject_of(kind, prizes=prizes)
        except UnknownPrizes as unknown:
            raise typer.BadParameter(str(unknown), param_hint="--prizes") from unknown
    if kind is not Kind.draws and span is not None:
        raise typer.BadParameter("goes with --kind draws", param_hint="--range")
    if kind is not Kind.shuffles and deck is not None:
        raise typer.BadParameter("goes with --kind shuffles", param_hint="--deck")
    if kind is Kind.draws and (span is None or span not in SPANS):
        raise typer.BadParameter(
            f"draws need a range of {SPANS[0]} to {SPANS[-1]} numbers, or --prizes ID",
            param_hint="--range",
        )
    if kind is Kind.shuffles and (deck is None or deck not in DECKS):
        raise typer.BadParameter(
            f"shuffles need a deck of {DECKS[0]} to {DECKS[-1]} cards", param_hint="--deck"
        )
    return subject_of(kind, span or deck or 0)


def _opened(source: str, open_things: ExitStack) -> tuple[BinaryIO, int | None]:
    if source == "-":
        return sys.stdin.buffer, None
    path = Path(source)
    stream = open_things.enter_context(path.open("rb"))
    return stream, path.stat().st_size


@contextmanager
def _progress(size: int | None) -> Iterator[Callable[[int], None]]:
    """A bar with the time left, where standard error is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda read: None
        return
    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=size)
        yield lambda read: bar.advance(task, read)


def _write(text: str, to: str) -> None:
    if to == "-":
        print(text)
    else:
        Path(to).write_text(text + "\n", encoding="utf-8")


def _no_verdict(problem: str, offset: int | None, json_to: str | None) -> NoReturn:
    if json_to is not None:
        _write(json.dumps({"verdict": None, "error": problem, "offset": offset}), json_to)
    typer.echo(f"cutcard certify: {problem}", err=True)
    raise typer.Exit(2)


def _print(certificate: Certificate, source: str) -> None:
    console = Console()
    judgement = certificate.judgement
    ran = [test for test in judgement.tests if test.finding.p is not None]
    ran.sort(key=lambda test: test.finding.p or 0.0)
    table = Table(title=f"{source}: {certificate.sample:,} {certificate.unit}")
    table.add_column("test")
    for heading in ("p", "adjusted p", "finds from"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for test in ran[:SHOWN]:
        finds = "" if test.detectable is None else f"{test.detectable:.3g}"
        table.add_row(
            test.finding.name,
            f"{test.finding.p:.3g}",
            f"{test.adjusted:.3g}",
            finds,
            "[red]fail[/red]" if test.verdict == "fail" else test.verdict,
        )
    console.print(table)
    skipped = len(judgement.tests) - len(ran)
    console.print(
        f"{len(ran)} tests, the {min(SHOWN, len(ran))} smallest p shown; {skipped} skipped for "
        f"want of data; {len(judgement.failures)} failed at a family alpha of {judgement.alpha}."
    )
    console.print(f"sha256 {certificate.sha256}", soft_wrap=True)
    colour = "green" if judgement.passed else "red"
    console.print(f"[bold {colour}]{judgement.verdict.upper()}[/bold {colour}]")
