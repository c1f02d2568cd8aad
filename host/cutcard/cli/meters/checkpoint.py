"""`cutcard meter checkpoint`: signs the ledger, and leaves the checkpoint in another place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.meters.arguments import DatabaseOption, JsonFlag, with_meters
from cutcard.cli.options import called_wrongly, complain
from cutcard.journal import BadTableKeyError, TableKey
from cutcard.meters.checkpoints import LedgerCheckpoints, key_of
from cutcard.meters.meters import Meters
from cutcard.transparency import BadCheckpointError, parsed
from cutcard.transparency.submission import SubmissionError, archive


def checkpoint(
    signing_key: Annotated[
        Path,
        typer.Option(
            help="The key of this ledger's checkpoints; it is made if the file is missing. The "
            "checkpoints are stored beside it."
        ),
    ],
    witness: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL|FILE",
            help="A witness that cosigns the checkpoint, or a file on another disk; may be "
            "repeated.",
        ),
    ] = None,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Sign the number of entries and their Merkle root, and leave that in another place.

    `cutcard meter verify --checkpoints FILE` then finds a ledger that lost its end or was
    rewritten. Run it after each shift.

    Exit 0: it is signed, and each witness has it. 1: a witness has not, or the ledger does not
    continue the one that was signed before. 2: called wrongly.
    """
    try:
        key = TableKey.at(signing_key)
    except BadTableKeyError as error:
        called_wrongly(str(error))
    stored = LedgerCheckpoints(key, signing_key.with_name(f"{signing_key.name}.checkpoints"))

    def sign(meters: Meters) -> None:
        entries = meters.history()
        failed = []
        try:
            note = stored.sign(entries)
        except (BadCheckpointError, SubmissionError) as error:
            called_wrongly(f"{stored.path}: {error}")
        for each in witness or ():
            try:
                if each.startswith(("http://", "https://")):
                    note = stored.send(note, each, entries)
                else:
                    archive(Path(each), note)
            except SubmissionError as error:
                failed.append(f"{each.partition('#')[0]}: {error}")
        if as_json:
            said = {"size": parsed(note).checkpoint.size, "public": key.public, "failed": failed}
            print(json.dumps({"ok": not failed, **said, "note": note}))
        else:
            typer.echo(f"{key_of(key.public)}\n\n{note}", nl=False)
            for problem in failed:
                complain(problem)
        raise typer.Exit(1 if failed else 0)

    with_meters(database, as_json, sign)
