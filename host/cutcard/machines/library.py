"""Machine files on disk: reading, checking, and finding them by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cutcard_firmware.core
from cutcard import untrusted
from cutcard.machines.mistakes import (
    NotUsableError,
    broken_rules,
    read_values,
    with_known_tables,
    wrong_pins,
)
from cutcard.machines.schema import MachineFileError
from cutcard.machines.weight_rows import Row, alike, read_rows

# The machine of a command, a bench or a certificate that names no other: it passes layer D of a
# certificate with margin.
DEFAULT_MACHINE = "carousel-60"
FOLDER = Path(cutcard_firmware.core.__file__).parent.parent / "machines"


@dataclass(frozen=True)
class Machine:
    """A checked machine file: every key of the schema with its value, defaults filled in."""

    file: Path
    values: dict[str, Any]
    pins: dict[str, dict[str, int]]
    rows: dict[int, Row] = field(default_factory=dict)  # by the cards of a pack; {}: equal weights

    @property
    def name(self) -> str:
        """The name in ports and in the handshake."""
        return str(self.values["name"])

    @property
    def kind(self) -> str:
        """`shuffler`, `shoe` or `controller`."""
        return str(self.values["kind"])

    @property
    def mechanism(self) -> str:
        return str(self.values.get("mechanism", ""))

    @property
    def bench_only(self) -> bool:
        """Whether the file has no pins, so that the machine runs only on the bench."""
        return not self.pins

    @property
    def has_bins(self) -> bool:
        return self.kind == "shuffler"

    @property
    def continuous(self) -> bool:
        return self.mechanism == "carousel"

    @property
    def single(self) -> bool:
        """Whether one push ejects one card."""
        return self.continuous and self.values["ejection"] == "single"

    @property
    def most_cards(self) -> int:
        """The maximum number of cards in the machine."""
        return max(decks * deck for decks, deck in self.admitted())

    def admitted(self) -> list[tuple[int, int]]:
        """Return the admitted packs: decks, and cards of a deck."""
        return [
            (decks, deck)
            for deck in self.values["decks.packs"]
            for decks in range(1, self.values["decks.most"] + 1)
            if not self.rows or decks * deck in self.rows
        ]

    def row(self, pack: int) -> Row:
        """Return the weights for choosing bins while `pack` cards belong to the machine."""
        if not self.rows:
            return alike(self.whole("bins.capacity"))
        if pack not in self.rows:
            raise ValueError(
                f"{self.name} admits no pack of {pack} cards: it has no [weights.{pack}]"
            )
        return self.rows[pack]

    @property
    def positions(self) -> int:
        """The positions that the motor counts: one for a bin, two for a shelf (top, bottom)."""
        return self.whole("bins.count") * (2 if self.mechanism == "shelves" else 1)

    @property
    def legs(self) -> tuple[int, ...]:
        """The half bins of each leg of a turn; empty if turns go straight to the bin."""
        return tuple(self.values.get("motor.legs", ()))

    def whole(self, key: str) -> int:
        return int(self.values[key])


def shipped() -> list[Path]:
    """Return the machine files that come with cutcard."""
    return sorted(FOLDER.glob("*.toml"))


def find(name: str) -> Machine:
    """Return the machine of that name, or the machine file at that path."""
    if name.endswith(".toml"):
        return load(Path(name))
    for file in shipped():
        if file.stem == name:
            return load(file)
    known = ", ".join(file.stem for file in shipped())
    raise MachineFileError(
        name, [f"no machine of this name: use one of {known}, or the path of a .toml file"]
    )


def load(file: Path) -> Machine:
    """Read and check a file. Raises MachineFileError with every mistake."""
    try:
        table = untrusted.read_toml(file)
    except OSError as error:
        raise MachineFileError(str(file), [f"cannot be read: {error.strerror}"]) from error
    except untrusted.BadContentError as error:
        raise MachineFileError(str(file), [str(error)]) from error
    return check(file, table)


def check(file: Path, table: dict[str, Any]) -> Machine:
    """Return the machine. Raises MachineFileError with every mistake in the file."""
    table, mistakes = with_known_tables(table)
    pins = table.pop("pins", {})
    weights = table.pop("weights", {})
    values, wrong = read_values(table)
    mistakes += [*wrong, *broken_rules(values), *wrong_pins(values, pins)]
    try:
        rows, wrong = read_rows(values, weights)
        mistakes += wrong
    except NotUsableError:
        rows = {}
    if mistakes:
        raise MachineFileError(str(file), mistakes)
    return Machine(file, values, pins, rows)
