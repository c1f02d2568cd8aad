"""`cutcard certify collect`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from cutcard.cli.options import refuse
from cutcard.machines import DEFAULT_MACHINE
from cutcard.progress import working

INTERRUPTED = 130


class CollectKind(StrEnum):
    noise = "noise"
    bits = "bits"
    draws = "draws"
    shuffles = "shuffles"
    cards = "cards"
    prizes = "prizes"
    presses = "presses"


T = TypeVar("T")
MACHINES = {CollectKind.shuffles: "drum-60"}


def collect(
    context: typer.Context,
    where: Annotated[
        str, typer.Option("--from", metavar="bench|twin|PORT", help="The source of the data.")
    ],
    what: Annotated[
        CollectKind,
        typer.Option(
            help="noise: raw samples. bits: raw output of the generator. draws: numbers "
            "below --range. prizes: numbers of --prizes. presses: the same at four "
            "tables, with box and time. shuffles: orders of a pack. cards: a "
            "continuous shuffler's history."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the data and the manifest (default: named like the data).",
        ),
    ] = None,
    number: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Samples, bytes, draws, presses, shuffles or cards."),
    ] = 100_000,
    restarts: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Noise only: the first 1,000 samples after each of N restarts instead. "
            "SP 800-90B needs 1000.",
        ),
    ] = None,
    power: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="With --restarts: a command that switches the device's power off and on. Without "
            "it the device is reset over the wire, which is not a power cycle.",
        ),
    ] = "",
    temperature: Annotated[
        str, typer.Option(metavar="TEXT", help="Noise only: recorded as entered.")
    ] = "",
    supply: Annotated[
        str, typer.Option(metavar="TEXT", help="Supply voltage, recorded as entered.")
    ] = "",
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Machine of the bench or twin (default: carousel-60, for shuffles drum-60).",
        ),
    ] = None,
    span: Annotated[
        int | None, typer.Option("--range", metavar="N", help="Draws are of 0..N-1.")
    ] = None,
    deck: Annotated[
        int, typer.Option(metavar="N", help="Cards of a shuffle, a multiple of 52.")
    ] = 52,
    decks: Annotated[int, typer.Option(metavar="N", help="Decks in a continuous shuffler.")] = 6,
    prizes: Annotated[
        str | None,
        typer.Option(metavar="ID", help=("A rulebook's prize table, such as madness-21.")),
    ] = None,
    seed: Annotated[
        str, typer.Option(metavar="TEXT", help=("Name that determines the data of bench and twin."))
    ] = "cutcard",
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest.")] = False,
) -> None:
    """Collect raw output or final outcomes, with a manifest that describes them.

    The manifest has the SHA-256 of every file, the parameters, fingerprints of the firmware, and
    the differences between bench, board and twin. Ctrl-C and a kill lose at most a second; the same
    command resumes the collection. Noise, bits and draws come from laboratory mode, which a device
    enters only with no cards inside and leaves by reseeding.

    Exit 0: all collected. Exit 1: the device refused or failed; the collected data is kept.

    Examples:

      cutcard certify collect --from bench --what bits --number 1000000 --out bits

      cutcard certify collect --from /dev/ttyACM0 --what noise --number 1000000 --out noise

      cutcard certify collect --from /dev/ttyACM0 --what noise --restarts 1000 --temperature "23 C"

      cutcard certify collect --from bench --what shuffles --number 1000 --out orders
    """
    from cutcard.bench.client import BenchError
    from cutcard.devices.errors import BadPortError, DeviceError
    from cutcard.machines import MachineFileError
    from rng_certification.collect.benches import DisturbedError
    from rng_certification.collect.collecting import collect as run
    from rng_certification.collect.collection_request import RESTARTS, CollectionRequest
    from rng_certification.collect.manifest import OtherCollectionError
    from rng_certification.collect.restarts import RestartError
    from rng_certification.collect.sources import CannotCollectError, require_possible, source_of
    from rng_certification.jackpot.prizes import UnknownPrizesError

    if what is not CollectKind.shuffles:
        refuse(context, "only valid with --what shuffles", "deck")
    if what is not CollectKind.cards:
        refuse(context, "only valid with --what cards", "decks")
    if where not in ("bench", "twin"):
        refuse(
            context,
            "only valid with --from bench or twin: a device has a fixed machine",
            "seed",
            "machine",
        )
    if what is not CollectKind.noise:
        refuse(context, "only valid with --what noise", "restarts", "temperature", "supply")
    if restarts is None:
        refuse(context, "only valid with --restarts", "power")
    else:
        refuse(context, "not valid with --restarts, which gives the number", "number")
    if where in ("bench", "twin"):
        refuse(context, "only valid with --from PORT", "power")
    kind = RESTARTS if restarts else what.value
    number, folder = restarts or number, out or Path(kind)
    chosen = machine or MACHINES.get(what, DEFAULT_MACHINE)
    asked = CollectionRequest(
        kind,
        machine=chosen,
        span=_with(what is CollectKind.draws, "--range", span),
        deck=deck if what is CollectKind.shuffles else None,
        decks=decks if what is CollectKind.cards else None,
        prizes=_with(what in (CollectKind.prizes, CollectKind.presses), "--prizes", prizes),
    )
    try:
        require_possible(asked)
        with working(f"collecting {kind} from {where}", number) as work:
            manifest = run(
                source_of(where, power),
                asked,
                number,
                seed,
                folder,
                work.advance,
                _conditions(restarts, power, temperature, supply),
            )
    except (
        CannotCollectError,
        OtherCollectionError,
        UnknownPrizesError,
        MachineFileError,
        BadPortError,
    ) as error:
        raise typer.BadParameter(str(error)) from error
    except (DeviceError, BenchError, DisturbedError, RestartError) as error:
        typer.echo(
            f"cutcard certify collect: {error}\nThe collected data is in {folder}.", err=True
        )
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        typer.echo(
            f"\nStopped. The collected data is in {folder}: run the same command to resume.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    if as_json:
        typer.echo(json.dumps(manifest.data, indent=1))
        return
    for file in manifest.data["files"]:
        typer.echo(f"{file['sha256']}  {folder / file['name']}  {file['records']:,} {kind}")
    if manifest.data["simulated"]:
        typer.echo(f"simulated: the data comes from the {manifest.data['from']}, not from a board")
    typer.echo(f"manifest: {folder / 'manifest.json'}")


def _conditions(restarts: int | None, power: str, temperature: str, supply: str) -> dict[str, str]:
    """Return the conditions of a collection, as entered."""
    from rng_certification.collect.restarts import method

    entered = {"temperature": temperature, "supply": supply}
    if restarts:
        entered["restart"] = method(power)
    return {name: text for name, text in entered.items() if text}


def _with(applies: bool, option: str, value: T | None) -> T | None:
    if applies and value is None:
        raise typer.BadParameter("is required for this kind of data", param_hint=option)
    if not applies and value is not None:
        raise typer.BadParameter("is not valid for this kind of data", param_hint=option)
    return value
