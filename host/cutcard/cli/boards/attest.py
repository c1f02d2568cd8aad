"""`cutcard attest`: verify that a device's flash has the content of its reference."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from cutcard import untrusted
from cutcard.attestation.reference import NoReferenceError, from_read_out, load, save
from cutcard.attestation.verify import Answer, agrees, challenge, scrub
from cutcard.cli.options import complain
from cutcard.devices import ports
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import BadPortError, DeviceError
from cutcard.devices.keys import DeviceKey, KeyStore, read_key
from cutcard.progress import working
from cutcard_firmware.core.image.attest import BLOCK

OPEN_SECONDS = 10.0
MOST_CHIP = 64 * untrusted.MEBIBYTE


def attest(
    port: Annotated[str, typer.Argument(metavar="PORT", help="Port string of the device.")],
    reference: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, help="The content of the entire chip, from a flash reader."
        ),
    ],
    most_spared: Annotated[
        int,
        typer.Option(min=0, help="Blocks of 4096 bytes that the device may leave out, at most."),
    ] = 64,
    at_most: Annotated[
        float | None,
        typer.Option(help="Seconds: a later answer fails. Measure a good device first."),
    ] = None,
    scrub_first: Annotated[
        bool,
        typer.Option("--scrub", help="First erase leftovers of the device's file system."),
    ] = False,
    seconds: Annotated[float, typer.Option(help="Time limit in seconds.")] = 120.0,
    key_file: Annotated[
        Path | None,
        typer.Option(help="File with the device's key, if this computer does not store it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")] = False,
) -> None:
    """Verify by a challenge that the flash of a device, including MicroPython, is unchanged.

    The device gets a new random number, which decides with its key the order in which it reads the
    blocks of its chip. It answers with a keyed digest, which this command computes again from the
    reference. Blocks with state, seed and key are left out and counted.
    docs/explanation/security.md explains how to make a reference, and what an answer does not
    prove. Exit 1: the answer does not match.

        cutcard attest /dev/serial/by-id/usb-MicroPython_Board_... --reference pico-7.bin
    """
    try:
        wanted = load(untrusted.content(reference, MOST_CHIP))
        found, key = _attested(port, key_file, scrub_first, seconds)
    except (DeviceError, ValueError) as error:
        _fail(error, as_json)
    result = _judge(found, key, wanted, most_spared, at_most)
    _show(result, as_json)
    raise typer.Exit(0 if result["agrees"] else 1)


def reference(
    read_out: Annotated[
        Path,
        typer.Argument(
            exists=True,
            dir_okay=False,
            help="The chip's content, from picotool or a clip-on reader.",
        ),
    ],
    out: Annotated[Path, typer.Argument(help="The file for the reference.")],
) -> None:
    """Make a reference for `cutcard attest` from a read-out of a device's chip.

    Blocks without a file become blank, and so do the blocks with the device's state, seed and key.
    So a reference contains no secret; a read-out may. `cutcard attest` accepts both.

        picotool save -a pico-7-read-out.bin

        cutcard reference pico-7-read-out.bin pico-7.bin
    """
    try:
        made = from_read_out(untrusted.content(read_out, MOST_CHIP))
    except (NoReferenceError, untrusted.BadContentError) as error:
        complain(f"{read_out}: {error}")
        raise typer.Exit(1) from error
    out.write_bytes(save(made))
    typer.echo(f"{out}: {len(made) // BLOCK} blocks, sha256 {sha256(made).hexdigest()}")


def _attested(
    port: str, key_file: Path | None, scrub_first: bool, seconds: float
) -> tuple[Answer, DeviceKey]:
    found = ports.parse(port)
    if key_file is not None:
        found.key = _key_of(key_file)
    keys = KeyStore()
    connection = Connection(found, None, keys)
    connection.open(OPEN_SECONDS)
    try:
        with working("attesting") as work:
            if scrub_first:
                work.on("erasing leftovers of the file system")
                scrub(connection, Deadline(seconds))
            work.on("walking the flash")
            answer = challenge(
                connection,
                Deadline(seconds),
                lambda blocks, walked: work.reach(walked, blocks),
            )
        assert connection.welcome is not None
        key = found.key or keys.get(connection.welcome.serial)
        assert key is not None  # a session was open
        return answer, key
    finally:
        connection.close()


def _key_of(file: Path) -> DeviceKey:
    try:
        return read_key(file)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{file} has no device key: {error}") from error


def _judge(
    answer: Answer, key: bytes, reference: bytes, most_spared: int, at_most: float | None
) -> dict[str, Any]:
    """Return the result, and the reasons for a failure."""
    spared = answer.spared_blocks
    reasons = []
    if len(reference) != answer.blocks * BLOCK:
        reasons.append(
            f"the device read {answer.blocks} blocks, the reference has "
            f"{len(reference) / BLOCK:g}: it belongs to another chip"
        )
    elif not agrees(key, answer, reference):
        reasons.append("the flash differs from the reference outside of the spared blocks")
    if len(spared) > most_spared:
        reasons.append(f"the device left out {len(spared)} blocks, {most_spared} are allowed")
    if at_most is not None and answer.seconds > at_most:
        reasons.append(f"it took {answer.seconds:.2f} s, {at_most:g} are allowed")
    return {
        "agrees": not reasons,
        "reasons": reasons,
        "blocks": answer.blocks,
        "spared": spared,
        "seconds": round(answer.seconds, 3),
    }


def _show(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    spared = len(result["spared"])
    typer.echo(
        f"{result['blocks'] - spared} of {result['blocks']} blocks read in "
        f"{result['seconds']:.2f} s; "
        f"{spared} left out ({spared * BLOCK // 1024} KB not verified)."
    )
    if result["agrees"]:
        typer.echo("They match the reference.")
    for reason in result["reasons"]:
        typer.echo(f"No: {reason}.")
    if result["reasons"]:
        complain("Take the machine out of play, read out its chip and compare it.")


def _fail(error: Exception, as_json: bool) -> NoReturn:
    problem, hint = getattr(error, "problem", str(error)), getattr(error, "hint", "")
    if as_json:
        typer.echo(json.dumps({"error": problem, "hint": hint}, indent=2))
    else:
        complain(f"{problem}\n{hint}")
    raise typer.Exit(2 if isinstance(error, BadPortError | ValueError) else 1)
