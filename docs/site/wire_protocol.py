"""The tables of docs/reference/wire-protocol.md, generated from the message schema."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cutcard_firmware.core.schema import messages as m

PAGE = Path(__file__).resolve().parents[1] / "reference" / "wire-protocol.md"


def tables() -> str:
    """Return all tables, as the section `tables` has them."""
    parts = [
        f"Version {m.VERSION}, fingerprint of the message schema `{m.fingerprint().hex()}`.",
        "### Frames\n\n" + _table(("kind", "name", "payload"), _frames()),
        "### Commands\n\n"
        + _table(("op", "name", "question", "known to", "arguments", "result"), _commands()),
        "### Events\n\n" + _table(("code", "name", "fields"), _events()),
        "In `card`, `face` is 13 times the suit plus the rank (suits c d h s, ranks A 2 to 9 T J Q "
        f"K, from 0). `flags` are {m.UNCALLED} (the card left without a call) and "
        f"{m.FIRST_OF_ROUND} (first of a round). In a `fault` for a simultaneous draw `faces` has "
        "the cards and the low byte of `detail` their number; the byte above it is 1 if "
        "their order is known. 254 is a foreign card and 255 an unreadable one.",
        "### Refusals\n\n" + _table(("code", "name", "a", "b"), _errors()),
        "### Names\n\n"
        + _table(
            ("", "names, numbered from 0"),
            (
                ("kinds of devices", ", ".join(m.KINDS)),
                ("modes", ", ".join(m.MODES)),
                ("faults", ", ".join(m.FAULTS)),
                ("causes of a start", ", ".join(m.CAUSES)),
            ),
        ),
    ]
    return "\n\n".join(parts)


def _frames() -> Iterable[tuple[str, ...]]:
    for kind, (name, fields) in m.FRAMES.items():
        yield f"0x{kind:02x}", name, _described(fields)


def _commands() -> Iterable[tuple[str, ...]]:
    for op, (name, devices, arguments, result) in m.COMMANDS.items():
        question = "yes" if m.is_question(op) else ""
        known = ", ".join(devices.strip("?").split())
        yield str(op), name, question, known, _described(arguments), _described(result)


def _events() -> Iterable[tuple[str, ...]]:
    for code, (name, fields) in m.EVENTS.items():
        yield str(code), name, _described(fields)


def _errors() -> Iterable[tuple[str, ...]]:
    for code, row in m.ERRORS.items():
        name, a, b = (*row.split(), "", "")[:3]
        yield str(code), name, a, b


def _described(fields: str) -> str:
    return ", ".join(f"{name} {_format(form)}" for name, form in m.fields(fields))


def _format(form: str) -> str:
    if form == "*":
        return "*rest*"
    if form.endswith("s"):
        return f"{form[:-1]} bytes"
    return {"B": "u8", "H": "u16", "I": "u32"}[form]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
