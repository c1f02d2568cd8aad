"""The source of a passphrase: a file, the environment, or a prompt.

It is never on the command line, which every user of the computer can read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from cutcard import untrusted
from cutcard.keys.errors import NoPassphraseError

VARIABLE = "CUTCARD_PASSPHRASE"
MOST_BYTES = 4 * untrusted.KIBIBYTE
PassphraseFile = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file",
        metavar="FILE",
        help=f"The file's first line is the passphrase. Default: ${VARIABLE}, or a prompt.",
    ),
]


def passphrase(file: Path | None, of: str, twice: bool = False) -> str:
    """Return the passphrase of the key `of`; `twice` asks for it again to detect typing errors."""
    if file is not None:
        try:
            lines = untrusted.text_of(untrusted.content(file, MOST_BYTES)).splitlines()
        except (OSError, untrusted.BadContentError) as error:
            raise NoPassphraseError(
                f"{file}: the passphrase cannot be read: {untrusted.why_unreadable(error)}.",
                "Give another file.",
            ) from None
        return lines[0] if lines else ""
    if VARIABLE in os.environ:
        return os.environ[VARIABLE]
    if not sys.stdin.isatty():
        raise NoPassphraseError(
            f"the passphrase of {of!r} is missing, and there is no terminal to ask for it.",
            f"Give --passphrase-file FILE, or set {VARIABLE}.",
        )
    typed: str = typer.prompt(
        f"Passphrase of {of}", hide_input=True, confirmation_prompt=twice, err=True
    )
    return typed
