"""`cutcard certify battery`: an established battery, unchanged, on a stream without repetition."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from cutcard.cli.options import refuse
from cutcard.columns import show_table
from rng_certification.cli.answering import answering, no_verdict, steps, write_json

if TYPE_CHECKING:
    from rng_certification.batteries.dieharder import Test
    from rng_certification.batteries.feeding import Stream
    from rng_certification.batteries.outcome import Outcome
    from rng_certification.certification import Certificate

TWIN = "twin"
SHOWN = 10


class Battery(StrEnum):
    dieharder = "dieharder"
    practrand = "practrand"
    testu01 = "testu01"


class Crush(StrEnum):
    small = "small"
    crush = "crush"
    big = "big"


# Options that apply to only one battery.
_ONLY = {
    Battery.dieharder: ("quick", "tests"),
    Battery.practrand: ("bytes_log2",),
    Battery.testu01: ("program", "crush"),
}


def battery(
    context: typer.Context,
    name: Annotated[Battery, typer.Argument(help="Which one.")],
    source: Annotated[
        str,
        typer.Option(
            metavar="twin|FILE|-", help="The generator's own output, a file, or standard input."
        ),
    ] = TWIN,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="dieharder: only tests that take seconds, a minute in all."),
    ] = False,
    tests: Annotated[
        list[str] | None,
        typer.Option(
            "--test", metavar="NAME", help=("dieharder: only this test; may be repeated.")
        ),
    ] = None,
    bytes_log2: Annotated[
        int,
        typer.Option("--length", min=20, max=45, metavar="N", help="PractRand: on 2^N bytes."),
    ] = 30,
    program: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="TestU01: your own program that runs the battery."),
    ] = None,
    crush: Annotated[
        Crush,
        typer.Option(help="TestU01: seconds, about an hour, or half a day on one core."),
    ] = Crush.small,
    seed: Annotated[
        str,
        typer.Option(metavar="TEXT", help=("Seed of the twin: another text gives another sample.")),
    ] = "cutcard",
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON; - prints it.")
    ] = None,
) -> None:
    """Run dieharder, PractRand or TestU01 unchanged, if it is installed.

    Its own words (PASSED, WEAK, FAILED) are shown and do not affect the verdict: they compare each
    of a hundred tests with a separate level. Its p-values form one family at alpha 0.005. A test
    with too little data is skipped, and data is never read twice.

    Exit 0: pass. Exit 1: fail. Exit 2: not installed, invalid usage, or too little data.

    Examples:

      cutcard certify battery dieharder --quick

      cutcard certify battery dieharder --source output.bin --test diehard_birthdays

      cutcard certify battery testu01 --crush small

      ./my-generator | cutcard certify battery practrand --source - --length 34
    """
    for one, options in _ONLY.items():
        if name != one:
            refuse(context, f"only valid with {one}", *options)
    if source != TWIN:
        refuse(context, "only valid with the twin: data from elsewhere has no seed", "seed")
    with answering(json_to):
        digest = hashlib.sha256()
        try:
            with ExitStack() as open_things, steps() as advance:
                stream = _stream(source, seed, digest.update, open_things)
                outcomes = _outcomes(
                    name,
                    stream=stream,
                    quick=quick,
                    tests=tests,
                    bytes_log2=bytes_log2,
                    program=program,
                    crush=crush,
                    advance=advance,
                    json_to=json_to,
                )
        except OSError as error:
            no_verdict(f"cannot read {source}: {error.strerror}", None, json_to)
        if all(outcome.p is None for outcome in outcomes):
            why = "; ".join(sorted({outcome.void for outcome in outcomes}))
            no_verdict(f"no test of {name} had a result: {why}", None, json_to)
        certificate = _judged(name, outcomes, stream, digest.hexdigest())
        if json_to is not None:
            write_json(json.dumps(certificate.as_json(), indent=2), json_to)
        if json_to != "-":
            _print(certificate, outcomes, source)
        raise typer.Exit(0 if certificate.judgement.passed else 1)


def _stream(
    source: str, seed: str, seen: Callable[[bytes], None], open_things: ExitStack
) -> Stream:
    from rng_certification.batteries.feeding import Stream, pieces_of

    if source == TWIN:
        from rng_certification.twin import streams

        endless = streams.raw_bytes(streams.start(seed), 1 << 60)
        return Stream((piece.tobytes() for piece in endless), seen)
    if source == "-":
        return Stream(pieces_of(sys.stdin.buffer), seen)
    return Stream(pieces_of(open_things.enter_context(Path(source).open("rb"))), seen)


def _outcomes(
    name: Battery,
    stream: Stream,
    quick: bool,
    tests: list[str] | None,
    bytes_log2: int,
    program: Path | None,
    crush: str,
    advance: Callable[[str], None],
    json_to: str | None,
) -> list[Outcome]:
    from rng_certification.batteries import dieharder, practrand, testu01

    if name is Battery.dieharder:
        if not dieharder.installed():
            _not_installed("dieharder", dieharder.INSTALL, json_to)
        return dieharder.run(stream, _chosen(quick, tests), advance)
    advance(name)
    if name is Battery.practrand:
        found = practrand.installed()
        if found is None:
            _not_installed("PractRand", practrand.INSTALL, json_to)
        return practrand.run(stream, found, bytes_log2)
    command = [str(program)] if program else testu01.program(crush)
    if command is None:
        _not_installed("TestU01", testu01.INSTALL, json_to)
    return testu01.run(stream, command)


def _chosen(quick: bool, tests: list[str] | None) -> list[Test]:
    from rng_certification.batteries import dieharder

    known = {test.name: test for test in dieharder.TESTS}
    for name in tests or ():
        if name in dieharder.EXCLUDED:
            raise typer.BadParameter(
                f"{name} is excluded: {dieharder.EXCLUDED[name]}", param_hint="--test"
            )
        if name not in known:
            raise typer.BadParameter(
                f"unknown test {name!r}; use one of {', '.join(known)}", param_hint="--test"
            )
    if tests:
        return [known[name] for name in tests]
    return [test for test in dieharder.TESTS if test.quick or not quick]


def _not_installed(name: str, install: str, json_to: str | None) -> NoReturn:
    no_verdict(f"SKIPPED: {name} is not installed; {install}", None, json_to)


def _judged(name: str, outcomes: list[Outcome], stream: Stream, sha256: str) -> Certificate:
    from rng_certification.base.judgement import judge
    from rng_certification.batteries import dieharder
    from rng_certification.certification import Certificate

    details: dict[str, object] = {"battery": [outcome.as_json() for outcome in outcomes]}
    if name == Battery.dieharder:
        details["left_out"] = dieharder.EXCLUDED
    return Certificate(
        name,
        unit="bytes",
        sample=stream.given,
        bytes=stream.given,
        sha256=sha256,
        judgement=judge(outcome.finding() for outcome in outcomes),
        details=details,
    )


def _print(certificate: Certificate, outcomes: list[Outcome], source: str) -> None:
    console = Console()
    said = {outcome.name: outcome.said for outcome in outcomes}
    ran = [test for test in certificate.judgement.tests if test.finding.p is not None]
    ran.sort(key=lambda test: test.finding.p or 0.0)
    rows = []
    for test in ran[:SHOWN]:
        finding = test.finding
        rows.append(
            (
                finding.name.removeprefix(f"{certificate.kind}/"),
                f"{finding.statistic:.8g}",
                f"{finding.p:.3g}",
                f"{test.adjusted:.3g}",
                said[finding.name],
                Text(test.verdict, "red" if test.verdict == "fail" else ""),
            )
        )
    numbers = ("its p", "both tails", "adjusted")
    title = f"{certificate.kind} on {source}: {certificate.sample:,} bytes"
    show_table(("test", *numbers, "it says", "verdict"), rows, title=title, numbers=numbers)
    skipped = [outcome for outcome in outcomes if outcome.void]
    judgement = certificate.judgement
    console.print(
        f"{len(ran)} results, the {min(SHOWN, len(ran))} smallest p shown; "
        f"{len(judgement.failures)} failed at a family alpha of {judgement.alpha}."
    )
    for outcome in skipped:
        console.print(f"SKIPPED {outcome.name}: {outcome.void}")
    for name, why in certificate.details.get("left_out", {}).items():
        console.print(f"excluded {name}: {why}")
    console.print(f"sha256 of the data {certificate.sha256}", soft_wrap=True)
    colour = "green" if judgement.passed else "red"
    console.print(f"[bold {colour}]{judgement.verdict.upper()}[/bold {colour}]")
