"""`cutcard certify noise`: assess the entropy of a noise source, and compare it with its claim."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from cutcard.cli.options import refuse
from cutcard.columns import show_table
from rng_certification.cli.answering import answering, no_verdict, steps, write_json

if TYPE_CHECKING:
    from rng_certification.certification import Certificate
    from rng_certification.collect.noise_folder import NoiseOrigin
    from rng_certification.sp800_90b.samples import Samples


def noise(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|FOLDER|-",
            help="Samples, one per byte; the folder of a collection of noise; - is standard input.",
        ),
    ],
    sample_bits: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=8,
            metavar="1..8",
            help="Bits per sample, the lowest ones of each byte. 1 for a collection.",
        ),
    ] = None,
    claim: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=8.0,
            metavar="BITS",
            help="Claimed min-entropy per sample. With 0, no claim is tested (default: the claim "
            "of a collected machine; 0 for a file).",
        ),
    ] = None,
    independent: Annotated[
        bool,
        typer.Option(
            "--independent",
            help="Samples are claimed to be independent and identically distributed: "
            "test that too. Takes about a minute more.",
        ),
    ] = False,
    restarts: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="The first 1000 samples of each of 1000 restarts, one by one, or the folder of "
            "their collection.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write data, restart data, assessment, description and hashes to a new folder.",
        ),
    ] = None,
    number: Annotated[
        int,
        typer.Option(
            "--samples",
            min=1_000_000,
            metavar="N",
            help="Number of samples to read from the start.",
        ),
    ] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the shuffles with --independent.")] = 0,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON; - prints it.")
    ] = None,
) -> None:
    """Assess a noise source by SP 800-90B: ten estimators, independence, restarts.

    Raw samples, in the order of sampling, before any conditioning. The smallest of the estimates
    counts, of samples and of their bits. The samples of a ring oscillator depend on each other, so
    a collection from a device is assessed without assuming independence.

    Exit 0: the estimate reaches the claim. Exit 1: it does not. Exit 2: no usable data, or fewer
    than a million samples.

    Examples:

      cutcard certify noise oscillator.bin --sample-bits 1 --claim 0.5

      cutcard certify noise noise --restarts restarts --out assessed

      cutcard certify noise - --sample-bits 8 --claim 4 --restarts restarts.bin --json -
    """
    if not independent:
        refuse(context, "only valid with --independent, which uses random numbers", "seed")
    collected = source != "-" and Path(source).is_dir()
    if collected and independent:
        raise typer.BadParameter(
            "the samples of a device's ring oscillator are not independent: leave it out",
            param_hint="--independent",
        )
    if sample_bits is None:
        if not collected:
            raise typer.BadParameter("is required for a file", param_hint="--sample-bits")
        sample_bits = 1
    # Kernels and their compiler are loaded only here, so that other commands start quickly.
    from rng_certification.base.judgement import judge
    from rng_certification.base.reading import UnusableDataError
    from rng_certification.certification import Certificate
    from rng_certification.collect.manifest import OtherCollectionError
    from rng_certification.collect.noise_folder import (
        OtherDeviceError,
        describe,
        require_new,
        require_one_device,
        write_folder,
    )
    from rng_certification.sp800_90b.examination import examine

    with answering(json_to):
        try:
            samples, origin = _read(source, sample_bits, number)
            starts, restart_origin = _read_restarts(restarts, sample_bits)
            require_one_device(origin, restart_origin)
            if out is not None:
                require_new(out)
        except UnusableDataError as unusable:
            no_verdict(str(unusable), unusable.offset, json_to)
        except (OtherCollectionError, OtherDeviceError, FileExistsError) as error:
            no_verdict(str(error), None, json_to)
        except OSError as error:
            no_verdict(f"cannot read {error.filename or source}: {error.strerror}", None, json_to)
        claimed = origin.claim if claim is None else claim
        if claimed > sample_bits:
            raise typer.BadParameter(
                f"a sample of {sample_bits} bits cannot have more entropy than that",
                param_hint="--claim",
            )
        with steps() as advance:
            done = examine(
                samples,
                claimed,
                independent=independent,
                restarts=starts,
                seed=seed,
                advance=advance,
            )
        certificate = Certificate(
            "noise",
            unit=done.unit,
            sample=done.sample,
            bytes=done.sample,
            sha256=hashlib.sha256(samples.raw.tobytes()).hexdigest(),
            judgement=judge(done.findings),
            details={
                "sample_bits": sample_bits,
                "simulated": origin.simulated,
                "origin": dict(origin.facts),
                **done.figures,
            },
        )
        text = json.dumps(certificate.as_json(), indent=2)
        if json_to is not None:
            write_json(text, json_to)
        if out is not None:
            description = describe(origin, restart_origin, _assessed(certificate))
            write_folder(
                out, samples.raw, None if starts is None else starts.raw, text, description
            )
        if json_to != "-":
            _print(certificate, source, origin)
            if out is not None:
                typer.echo(f"folder: {out}")
        raise typer.Exit(0 if certificate.judgement.passed else 1)


def _read(source: str, bits: int, number: int) -> tuple[Samples, NoiseOrigin]:
    from rng_certification.base.reading import UnusableDataError
    from rng_certification.collect.collected_noise import in_a_row
    from rng_certification.collect.noise_folder import NoiseOrigin
    from rng_certification.sp800_90b.samples import Samples

    origin = NoiseOrigin()
    if source == "-":
        data = sys.stdin.buffer.read(number)
    elif Path(source).is_dir():
        data, origin = in_a_row(Path(source), number)
        data = data[:number]
    else:
        with Path(source).open("rb") as stream:
            data = stream.read(number)
    samples = Samples.of(data, bits)
    if len(samples) < number:
        raise UnusableDataError(
            f"too little data for a verdict: {len(samples)} samples, at least {number} are needed"
        )
    return samples, origin


def _read_restarts(path: Path | None, bits: int) -> tuple[Samples | None, NoiseOrigin | None]:
    from rng_certification.base.reading import UnusableDataError
    from rng_certification.collect.collected_noise import restarts
    from rng_certification.collect.noise_folder import NoiseOrigin
    from rng_certification.sp800_90b.restart import EACH, STARTS
    from rng_certification.sp800_90b.samples import Samples

    if path is None:
        return None, None
    origin = NoiseOrigin()
    if path.is_dir():
        data, origin = restarts(path)
        data = data[: STARTS * EACH]
    else:
        with path.open("rb") as stream:
            data = stream.read(STARTS * EACH + 1)
    if len(data) != STARTS * EACH:
        found = len(data) if len(data) < STARTS * EACH else "more"
        raise UnusableDataError(
            f"{path} has {found} samples; restart data is the first {EACH} samples of each of "
            f"{STARTS} restarts, {STARTS * EACH} bytes"
        )
    return Samples.of(data, bits), origin


def _assessed(certificate: Certificate) -> dict[str, str]:
    """Return the result of the assessment, for the description."""
    entropy = certificate.details["entropy"]
    return {
        "verdict": certificate.judgement.verdict,
        "samples": f"{certificate.sample:,}",
        "track": entropy["track"],
        "claimed": f"{entropy['claim']:g} bits per sample",
        "assessed": f"{entropy['assessed']:.6f} bits per sample",
        "credited": f"{entropy['credited']:.6f} bits per sample",
        "failed": ", ".join(test.finding.name for test in certificate.judgement.failures) or "none",
    }


def _print(certificate: Certificate, source: str, origin: NoiseOrigin) -> None:
    console = Console()
    if origin.simulated:
        console.print(origin.statement)
    entropy = certificate.details["entropy"]
    rows = []
    for row in entropy["estimates"]:
        found = row["skipped"] if row["entropy"] is None else f"{row['entropy']:.6f}"
        rows.append((row["name"], "samples" if row["of"] == "literal" else "bits", found))
    headings = ("estimator", "of", "min-entropy")
    title = f"{source}: {certificate.sample:,} samples"
    show_table(headings, rows, title=title, numbers=headings[2:])
    console.print(f"track: {entropy['track']}; claimed {entropy['claim']:g} bits per sample")
    console.print(f"assessed {entropy['assessed']:.6f}, credited {entropy['credited']:.6f}")
    judgement = certificate.judgement
    for test in judgement.failures:
        console.print(f"[red]fail[/red] {test.finding.name}: {test.finding.statistic:g}")
    console.print(f"sha256 {certificate.sha256}", soft_wrap=True)
    colour = "green" if judgement.passed else "red"
    console.print(f"[bold {colour}]{judgement.verdict.upper()}[/bold {colour}]")
