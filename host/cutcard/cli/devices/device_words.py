"""What a device said, in words for a person and as JSON for a script."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, fields
from typing import Any

from cutcard.devices import AnyDevice, Controller, Event, Frame, Status
from cutcard.devices.hints import fault_hint

# What the driver's hints have a program call, as somebody types it.
_TYPED = {
    "load": "load DECKS",
    "recover": "recover OUTSIDE",
    "resume": "recover",
    "resume` for that table": "recover --table TABLE",
    "unload": "unload",
}
_CALL = re.compile(r"call `(resume` for that table|(load|recover|resume|unload)(?:\([^)`]*\))?`)")


def typed(hint: str, port: str) -> str:
    """A hint for somebody at a terminal: the command instead of the call."""

    def command(call: re.Match[str]) -> str:
        return f"type `cutcard device {shlex.quote(port)} {_TYPED[call[2] or call[1]]}`"

    return _CALL.sub(command, hint)


def plain(value: Any) -> Any:
    """A value as JSON has it: bytes as hexadecimal digits, cards as people write them."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        return [plain(each) for each in value]
    return value if isinstance(value, int | str | bool | None) else str(value)


def event_as_json(event: Event) -> dict[str, Any]:
    """Its type, its number and its fields."""
    return {"event": type(event).__name__} | {
        each.name: _draw_or_plain(getattr(event, each.name)) for each in fields(event)
    }


def event_in_words(event: Event) -> str:
    """`card dealt: card Ks, first of round`: every field that says something."""
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


def who(device: AnyDevice) -> dict[str, Any]:
    return {
        "port": device.port.text,
        "kind": device.KIND,
        "machine": device.machine,
        "serial": device.serial,
        "firmware": device.firmware,
    }


def status_as_json(device: AnyDevice, status: Status) -> dict[str, Any]:
    """Who it is, its status, what to do about a fault; of a controller every table as well."""
    hint = None
    if status.fault:
        hint = typed(fault_hint(status.fault, status.detail), device.port.text)
    said = who(device) | asdict(status) | {"hint": hint}
    if isinstance(device, Controller):
        tables = range(1, device.identity().tables + 1)
        said["tables"] = [{"table": table} | plain(asdict(device.panel(table))) for table in tables]
    return said


def status_in_words(said: dict[str, Any]) -> str:
    """What `status_as_json` has, for a person."""
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
            lines.append(f"  called  {said['armed']} cards are called for and not drawn")
    lines.append(f"  events  {said['last_event']} told so far, {said['boots']} starts")
    return "\n".join(lines)


def _fault_in_words(said: dict[str, Any]) -> str:
    """The fault with its detail; that of a count that did not match is the machine's own count."""
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
