"""Data of a device, in words for a person and as JSON for a script."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, fields
from typing import Any

from cutcard.devices import AnyDevice, Controller, Event, Frame, Status
from cutcard.devices.hints import fault_hint

# Calls of the driver in its hints -> the command to type; {port} is the port.
_COMMANDS = {
    r"call `recover(?:\([^)`]*\))?`": "type `cutcard device {port} recover OUTSIDE`",
    r"call `resume` for that table": "type `cutcard device {port} recover --table TABLE`",
    r"call `resume\(\)`": "type `cutcard device {port} recover`",
    r"call `load` \(a shoe: `stack`\)": "type `cutcard device {port} load DECKS`",
    r"call `renew\(\)`": "type `cutcard prize key {port} --renew`",
    r"call `unload(?:\(\))?`": "type `cutcard device {port} unload`",
    r"check `status` and `events\(\)`": "type `cutcard device {port} watch --events`",
    r"(?:look at|check) `status`(?: before anything moves)?": "type `cutcard device {port} status`",
    r" Report it with `counters` if it comes again\.": "",
}
# Refusals whose advice to a program names calls without a command.
REFUSALS = {
    "wrong-mode": "`cutcard device {port} status` shows the mode. An empty machine is loaded, a "
    "ready one deals, and a loaded one is unloaded; wait until a running job ends.",
    "in-fault": "Clear the cause, then type `cutcard device {port} recover`.",
    "bad-pack": "Use --pack 52, or --pack 48 for decks without the tens.",
    "event-store-full": "A table with a journal of this machine takes the events when it "
    "opens it. Without a table, add --take.",
    "stale-command": "Another host has commanded this device: type `cutcard device {port} status`.",
    "still-armed": "Draw them, then type the command again.",
    "other-device": "`cutcard devices --identify` lists the kind of each device.",
    "no-prizes": "The program of the table sets them; `cutcard prize table` prints the prizes of a "
    "rulebook.",
    "on-offer": "Wait until the button is pressed, then type the command again.",
    "laboratory-only": "Take all cards out; `cutcard certify collect` enters laboratory mode.",
}


def typed(hint: str, port: str, refusal: str = "") -> str:
    """Return a hint of the driver, or its advice on a refusal, with commands instead of calls."""
    hint = REFUSALS.get(refusal, hint)
    for call, command in _COMMANDS.items():
        hint = re.sub(call, lambda _, command=command: command, hint)  # type: ignore[misc]
    return hint.replace("{port}", shlex.quote(port))


def plain(value: Any) -> Any:
    """Return a JSON value: bytes as hexadecimal digits, cards as people write them."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [plain(each) for each in value]
    return value if isinstance(value, int | str | bool | None) else str(value)


def event_as_json(event: Event) -> dict[str, Any]:
    """Return its type, its number and its fields."""
    return {"event": type(event).__name__} | {
        each.name: _draw_or_plain(getattr(event, each.name)) for each in fields(event)
    }


def event_in_words(event: Event) -> str:
    """Return `card dealt: card Ks, first of round`: every field with a value."""
    name = re.sub(r"(?<!^)(?=[A-Z])", " ", type(event).__name__).lower()
    said = []
    for each in fields(event)[1:]:
        value = _draw_or_plain(getattr(event, each.name))
        words = each.name.replace("_", " ")
        if value is True:
            said.append(words)
        elif value is None:
            said.append(f"{words} unknown")
        elif value is not False and value != []:
            said.append(f"{words} {_joined(value)}")
    return f"{name}: {', '.join(said)}" if said else name


def frame_as_json(frame: Frame) -> dict[str, Any]:
    return {
        "sent": frame.sent,
        "kind": frame.kind,
        "name": frame.name,
        "fields": plain(dict(frame.fields)),
    }


def identity_as_json(device: AnyDevice) -> dict[str, Any]:
    return {
        "port": device.port.text,
        "kind": device.KIND,
        "machine": device.machine,
        "serial": device.serial,
        "firmware": device.firmware,
    }


def status_as_json(device: AnyDevice, status: Status) -> dict[str, Any]:
    """Return its identity, its status, and the next step in a fault; of a controller every table,
    too."""
    hint = None
    if status.fault:
        hint = typed(fault_hint(status.fault, status.detail, device.KIND), device.port.text)
    said = identity_as_json(device) | asdict(status) | {"hint": hint}
    if isinstance(device, Controller):
        tables = range(1, device.identity().tables + 1)
        said["tables"] = [{"table": table} | plain(asdict(device.panel(table))) for table in tables]
    return said


def status_in_words(said: dict[str, Any]) -> str:
    """Return the data of `status_as_json` as text."""
    lines = [
        f"{said['kind']} {said['machine']}, serial {said['serial']}, firmware {said['firmware']}",
        f"  mode    {said['mode']}",
    ]
    if said["fault"]:
        lines += [
            f"  fault   {_fault_in_words(said)}",
            f"          {said['hint']}",
        ]
    if said["kind"] == "controller":
        lines += [_table_in_words(table) for table in said["tables"]]
    elif said["fault"]:
        lines.append(
            f"  cards   {said['pack']} in the pack; the machine's own counts are hidden, so that "
            "you count independently"
        )
    else:
        lines.append(
            f"  cards   {said['pack']} in the pack: {said['inside']} inside, {said['ready']} of "
            f"them in reach; {said['outside']} outside"
        )
        if said["armed"]:
            lines.append(f"  called  {said['armed']} cards are called and not drawn")
    lines.append(f"  events  {said['last_event']} sent so far, {said['boots']} starts")
    return "\n".join(lines)


# Jobs that a device finishes after the command was interrupted.
_RUNNING = {
    "loading": "taking cards in",
    "unloading": "ejecting its cards",
    "recovering": "counting its cards",
}


def state_in_words(said: dict[str, Any]) -> str:
    """Describe the present activity of a machine, and the command that shows its end."""
    port = shlex.quote(said["port"])
    counts = f"{said['inside']} of {said['pack']} cards are inside"
    if port.startswith(("bench:", "chip:")):
        return "The bench has ended with the command."
    if said["fault"]:
        return f"The machine is in the fault {_fault_in_words(said)}. {said['hint']}"
    if said["kind"] == "controller":
        return f"The controller is {said['mode']}."
    if said["mode"] in _RUNNING:
        hidden = said["mode"] == "recovering"  # a person counts independently of the machine
        return (
            f"The machine is still {_RUNNING[said['mode']]}{'' if hidden else f' ({counts})'}, and "
            f"finishes without this command. Check it with `cutcard device {port} status`."
        )
    return f"The machine is {said['mode']}; {counts}."


def _fault_in_words(said: dict[str, Any]) -> str:
    """Return the fault with its detail, which is left out for a count mismatch: it is the machine's
    count."""
    is_count = said["fault"] == "count-mismatch"
    return str(said["fault"]) if is_count else f"{said['fault']} (detail {said['detail']})"


def _table_in_words(table: dict[str, Any]) -> str:
    said = f"{table['prizes']} prizes" if table["prizes"] else "no prizes set"
    if table["offered"]:
        said += f"; on offer: round {table['round']}, box {table['box']}, {table['wager']} cents"
    if table["fault"]:
        said += f"; fault {table['fault']} (detail {table['detail']})"
    return f"  table {table['table']} {said}"


def _draw_or_plain(value: Any) -> Any:
    return value.as_json() if hasattr(value, "as_json") else plain(value)


def _joined(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join("?" if each is None else str(each) for each in value)
    return str(value)
