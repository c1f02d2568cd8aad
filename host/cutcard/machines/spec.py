"""Compiling a machine file to `machine_spec.py`, the module that the firmware imports."""

from __future__ import annotations

from cutcard.machines.entropy import noise_settings
from cutcard.machines.legs import ways
from cutcard.machines.library import Machine
from cutcard.machines.schema import keys_of


def spec_text(machine: Machine, board: str = "") -> str:
    """Return the text of that module; `board` chooses the pins (empty on the bench)."""
    lines = [f'"""Generated from {machine.file.name}. Change that file, not this one."""', ""]
    for key, row in keys_of(machine.kind).items():
        if row.constant:
            value = machine.values[key]
            if isinstance(value, list):
                value = tuple(value)
            lines.append(f"{row.constant} = {value!r}")
    noise = noise_settings(
        float(machine.values["noise.entropy"]), alarm_bits=machine.whole("noise.alpha")
    )
    lines += [
        f"CONTINUOUS = {machine.continuous!r}",
        f"RCT = {noise.repetition_cutoff}",
        f"APT = {noise.proportion_cutoff}",
        f"LAG = {noise.lag_cutoff}",
        f"SAMPLES = {noise.entropy_samples}",
        *_turns(machine),
        *_rows(machine),
        f"PINS = {dict(sorted(machine.pins.get(board, {}).items()))!r}",
    ]
    return "\n".join(lines) + "\n"


def _turns(machine: Machine) -> list[str]:
    """Return the legs of every turn, and for each distance the legs that go back."""
    if machine.kind != "shuffler":
        return []
    back = ways(machine.legs, machine.positions) if machine.legs else b""
    return [f"LEGS = {machine.legs!r}", f"WAYS = {back!r}"]


def _rows(machine: Machine) -> list[str]:
    """Return the packs in order, and their weights concatenated: two rows for each pack.

    If all bins have equal weights, there is one row, for a pack of 0 cards: it applies to every
    pack.
    """
    if not machine.continuous:
        return []
    rows = machine.rows or {0: machine.row(0)}
    weights = b"".join(bytes(row.into + row.out) for _, row in sorted(rows.items()))
    return [f"ROWS = {tuple(sorted(rows))!r}", f"WEIGHTS = {weights!r}"]
