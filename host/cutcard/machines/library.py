"""Machine files on disk: read, checked as a whole, found by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cutcard_firmware.core
from cutcard import untrusted
from cutcard.machines.entropy import noise_settings
from cutcard.machines.legs import ways
from cutcard.machines.rows import Row, alike, read_rows
from cutcard.machines.schema import (
    BOARDS,
    CARD_KINDS,
    KEYS,
    MOST_CARDS,
    MOST_PULSES,
    PICO_GPIOS,
    PULSE_MICROSECONDS,
    UART_GPIOS,
    Key,
    MachineFileError,
    keys_of,
    pins_needed,
)

FOLDER = Path(cutcard_firmware.core.__file__).parent.parent / "machines"


@dataclass(frozen=True)
class Machine:
    """A checked machine file: every key of the schema with its value, defaults filled in."""

    file: Path
    values: dict[str, Any]
    pins: dict[str, dict[str, int]]
    rows: dict[int, Row] = field(default_factory=dict)  # by the cards of a pack; {}: bins alike

    @property
    def name(self) -> str:
        """As ports and the handshake call it."""
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
        """Whether the file names no pins, so that the machine runs on the bench only."""
        return not self.pins

    @property
    def has_bins(self) -> bool:
        return self.kind == "shuffler"

    @property
    def continuous(self) -> bool:
        return self.mechanism == "carousel"

    @property
    def single(self) -> bool:
        """Whether one push brings out one card."""
        return self.continuous and self.values["ejection"] == "single"

    @property
    def most_cards(self) -> int:
        """How many cards it takes."""
        return max(decks * deck for decks, deck in self.admitted())

    def admitted(self) -> list[tuple[int, int]]:
        """The packs that it takes: decks, and cards of a deck."""
        return [
            (decks, deck)
            for deck in self.values["decks.packs"]
            for decks in range(1, self.values["decks.most"] + 1)
            if not self.rows or decks * deck in self.rows
        ]

    def row(self, pack: int) -> Row:
        """The weights by which bins are chosen while so many cards belong to the machine."""
        if not self.rows:
            return alike(self.whole("bins.capacity"))
        if pack not in self.rows:
            raise ValueError(
                f"{self.name} admits no pack of {pack} cards: it has no [weights.{pack}]"
            )
        return self.rows[pack]

    @property
    def positions(self) -> int:
        """What the motor counts: one a bin, two a shelf (on top, underneath)."""
        return self.whole("bins.count") * (2 if self.mechanism == "shelves" else 1)

    @property
    def legs(self) -> tuple[int, ...]:
        """Half bins of the legs that every turn is made of; none: straight to the bin."""
        return tuple(self.values.get("motor.legs", ()))

    def whole(self, key: str) -> int:
        return int(self.values[key])


LEAST_TESTED = 1000  # legs of a listening test that says anything


def shipped() -> list[Path]:
    """The machine files that come with cutcard."""
    return sorted(FOLDER.glob("*.toml"))


def find(name: str) -> Machine:
    """The machine of that name, or the machine file at that path."""
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
    """Read and check a file. Raises MachineFileError with every problem it has."""
    try:
        table = untrusted.read_toml(file)
    except OSError as error:
        raise MachineFileError(str(file), [f"cannot be read: {error.strerror}"]) from error
    except untrusted.BadContent as error:
        raise MachineFileError(str(file), [str(error)]) from error
    return check(file, table)


def check(file: Path, table: dict[str, Any]) -> Machine:
    pins = table.pop("pins", {})
    weights = table.pop("weights", {})
    given = _flatten(table)
    keys = keys_of(given.get("kind"))
    problems = _unknown(given, keys) + _wrong(given, keys)
    values = {key: given.get(key, row.default) for key, row in keys.items()}
    if not problems:
        of_cards = values["kind"] in CARD_KINDS
        problems = (_contradictions(values) if of_cards else []) + _of_any_kind(values)
        problems += _pin_problems(values["kind"], values.get("tables.most", 0), pins)
    rows: dict[int, Row] = {}
    if not problems:
        rows, problems = read_rows(values, weights)
    if problems:
        raise MachineFileError(str(file), problems)
    return Machine(file, values, pins, rows)


def _flatten(table: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": each for inner, each in value.items()})
        else:
            flat[key] = value
    return flat


def _unknown(given: dict[str, Any], keys: dict[str, Key]) -> list[str]:
    return [
        f"{key} = {value!r}: a {given['kind']} has no such key"
        if key in KEYS
        else f"{key} = {value!r}: there is no such key; known are {', '.join(_siblings(key))}"
        for key, value in given.items()
        if key not in keys
    ]


def _siblings(key: str) -> list[str]:
    section = key.split(".")[0] + "."
    return [known for known in KEYS if known.startswith(section)] or [
        known for known in KEYS if "." not in known
    ]


def _wrong(given: dict[str, Any], keys: dict[str, Key]) -> list[str]:
    problems = []
    for key, row in keys.items():
        if key not in given:
            if row.default is None:
                problems.append(f"{key} is missing: it must be {row.allowed}")
        elif not row.allowed.allows(given[key]):
            problems.append(f"{key} = {given[key]!r}: must be {row.allowed}")
    return problems


def _contradictions(values: dict[str, Any]) -> list[str]:
    """Values of a card machine that are fine alone and impossible together."""
    problems = []

    def demand(holds: bool, key: str, rule: str) -> None:
        if not holds:
            problems.append(f"{key} = {values[key]!r}: {rule}")

    mechanism, bins, capacity = (
        values["mechanism"],
        values["bins.count"],
        values["bins.capacity"],
    )
    cards = values["decks.most"] * max(values["decks.packs"])
    demand(
        (values["kind"] == "shoe") == (mechanism == "stack"),
        "mechanism",
        "a shoe has mechanism stack, a shuffler carousel, shelves or slots",
    )
    if mechanism == "stack":
        demand(bins == 0, "bins.count", "a shoe has no bins")
        demand(capacity >= cards, "bins.capacity", f"must hold all {cards} cards of decks.most")
    else:
        demand(bins > 0, "bins.count", "a shuffler needs at least 1")
        demand(
            bins * capacity >= cards,
            "decks.most",
            f"{cards} cards do not fit into {bins} bins of {capacity}",
        )
    if mechanism == "slots":
        demand(capacity == 1, "bins.capacity", "a slot holds 1 card")
    if mechanism == "carousel":
        demand(
            0 < values["chute.low"] < values["chute.high"],
            "chute.low",
            f"must be above 0 and below chute.high ({values['chute.high']})",
        )
        demand(values["chute.high"] <= MOST_CARDS, "chute.high", f"must be at most {MOST_CARDS}")
    else:
        demand(values["ejection"] == "group", "ejection", "only a carousel brings out single cards")
        demand(
            values["chute.low"] == values["chute.high"] == 0,
            "chute.high",
            f"{mechanism} has no chute marks: leave [chute] out",
        )
    demand(
        values["timing.entry_seen"] <= values["timing.entry_retry"],
        "timing.entry_seen",
        f"must not be above timing.entry_retry ({values['timing.entry_retry']})",
    )
    demand(
        values["timing.debounce"] < values["timing.double"],
        "timing.double",
        f"must be above timing.debounce ({values['timing.debounce']})",
    )
    steps = values["motor.steps_bin"]
    positions = 2 * bins if mechanism == "shelves" else bins
    demand(
        positions * steps <= MOST_PULSES,
        "motor.steps_bin",
        f"{positions} positions are {positions * steps} steps; a turn has at most {MOST_PULSES}",
    )
    demand(
        not values["motor.legs"] or steps % 2 == 0,
        "motor.steps_bin",
        "must be even where turns have legs: they count half bins",
    )
    if values["motor.legs"]:
        try:
            if not positions:
                raise ValueError("there is no wheel that they could turn")
            ways(values["motor.legs"], positions)
        except ValueError as error:
            demand(False, "motor.legs", str(error))
    tested = values["sound.tested"]
    demand(
        not tested or (len(tested) == 2 and tested[1] <= tested[0] >= LEAST_TESTED),
        "sound.tested",
        f"must be [legs, told right], of {LEAST_TESTED:,} legs or more",
    )
    demand(
        not tested or values["sound.direction"] == "hidden",
        "sound.tested",
        "goes with sound.direction = 'hidden': a direction that is heard needs no test",
    )
    pulse = values["timing.turn_bin"] * 1000 // steps
    demand(
        mechanism == "stack" or pulse in PULSE_MICROSECONDS,
        "motor.steps_bin",
        f"timing.turn_bin leaves {pulse} us a step; it must be {PULSE_MICROSECONDS.start} to "
        f"{PULSE_MICROSECONDS.stop - 1}",
    )
    return problems


def _of_any_kind(values: dict[str, Any]) -> list[str]:
    problems = []
    if values["board.console"] == "open" and values["board.link"] == "usb":
        problems.append(
            "board.console = 'open': open needs board.link = 'uart': on USB the link's bytes "
            "would interrupt the firmware"
        )
    try:
        noise_settings(values["noise.entropy"], alarm_bits=values["noise.alpha"])
    except ValueError as error:
        problems.append(f"noise.entropy = {values['noise.entropy']!r}: {error}")
    return problems


def _pin_problems(kind: str, tables: int, pins: object) -> list[str]:
    if not isinstance(pins, dict):
        return [f"pins = {pins!r}: must be tables, such as [pins.pico]"]
    problems = []
    for board, wiring in pins.items():
        where = f"pins.{board}"
        if not isinstance(wiring, dict):
            problems.append(f"{where} = {wiring!r}: must be a table of pins and their GPIOs")
            continue
        if board not in BOARDS:
            problems.append(f"{where}: no such board; known are {', '.join(BOARDS)}")
            continue
        needed = pins_needed(kind, tables)
        taken: dict[int, str] = {}
        for name, gpio in wiring.items():
            if name not in needed:
                problems.append(f"{where}.{name} = {gpio!r}: a {kind} has no such pin")
            elif type(gpio) is not int or gpio not in PICO_GPIOS:
                problems.append(f"{where}.{name} = {gpio!r}: must be a GPIO, 0 to 22 or 26 to 28")
            elif gpio not in UART_GPIOS.get(name, PICO_GPIOS):
                reach = " or ".join(map(str, UART_GPIOS[name]))
                problems.append(f"{where}.{name} = {gpio}: its UART reaches only GPIO {reach}")
            elif gpio in taken:
                problems.append(f"{where}.{name} = {gpio}: {taken[gpio]} has this GPIO already")
            else:
                taken[gpio] = name
        problems += [
            f"{where}.{name} is missing: a {kind} needs it" for name in needed if name not in wiring
        ]
    return problems
