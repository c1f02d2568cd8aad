"""The lists generated from faults.toml: the table of `docs/reference/faults.md`, and the names in
the message schema."""

from __future__ import annotations

from cutcard.faults import FAULTS

_HEAD = ("fault", "report of the sensors", "detail", "action before `recover`")
_BEGIN, _END = "FAULTS = (\n", "\n)\n"


def table() -> str:
    """Return the table of `docs/reference/faults.md`."""
    rows = [(f"`{f.name}`", f.sensors, f.detail, f.remedy) for f in FAULTS.values()]
    lines = ["| " + " | ".join(row) + " |" for row in (_HEAD, *rows)]
    return "\n".join([lines[0], "|---" * len(_HEAD) + "|", *lines[1:]])


def with_names(source: str) -> str:
    """Return the source of the message schema with the names of all faults."""
    head, rest = source.split(_BEGIN, 1)
    tail = rest.split(_END, 1)[1]
    names = "\n".join(f'    "{name}",' for name in ("none", *FAULTS))
    return f"{head}{_BEGIN}{names}{_END}{tail}"
