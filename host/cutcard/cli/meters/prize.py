"""`cutcard prize`: tables for a controller, its key, its draws, and the check of them."""

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
    help="Jackpot prizes: the tables, a controller's public key, and the check of what it drew.",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")]
Port = Annotated[
    str,
    typer.Argument(
        metavar="PORT",
        help="Of the controller: /dev/ttyACM0, or the port that `cutcard bench` prints.",
    ),
]


@app.command("table")
def table(
    name: Annotated[str, typer.Argument(help="Of a rulebook; without it, all are listed.")] = "",
    as_json: AsJson = False,
) -> None:
    """Print a rulebook's table of prizes as a controller takes it: NUMBER AMOUNT, line by line.

    Its SHA-256 is what every draw from it names, so anybody can compute it:

        cutcard prize table madness-21 | sha256sum
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
    """Print a controller's public key: publish it, and anybody can check what it draws.

    The private half was made on the device and never leaves it. Exit 1: the device refused.

        cutcard prize key /dev/ttyACM0 > published.hex

    With --json it also says how many draws there were: so nobody can leave out the last ones.
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
    file: Annotated[Path, typer.Argument(help="Where to write them; what it held is replaced.")],
    as_json: AsJson = False,
) -> None:
    """Write down the draws that a controller keeps, those of the rounds that are on.

    A line of JSON each, signature and all: what `cutcard prize verify` reads. Older draws are
    in the journal of whoever was connected. Exit 1: the device refused.

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
    file: Annotated[Path, typer.Argument(help="Draws, a line of JSON each.")],
    public_key: Annotated[
        str, typer.Option("--public-key", metavar="HEX|FILE", help="The controller's, published.")
    ],
    tables: Annotated[
        list[Path] | None,
        typer.Option("--table", metavar="FILE", help="Text of a table of prizes (repeatable)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check draws without the controller and without any secret.

    Every signature must be the public key's, every prize one of its table's, and each record
    must name the one before it: what was left out shows. With --table the amounts are compared
    too. The rulebooks' own tables are known. Exit 0: all of it holds; 1: something does not; 2:
    a file cannot be read.

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
        verdict = "all of it holds" if found.ok else "NOT all of it holds"
        print(
            f"{found.draws} draws, numbers {found.first} to {found.last}, "
            f"{found.priced} compared with their table: {verdict}."
        )
        if found.first > 1:
            print(f"What was drawn before number {found.first} is not in this file.")
    raise typer.Exit(0 if found.ok else 1)


def _wrong(problem: str, as_json: bool) -> NoReturn:
    if as_json:
        print(json.dumps({"ok": False, "error": problem}))
    else:
        complain(problem)
    raise typer.Exit(2)
