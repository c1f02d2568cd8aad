"""Decrypted frames with names, for a person who watches the line.

    with Shuffler.open(port, tap=print) as shuffler:
        shuffler.deal()  # prints each frame, both ways

A tap only reads. It never receives a key: keys are sent outside of the tapped frames.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cutcard.devices.hints import refusal_name
from cutcard.faults import fault_name
from cutcard_firmware.core.schema import messages

# Fields that are numbers on the wire and have a name in the message schema.
_NAMED: dict[str, tuple[str, ...]] = {
    "cause": messages.CAUSES,
    "mode": messages.MODES,
}


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame: its direction, its kind, the name of its command or event, and its fields."""

    sent: bool  # True: from this computer to the device
    kind: str  # "hello", "command", "reply", "event" ...
    name: str  # of the command, of the command that a reply answers, or of the event
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        way = "->" if self.sent else "<-"
        said = " ".join(f"{name}={_shown(value)}" for name, value in self.fields.items())
        return " ".join(filter(None, (way, self.kind, self.name, said)))


Tap = Callable[[Frame], None]


def clear(sent: bool, kind: int, payload: bytes) -> Frame:
    """Return a frame outside a session: hello, welcome, auth, accept, refuse."""
    if kind not in messages.FRAMES:
        return Frame(sent, f"kind-{kind}", "", {"bytes": payload})
    name, fields = messages.FRAMES[kind]
    found = _unpacked(fields, payload)
    if "error" in found:
        found["error"] = refusal_name(found["error"])
    if "machine" in found:
        found["machine"] = found["machine"].decode("ascii", "replace")
        found["kind"] = dict(enumerate(messages.KINDS)).get(found["kind"], found["kind"])
    return Frame(sent, name, "", found)


def command(payload: bytes) -> Frame:
    """Return a command of this computer, with its arguments by name."""
    head = messages.unpack(messages.FRAMES[messages.COMMAND][1], payload)
    name, _, fields, _ = messages.COMMANDS[head["op"]]
    about = {"id": head["id"], "ack": head["ack"]}
    return Frame(True, "command", name, about | _unpacked(fields, head["arguments"]))


def reply(name: str, said: Mapping[str, Any]) -> Frame:
    """Return the device's reply to the command of that name, or its refusal."""
    about: dict[str, Any] = {"id": said["id"]}
    if said["error"]:
        about["refused"] = refusal_name(said["error"])
        return Frame(False, "reply", name, about | _unpacked("a:I b:I", said["result"]))
    fields = messages.COMMANDS[messages.OP[name]][3] if name else ""
    return Frame(False, "reply", name, about | _unpacked(fields, said["result"]))


def event(payload: bytes) -> Frame:
    """Return an event of the device."""
    head = messages.unpack(messages.FRAMES[messages.EVENT][1], payload)
    name, fields = messages.EVENTS.get(head["event"]) or (f"event-{head['event']}", "")
    about = {"number": head["number"]}
    return Frame(False, "event", name, about | _unpacked(fields, head["fields"]))


def _unpacked(fields: str, data: bytes) -> dict[str, Any]:
    """Return the fields by name, or the raw bytes if they do not fit."""
    try:
        found: dict[str, Any] = messages.unpack(fields, data)
    except ValueError:
        return {"bytes": data}
    for name, names in _NAMED.items():
        if isinstance(found.get(name), int) and found[name] < len(names):
            found[name] = names[found[name]]
    if isinstance(found.get("fault"), int):
        found["fault"] = fault_name(found["fault"])
    return found


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex() or "-"
    return str(value)
