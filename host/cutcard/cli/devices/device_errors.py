"""The end of a command after a device error: problem, next step, and exit code."""

from __future__ import annotations

import json
from typing import Any, NoReturn

import typer

from cutcard.cli.devices.device_words import typed
from cutcard.cli.options import complain
from cutcard.devices import BadArgumentError, BadPortError, CommandRefusedError, DeviceError


def fail(error: DeviceError, as_json: bool, port: str, **more: Any) -> NoReturn:
    """Print the error of the device at `port` with commands instead of calls, and exit.

    The exit code is 2 if the command line was wrong, else 1. `more` is added to the JSON.
    """
    refusal = error.error if isinstance(error, CommandRefusedError) else ""
    problem, hint = typed(error.problem, port), typed(error.hint, port, refusal)
    if as_json:
        typer.echo(json.dumps({"error": problem, "hint": hint} | more, indent=2))
    else:
        complain(f"{problem}\n{hint}")
    raise typer.Exit(2 if isinstance(error, BadPortError | BadArgumentError) else 1)
