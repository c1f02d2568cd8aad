"""`cutcard keys`: make signing keys, list them, print their public keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cutcard.cli.options import complain
from cutcard.columns import show_table
from cutcard.keys.errors import BadKeyNameError, NoPassphraseError, SigningKeyError
from cutcard.keys.history import KeyHistories
from cutcard.keys.passphrase import PassphraseFile, passphrase
from cutcard.keys.store import PURPOSES, PublicKey, SigningKeyStore

app = typer.Typer(
    help="Keys that sign firmware images and reports: make, list, print public keys.",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The key's name.")]


@app.command()
def make(
    name: Name,
    purpose: Annotated[str, typer.Option(help=" or ".join(PURPOSES) + ".")],
    development: Annotated[
        bool,
        typer.Option("--development", help="For development: production devices refuse it."),
    ] = False,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Make an Ed25519 key. The private key is encrypted immediately and never printed.

    It is stored in ~/.config/cutcard/signing (or the folder in CUTCARD_HOME), readable only by you.
    Make a backup, and keep the passphrase elsewhere. Exit 1: the name is already used.

        cutcard keys make factory-2026 --purpose image

        cutcard keys make bench --purpose image --development
    """
    try:
        made = SigningKeyStore().make(
            name, purpose, passphrase(passphrase_file, name, twice=True), development
        )
    except SigningKeyError as error:
        fail(error, as_json)
    if as_json:
        print(json.dumps(made.described()))
    else:
        typer.echo(f"{_sort(made)} key {made.number}, {name}: made. Public key\n{made.raw.hex()}")


@app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List every key on this computer, without its passphrase. Exit 1: a key file is damaged."""
    store = SigningKeyStore()
    try:
        keys = store.list()
        revoked = [key for key in keys if KeyHistories(store).is_revoked(key)]
    except SigningKeyError as error:
        fail(error, as_json)
    if as_json:
        print(json.dumps([{**key.described(), "revoked": key in revoked} for key in keys]))
        return
    rows = []
    for key in keys:
        mark = "revoked" if key in revoked else "development" if key.development else ""
        rows.append((key.name, key.purpose, str(key.number), mark, key.raw.hex()))
    show_table(("name", "purpose", "number", "", "public half"), rows)


@app.command()
def public(name: Name, as_json: AsJson = False) -> None:
    """Print a public key, 64 hexadecimal digits: it verifies the key's signatures."""
    try:
        key = SigningKeyStore().public(name)
    except SigningKeyError as error:
        fail(error, as_json)
    print(json.dumps(key.described()) if as_json else key.raw.hex())


@app.command()
def rotate(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The key that devices trust.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Name of the key that follows it.")],
    development: Annotated[
        bool, typer.Option("--development", help="NEW is a development key.")
    ] = False,
    passphrase_file: PassphraseFile = None,
    new_passphrase_file: Annotated[
        Path | None,
        typer.Option(
            "--new-passphrase-file", metavar="FILE", help="The passphrase of NEW, if it differs."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the successor of a trusted key: OLD signs NEW, and every image of NEW contains that.

    A device that installs an image of NEW trusts NEW from then on. OLD remains valid until `cutcard
    keys revoke`.

        cutcard keys rotate factory-2026 factory-2027
    """
    store = SigningKeyStore()
    try:
        before = store.public(old)
        phrase = passphrase(passphrase_file, old)
        private = store.open(old, phrase)
        histories = KeyHistories(store)
        histories.check_may_sign(before)
        if new_passphrase_file or passphrase_file is None:
            phrase = passphrase(new_passphrase_file, new, twice=True)
        made = store.make(new, before.purpose, phrase, development)
        histories.rotate(before, private, made)
    except SigningKeyError as error:
        fail(error, as_json)
    if as_json:
        print(json.dumps(made.described()))
    else:
        typer.echo(
            f"{_sort(made)} key {made.number}, {new}: made; devices that trust {old} trust it."
        )


@app.command()
def revoke(
    name: Name,
    by: Annotated[str, typer.Option(metavar="NEWER", help="A newer key of the same history.")],
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Make devices refuse a key. They receive this with the next image that NEWER signs.

    This cannot be undone, and a device without such an image still accepts the old key.

        cutcard keys revoke factory-2026 --by factory-2027
    """
    store = SigningKeyStore()
    try:
        signer = store.public(by)
        private = store.open(by, passphrase(passphrase_file, by))
        KeyHistories(store).revoke(store.public(name), signer, private)
    except SigningKeyError as error:
        fail(error, as_json)
    if as_json:
        print(json.dumps({"revoked": name, "by": by}))
    else:
        typer.echo(f"{name} is revoked in every image that {by} signs from now on.")


def _sort(key: PublicKey) -> str:
    return f"Development {key.purpose}" if key.development else key.purpose.capitalize()


def fail(error: SigningKeyError, as_json: bool) -> NoReturn:
    if as_json:
        print(json.dumps({"error": error.problem, "hint": error.hint}))
    else:
        complain(f"{error.problem}\n{error.hint}")
    raise typer.Exit(2 if isinstance(error, BadKeyNameError | NoPassphraseError) else 1)
