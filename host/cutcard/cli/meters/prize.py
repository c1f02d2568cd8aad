"""`cutcard prize`: prize tables for a controller, its key, its draws, and their verification."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cutcard.cli.devices.device_errors import fail
from cutcard.cli.options import complain
from cutcard.columns import show_table
from cutcard.devices.controller import Controller
from cutcard.devices.errors import DeviceError
from cutcard.prizes.tables import rulebook_tables
from cutcard.prizes.verify import BadFileError, read_draws, read_public_key, read_tables, verify

app = typer.Typer(
    help="Jackpot prizes: tables, a controller's public key, and the verification of draws.",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")]
Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="Port of the controller: /dev/ttyACM0, or the port that `cutcard bench` prints.",
    ),
]


@app.command("table")
def table(
    name: Annotated[str, typer.Argument(help="A table of a rulebook; default: list all.")] = "",
    as_json: AsJson = False,
) -> None:
    """Print a rulebook's table of prizes in a controller's format: NUMBER AMOUNT, line by line.

    Every draw contains its SHA-256, which can be computed from the output:

        cutcard prize table madness-21

    sha256sum
    """
    tables = rulebook_tables()
    if not name:
        rows = [
            {"name": each, "prizes": total, "sha256": sha256(text.encode()).hexdigest()}
            for each, (text, total) in tables.items()
        ]
        if as_json:
            print(json.dumps({"tables": rows}))
        else:
            cells = [tuple(map(str, row.values())) for row in rows]
            show_table(("name", "prizes", "SHA-256 of its text"), cells)
        return
    if name not in tables:
        _wrong(f"there is no table {name!r}: use one of {', '.join(tables)}", as_json)
    text, total = tables[name]
    digest = sha256(text.encode()).hexdigest()
    if as_json:
        print(json.dumps({"name": name, "prizes": total, "sha256": digest, "text": text}))
    else:
        print(text, end="")


@app.command("key")
def key(
    port: Port,
    renew: Annotated[
        bool,
        typer.Option("--renew", help="Make a new key first, after the fault state-lost."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print a controller's public key; after publication, anyone can verify its draws.

    The private key was made on the device and never leaves it. Exit 1: the device refused.

        cutcard prize key /dev/ttyACM0 > published.hex

    With --json it also prints the number of draws, so that missing last draws are detected.
    """
    try:
        with Controller.open(port) as controller:
            if renew:
                controller.renew()
            identity = controller.identity()
            serial = controller.serial
    except DeviceError as error:
        fail(error, as_json, port)
    if as_json:
        said = {"serial": serial, "public_key": identity.public_key.hex(), "draws": identity.draws}
        print(json.dumps(said))
    else:
        print(identity.public_key.hex())


@app.command("export")
def export(
    port: Port,
    file: Annotated[Path, typer.Argument(help="The output file; an existing one is replaced.")],
    as_json: AsJson = False,
) -> None:
    """Export the draws stored by a controller, those of the rounds in progress.

    The file has one line of JSON for each draw, with its signature, for `cutcard prize verify`.
    Older draws are in the journal of the connected host. Exit 1: the device refused.

        cutcard prize export /dev/ttyACM0 draws.jsonl
    """
    try:
        with Controller.open(port) as controller:
            draws = controller.draws()
    except DeviceError as error:
        fail(error, as_json, port)
    try:
        file.write_text("".join(json.dumps(draw.as_json()) + "\n" for draw in draws), "utf-8")
    except OSError as error:
        _wrong(f"{file} cannot be written: {error.strerror}. Name another file", as_json)
    if as_json:
        print(json.dumps({"file": str(file), "draws": len(draws)}))
    else:
        print(f"{file}: {len(draws)} draws")


@app.command("verify")
def verify_file(
    file: Annotated[Path, typer.Argument(help="Draws, one line of JSON each.")],
    public_key: Annotated[
        str, typer.Option("--public-key", metavar="HEX|FILE", help="The controller's, published.")
    ],
    tables: Annotated[
        list[Path] | None,
        typer.Option("--table", metavar="FILE", help="Text of a table of prizes (repeatable)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Verify draws without the controller and without any secret.

    Every signature must be valid for the public key, every prize must be in its table, and each
    record must name its predecessor, so that missing draws are detected. With --table the amounts
    are compared, too; the rulebooks' own tables are known. Exit 0: all draws are valid; 1: some are
    not; 2: a file cannot be read.

        cutcard prize verify draws.jsonl --public-key published.hex
    """
    try:
        key = read_public_key(public_key)
        draws = read_draws(file)
        texts = [text.encode() for text, _ in rulebook_tables().values()]
        known = {sha256(text).digest(): text for text in texts}
        found = verify(draws, key, known | read_tables(tables or ()))
    except BadFileError as error:
        _wrong(str(error), as_json)
    if as_json:
        print(json.dumps({"ok": found.ok, **vars(found)}))
    else:
        for problem in found.problems:
            complain(problem)
        verdict = "all are valid" if found.ok else "NOT all are valid"
        print(
            f"{found.draws} draws, numbers {found.first} to {found.last}, "
            f"{found.priced} compared with their table: {verdict}."
        )
        if found.first > 1:
            print(f"Draws before number {found.first} are not in this file.")
    raise typer.Exit(0 if found.ok else 1)


def _wrong(problem: str, as_json: bool) -> NoReturn:
    if as_json:
        print(json.dumps({"ok": False, "error": problem}))
    else:
        complain(problem)
    raise typer.Exit(2)
