"""`cutcard witness`: a second computer of the house that cosigns the journals of its tables."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.options import called_wrongly
from cutcard.journal import BadTableKeyError, TableKey
from cutcard.keys.public_half import BadPublicKeyError, read_public_key
from cutcard.meters.checkpoints import key_of as ledger_key_of
from cutcard.table.replay.witnessing import key_of
from cutcard.transparency import VerifierKey
from cutcard.transparency.serving import WitnessServer
from cutcard.transparency.witness import Witness

KEY = "witness.key"


def witness(
    folder: Annotated[
        Path,
        typer.Argument(help="The folder of the witness, with its key and the last checkpoints."),
    ],
    table: Annotated[
        list[str] | None,
        typer.Option(metavar="HEX|FILE", help="The public key of a table (repeatable)."),
    ] = None,
    meters: Annotated[
        list[str] | None,
        typer.Option(metavar="HEX|FILE", help="The public key of a ledger of prize meters."),
    ] = None,
    bind: Annotated[
        str, typer.Option(help="The address to listen on; for other computers, use a TLS proxy.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="0: any free port.")
    ] = 8031,
    show_key: Annotated[
        bool, typer.Option("--key", help="Print the verifier key of the witness, and exit.")
    ] = False,
) -> None:
    """Cosign the checkpoints of tables, as long as each journal only grows.

    Run it on another computer than the tables. It implements C2SP tlog-witness (add-checkpoint),
    stores the last checkpoint of each table in its folder, and never cosigns a journal that lost or
    changed a record. An auditor compares with `cutcard journal verify --checkpoints`.

    The printed line is the value of `cutcard table run --witness`. Ctrl-C ends it.
    """
    try:
        own = TableKey.at(folder / KEY)
    except BadTableKeyError as error:
        called_wrongly(str(error))
    public = bytes.fromhex(own.public)
    key = VerifierKey(f"cutcard/witness/{own.public[:16]}", public, cosigns=True)
    if show_key:
        typer.echo(str(key))
        return
    try:
        logs = [key_of(read_public_key(each).hex()) for each in table or ()]
        logs += [ledger_key_of(read_public_key(each).hex()) for each in meters or ()]
    except BadPublicKeyError as error:
        called_wrongly(str(error))
    if not logs:
        called_wrongly("name the public key of each table: --table tables/seven/table.public")
    found = Witness(folder, key, own.signature, logs, time.time)
    try:
        server = WitnessServer((bind, port), found)
    except OSError as error:
        called_wrongly(f"{bind}:{port}: {error.strerror}")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a service ends in order, too
    with server, suppress(KeyboardInterrupt):
        typer.echo(f"http://{bind}:{server.server_address[1]}#{key}")
        server.serve_forever()
