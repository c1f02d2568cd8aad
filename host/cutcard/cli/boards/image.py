"""`cutcard image`: build a signed image, and verify and describe images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from cutcard.cli.boards.keys import fail as fail_key
from cutcard.cli.options import complain, refuse
from cutcard.columns import show_table, wrapped
from cutcard.image.build import BOARDS, BuildError, Signer
from cutcard.image.build import build as build_image
from cutcard.image.compiling import CompileError
from cutcard.image.image import Image, ImageError
from cutcard.image.signing import signer_named
from cutcard.keys.errors import SigningKeyError
from cutcard.keys.passphrase import PassphraseFile
from cutcard.keys.public_half import BadPublicKeyError, read_public_key
from cutcard.machines import DEFAULT_MACHINE, MachineFileError, find
from cutcard.progress import working

app = typer.Typer(help="Firmware images: build, sign, explain.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def build(
    context: typer.Context,
    board: Annotated[str, typer.Option(help=" or ".join(BOARDS) + ".")],
    machine: Annotated[
        str, typer.Option(help="A machine's name (`cutcard machine list`) or its .toml file.")
    ] = DEFAULT_MACHINE,
    version: Annotated[
        int, typer.Option(help="Must increase: a device accepts no lower version than its own.")
    ] = 1,
    key: Annotated[
        str, typer.Option(help="Sign with this key (`cutcard keys make`). Default: unsigned.")
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Default: MACHINE-BOARD-VERSION.cutcard"),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Also write the image's files into this folder, for inspection."),
    ] = None,
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Compile the firmware for a board and a machine into one signed file.

    The same sources, machine, version and key give the same bytes on every computer. Without --key
    the image is unsigned: useful for inspection, but refused by every device.

        cutcard image build --board rp2 --machine carousel-60 --version 3 --key factory-2026
    """
    if not key:
        refuse(context, "requires --key", "passphrase_file")
    signer: Signer | None = None
    try:
        found = find(machine)
        if key:
            signer = signer_named(key, passphrase_file)
        with working(f"compiling {found.name} for {board}"):
            image = build_image(board, found, version, signer)
    except SigningKeyError as error:
        fail_key(error, as_json)
    except (BuildError, CompileError, MachineFileError) as error:
        _called_wrongly(str(error), as_json)
    target = output or Path(f"{image.machine}-{board}-{version}.cutcard")
    target.write_bytes(image.data)
    if folder is not None:
        _spread(image, folder)
    if as_json:
        print(json.dumps({"file": str(target), **described(image)}))
    else:
        signed = f"signed with key {image.head.key}" if image.signed else "unsigned"
        about = f"{image.machine} version {version}, {len(image.data)} bytes, {signed}"
        typer.echo("\n".join(wrapped(f"{target}: {about}", later="  ")))


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="An image.")],
    public_key: Annotated[
        str | None,
        typer.Option(
            "--public-key",
            metavar="HEX|FILE",
            help="The image must be signed by this key, or by a key it vouches for.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Describe an image and verify its content and signature. Exit 1: it is invalid.

    Without --public-key, the signing key is taken from the image itself: then the signature proves
    that the image is unchanged, but not its maker.

        cutcard image verify carousel-60-rp2-3.cutcard --public-key $(cutcard keys public factory)
    """
    if not file.is_file():
        _called_wrongly(f"{file} does not exist. `cutcard image build` makes an image.", as_json)
    wanted = b"" if public_key is None else _public_half(public_key, as_json)
    try:
        image = Image.read(file)
    except ImageError as error:
        _no(file, error.problem, error.hint, as_json, {})
    facts = described(image)
    try:
        stranger = not image.comes_from(wanted) and bool(wanted)
    except ImageError as error:
        _no(file, error.problem, error.hint, as_json, facts)
    if stranger:
        _no(
            file,
            f"key {image.head.key} signed it, but {wanted.hex()[:16]}... does not vouch for it",
            "This image is from another maker: do not use it.",
            as_json,
            facts,
        )
    if as_json:
        print(json.dumps({"ok": True, **facts}))
    else:
        _show(image, facts)
        typer.echo(f"{file}: complete and signed.")


def described(image: Image) -> dict[str, Any]:
    head = image.head
    return {
        "boards": image.boards,
        "machine": image.machine,
        "kind": image.kind,
        "version": head.version,
        "micropython": "{}.{}".format(*head.micropython),
        "mpy": f"{head.mpy}.{head.mpy_sub}",
        "signed": image.signed,
        "key": head.key,
        "development": image.development,
        "key_history": head.links,
        "bytes": len(image.data),
        "files": [
            {"number": f.number, "name": f.name, "bytes": len(f.data), "sha256": f.digest.hex()}
            for f in image.files
        ],
    }


def _show(image: Image, facts: dict[str, Any]) -> None:
    about = [
        (name.replace("_", " "), _plain(value)) for name, value in facts.items() if name != "files"
    ]
    for name, value in about:
        typer.echo(f"{name + ':':<14}{value}")
    if image.signed:
        typer.echo(f"public key:    {image.signing_key().hex()}")
    rows = [
        (str(file.number), file.name, str(len(file.data)), file.digest.hex()[:16])
        for file in image.files
    ]
    show_table(("", "file", "bytes", "SHA-256 begins"), rows, numbers=("bytes",))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


def _spread(image: Image, folder: Path) -> None:
    for file in image.files:
        target = folder / file.name.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)


def _public_half(given: str, as_json: bool) -> bytes:
    try:
        return read_public_key(given)
    except BadPublicKeyError as error:
        _called_wrongly(f"--public-key: {error}", as_json)


def _no(file: Path, problem: str, hint: str, as_json: bool, facts: dict[str, Any]) -> NoReturn:
    if as_json:
        print(json.dumps({"ok": False, "problem": problem, "hint": hint, **facts}))
    else:
        complain(f"{file}: {problem}\n{hint}")
    raise typer.Exit(1)


def _called_wrongly(problem: str, as_json: bool) -> NoReturn:
    if as_json:
        print(json.dumps({"error": problem}))
    else:
        complain(problem)
    raise typer.Exit(2)
