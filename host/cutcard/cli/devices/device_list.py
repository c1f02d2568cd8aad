"""`cutcard devices` and `cutcard provision`."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer

from cutcard.cli.devices.device_errors import fail
from cutcard.columns import show_table
from cutcard.devices import provisioning
from cutcard.devices.discovery import find_boards
from cutcard.devices.errors import DeviceError
from cutcard.devices.handshake import Welcome


def devices(
    ask: Annotated[
        list[str] | None,
        typer.Option(
            "--ask", metavar="PORT", help="Also identify the device at this port (repeatable)."
        ),
    ] = None,
    identify: Annotated[
        bool, typer.Option("--identify", help="Identify every board that was found.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")] = False,
) -> None:
    """List the boards on this computer, under names that survive a reset.

    Boards are found by their USB id (Raspberry Pi). Use the printed port for any command with PORT.
    --identify prints the machine of each board; that needs no key and changes nothing. Exit 1: no
    boards found.

        cutcard devices --identify

        cutcard devices --ask socket://localhost:4000 --json
    """
    rows: list[dict[str, Any]] = [asdict(board) for board in find_boards()]
    for row in rows if identify else ():
        row |= _identified(row["port"])
    rows += [{"port": port} | _identified(port) for port in ask or ()]
    if as_json:
        typer.echo(json.dumps({"devices": rows}, indent=2))
    elif rows:
        _show(rows)
    else:
        typer.echo(
            "No board found. Plug one in (and check that its cable carries data),\n"
            "or use the bench: cutcard bench"
        )
    raise typer.Exit(0 if rows else 1)


def provision(
    port: Annotated[str, typer.Argument(metavar="PORT", help="Port string of the device.")],
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="The device lost its storage; its cards were counted by hand."
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")] = False,
) -> None:
    """Give a new device its key and store a copy on this computer, readable only by you.

    Do this once for each device, on a cable you trust: only this command sends a key over the line.
    The copy is in ~/.config/cutcard/keys (or the folder in CUTCARD_KEYS). Make a backup: a device
    whose key is lost needs a factory reset. Exit 1: the device refused.

        cutcard provision /dev/serial/by-id/usb-MicroPython_Board_...
    """
    try:
        welcome = provisioning.provision(port, again=again)
    except DeviceError as error:
        fail(error, as_json, port)
    if as_json:
        typer.echo(json.dumps(_described(welcome), indent=2))
    else:
        typer.echo(f"{welcome.kind} {welcome.machine}, serial {welcome.serial.hex()}: provisioned.")


def _identified(port: str) -> dict[str, Any]:
    try:
        return _described(provisioning.identify(port))
    except DeviceError as error:
        return {"error": error.problem, "hint": error.hint}


def _described(welcome: Welcome) -> dict[str, Any]:
    return {
        "kind": welcome.kind,
        "machine": welcome.machine,
        "serial": welcome.serial.hex(),
        "firmware": welcome.firmware,
        "provisioned": welcome.provisioned,
        "same_table": welcome.fits,
    }


def _show(rows: list[dict[str, Any]]) -> None:
    cells = []
    for row in rows:
        if "machine" in row:
            key = "" if row["provisioned"] else ", no key yet"
            who = f"{row['kind']} {row['machine']} ({row['serial']}{key})"
        else:
            who = f"{row['error']} {row['hint']}" if "error" in row else ""
        cells.append((row["port"], row.get("product") or "", who))
    show_table(("port", "board", "device"), cells)
