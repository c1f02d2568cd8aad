"""Options of every command that writes a report: its signing key and its cover."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rng_certification.cli.answering import NO_VERDICT

if TYPE_CHECKING:
    from rng_certification.base.signing import ReportSigner

KeyName = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="NAME",
        help="Sign with this key: `cutcard keys make NAME --purpose report` makes one.",
    ),
]
CoverFile = Annotated[
    Path | None,
    typer.Option(
        "--cover",
        metavar="FILE.toml",
        help="Entries of the cover: report, date, applicant, laboratory, evaluator, "
        "product, firmware, board.",
    ),
]
OnCover = Annotated[
    list[str] | None,
    typer.Option(
        "--on-cover", metavar="NAME=TEXT", help="One entry of the cover; may be repeated."
    ),
]


def cover_of(file: Path | None, lines: list[str] | None) -> dict[str, str]:
    """Read the report's cover details before the campaign starts."""
    from rng_certification.report.cover import BadCoverError, cover_entries

    try:
        return cover_entries(file, lines or ())
    except BadCoverError as bad:
        raise typer.BadParameter(str(bad), param_hint="--cover, --on-cover") from bad


def signer_of(key: str | None, passphrase_file: Path | None, as_json: bool) -> ReportSigner | None:
    """Return the opened key, or None without a key.

    Asks for the passphrase before the campaign starts, so that a wrong one fails early.
    """
    if key is None:
        if passphrase_file is not None:
            raise typer.BadParameter("only valid with --key", param_hint="--passphrase-file")
        return None
    from cutcard.cli.boards.keys import fail
    from cutcard.keys import SigningKeyError
    from rng_certification.base.signing import open_signer

    try:
        return open_signer(key, passphrase_file)
    except SigningKeyError as error:
        with suppress(typer.Exit):  # with the exit codes of `cutcard keys`, where 1 is no verdict
            fail(error, as_json)
        raise typer.Exit(NO_VERDICT) from None
