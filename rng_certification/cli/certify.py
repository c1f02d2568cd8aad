"""`cutcard certify`: run a campaign or judge data from any source, with the options of both."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.options import refuse_all_but
from cutcard.keys.passphrase import PassphraseFile
from rng_certification.cli.commands import Commands
from rng_certification.cli.report_options import CoverFile, KeyName, OnCover, cover_of, signer_of

app = typer.Typer(cls=Commands, rich_markup_mode="rich", pretty_exceptions_enable=False)


class DataKind(StrEnum):
    bits = "bits"
    draws = "draws"
    shuffles = "shuffles"
    presses = "presses"
    steps = "steps"


_DATA = "Data from any source"
_CAMPAIGN = "A certificate"
_OF_DATA = (
    "source",
    "kind",
    "span",
    "prizes",
    "deck",
    "machine",
    "column",
    "first",
    "until",
    "json_to",
    "out",
    "cover",
    "on_cover",
    "key",
    "passphrase_file",
)
_OF_A_PLAN = (
    "plan_only",
    "machine",
    "decks",
    "prizes",
    "rulebooks",
    "profile",
    "evidence",
    "seed",
    "nonce",
    "batteries",
    "port",
)


@app.callback(invoke_without_command=True)
def certify(
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Option(
            "--input",
            metavar="FILE|-",
            help="Judge this data instead; - is standard input.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    kind: Annotated[
        DataKind | None,
        typer.Option(
            help="bits: raw bytes. draws: little-endian uint32. shuffles: little-endian "
            "uint16, one record per shuffle, each a permutation of 0..N-1. presses: "
            "of a jackpot's buttons. steps: of a continuous shuffler. Or text: "
            "zeros and ones; or one per line: a draw; a shuffle; table, box, time "
            "in ms, prize; round, dealt CARD, fed CARD.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    span: Annotated[
        int | None,
        typer.Option("--range", metavar="N", help="Draws are of 0..N-1.", rich_help_panel=_DATA),
    ] = None,
    prizes: Annotated[
        str | None,
        typer.Option(
            "--prizes",
            metavar="ID,...",
            help="Prize tables of the product: madness-21, pontoon-pandemonium-1 to -10. "
            "With --input: draws are numbers of prizes from 0, of this table; for "
            "presses: one for each table, separated by commas.",
        ),
    ] = None,
    deck: Annotated[
        int | None,
        typer.Option(
            "--deck",
            metavar="N",
            help="Cards in a shuffle, or in the machine.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="The machine of the certificate: any name of `cutcard machine list`, or "
            "a machine file (default: carousel-60). With --input: steps are of this "
            "machine.",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|N",
            help="Draws are in this column of a CSV file: its heading, or its number from 1.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    first: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Draws in a text file are numbered from N, not from 0.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="VOLUME|TIME",
            help="Judge the data repeatedly as it grows, at 1 MiB, 2 MiB, 4 MiB ... up "
            "to 64GB, or to the first look after 1h. A failure ends it early; a "
            "pass is only given at the end.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    json_to: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write JSON; - prints it.")
    ] = None,
    decks: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Decks in the machine (default: the most that it allows).",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    rulebooks: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="The rulebooks that the product is used with (default: all except "
            "crown-melbourne-26, because its house edge is too small for a continuous shuffler).",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    profile: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="all, lab (all with a laboratory's sample sizes: hours), one of gli-11, gli-19, "
            "nz-division-2, sp800-22, shuffler, or your own TOML file "
            "(docs/how-to/certify.md).",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = "all",
    require: Annotated[
        str | None,
        typer.Option(
            metavar="A,C,D",
            help="Only these layers decide the exit code.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A measurement of the built machine, as written by `cutcard certify "
            "evidence`; may be repeated.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The certificate's folder, certification-MACHINE by default; an interrupted "
            "campaign in it is resumed. With --input: the folder of the report.",
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Repeat the campaign with this seed. By default a fresh one is drawn, "
            "and written into the plan before the run.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    nonce: Annotated[
        str | None,
        typer.Option(
            "--applicant-nonce",
            metavar="TEXT",
            help="The applicant's choice; the fresh seed depends on it and on a random "
            "number drawn here, so that one side cannot choose it.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="tcp://HOST:PORT",
            help=(
                "Run on this Dask cluster instead of all cores here; the results are "
                "identical bytes."
            ),
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Number of cores (default: all).", rich_help_panel=_CAMPAIGN
        ),
    ] = None,
    batteries: Annotated[
        bool,
        typer.Option(
            "--batteries",
            help="Also dieharder, if it is installed: some minutes more.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = False,
    port: Annotated[
        str | None,
        typer.Option(
            metavar="PORT",
            help="Also test the device at this port, in laboratory mode: no cards inside.",
            rich_help_panel=_CAMPAIGN,
        ),
    ] = None,
    plan_only: Annotated[
        bool,
        typer.Option("--plan", help="Print the plan and exit.", rich_help_panel=_CAMPAIGN),
    ] = False,
    cover: CoverFile = None,
    on_cover: OnCover = None,
    key: KeyName = None,
    passphrase_file: PassphraseFile = None,
) -> None:
    """Certify one product, or judge random data from any source.

    Without --input a certificate covers one product: firmware, one machine file, its decks and its
    prize tables. The plan is written first, then every part runs on all cores, about two minutes on
    two. The same command resumes an interrupted campaign. Each layer A to G passes, fails, is open
    (a required measurement is missing) or does not apply. All tests form one family: a good source
    fails with a chance of at most 0.005. The report (HTML, PDF) is signed with --key; `cutcard
    certify verify` checks it.

    Exit 1: fail. Exit 2: no verdict, or invalid usage. Exit 3: open items and no failure. Exit 0:
    pass, or with --require: the required layers pass.

    Examples:

      cutcard certify

      cutcard certify --machine drum-60 --require A,C,D

      cutcard certify --machine my-carousel.toml --decks 6 --evidence mechanics.json

      cutcard certify --machine controller-4 --prizes madness-21 --profile nz-division-2

      cutcard certify --profile lab --out lab-2026 --scheduler tcp://cluster:8786

      cutcard certify --input noise.bin --kind bits

      cutcard certify --input draws.bin --kind draws --range 38 --json -

      cutcard certify --input log.csv --kind draws --range 38 --column number --first 1

      cutcard certify --input button.bin --kind draws --prizes madness-21

      cutcard certify --input draws.csv --kind draws --range 38 --out own --key house-2026

      ./my-shuffler | cutcard certify --input - --kind shuffles --deck 52

      ./my-generator | cutcard certify --input - --kind bits --until 64GB

      cutcard certify --input presses.csv --kind presses --prizes madness-21,madness-21

      cutcard certify --input history.txt --kind steps --machine carousel-60 --deck 416
    """
    if context.invoked_subcommand is not None:
        refuse_all_but(
            context,
            "invalid before the command "
            f"{context.invoked_subcommand}: move it after the "
            "command, or remove it",
        )
        return
    if plan_only:
        refuse_all_but(
            context, "cannot be combined with --plan, which only prints the plan", _OF_A_PLAN
        )
    if source is None:
        _refuse_without_input(
            kind=kind, range=span, deck=deck, until=until, column=column, first=first
        )
        if seed is not None and nonce is not None:
            raise typer.BadParameter(
                "only valid with a fresh seed: omit --seed", param_hint="--applicant-nonce"
            )
        if not plan_only:  # loading takes seconds on a busy computer
            typer.echo("Loading the tests.", err=True)
        from rng_certification.cli.campaign import CampaignOptions, run_campaign

        signer = signer_of(key, passphrase_file, as_json=json_to == "-")
        run_campaign(
            CampaignOptions(
                machine,
                decks,
                prizes,
                rulebooks,
                profile,
                require,
                evidence or (),
                seed,
                nonce,
                batteries,
                port,
            ),
            out=out,
            scheduler=scheduler,
            processes=processes,
            plan_only=plan_only,
            json_to=json_to,
            cover=cover_of(cover, on_cover),
            signer=signer,
        )
    refuse_all_but(
        context, "only valid for a campaign: it cannot be combined with --input", _OF_DATA
    )
    if kind is None:
        raise typer.BadParameter(
            "the kind of the data is required: " + ", ".join(DataKind), param_hint="--kind"
        )
    if out is None and (cover is not None or on_cover):
        raise typer.BadParameter(
            "requires --out FOLDER, which stores the report", param_hint="--cover"
        )
    if out is None and key is not None:
        raise typer.BadParameter(
            "requires --out FOLDER, which stores the report to sign", param_hint="--key"
        )
    signer = signer_of(key, passphrase_file, as_json=json_to == "-")
    from rng_certification.cli.given_data import DataDescription, judge_data

    judge_data(
        source,
        kind=kind,
        about=DataDescription(span, deck, prizes, machine, until, column, first),
        json_to=json_to,
        out=out,
        cover=cover_of(cover, on_cover),
        signer=signer,
    )


def _refuse_without_input(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise typer.BadParameter("only valid with --input", param_hint=f"--{name}")
