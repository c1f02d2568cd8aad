"""The schema of machine files: one table of keys for the check, the compiler and the manual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutcard.machines.legs import MOST_LEGS
from cutcard_firmware.core.devices.sensors import TABLES


class MachineFileError(Exception):
    """A machine file cannot be used. `problems` has every reason, not only the first."""

    def __init__(self, file: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))
        self.file = file
        self.problems = problems


@dataclass(frozen=True)
class WholeValue:
    """An integer within bounds."""

    low: int
    high: int

    def allows(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self._within(value)

    def _within(self, value: int) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"an integer from {self.low} to {self.high}"


@dataclass(frozen=True)
class FractionValue:
    """A number above `low`, up to `high`."""

    low: float
    high: float

    def allows(self, value: Any) -> bool:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and self.low < value <= self.high

    def __str__(self) -> str:
        return f"a number above {self.low:g}, at most {self.high:g}"


@dataclass(frozen=True)
class ChoiceValue:
    of: tuple[str, ...]

    def allows(self, value: Any) -> bool:
        return value in self.of

    def __str__(self) -> str:
        return "one of " + ", ".join(self.of)


@dataclass(frozen=True)
class SubsetValue:
    """A list with at least one of these values, without duplicates."""

    of: tuple[int, ...]

    def allows(self, value: Any) -> bool:
        return (
            isinstance(value, list)
            and bool(value)
            and all(each in self.of for each in value)
            and len(set(value)) == len(value)
        )

    def __str__(self) -> str:
        return "a list of some of " + ", ".join(map(str, self.of))


@dataclass(frozen=True)
class WholeListValue:
    """A list of up to `most` integers within bounds; it may be empty."""

    low: int
    high: int
    most: int

    def allows(self, value: Any) -> bool:
        each = WholeValue(self.low, self.high)
        return isinstance(value, list) and len(value) <= self.most and all(map(each.allows, value))

    def __str__(self) -> str:
        return f"a list of up to {self.most} integers from {self.low} to {self.high}"


@dataclass(frozen=True)
class TextValue:
    """A string; `slug`: small letters, digits and dashes, as it is used in file names and ports."""

    longest: int
    slug: bool = False

    def allows(self, value: Any) -> bool:
        if not isinstance(value, str) or not 0 < len(value) <= self.longest:
            return False
        return not self.slug or all(c.isascii() and (c.isalnum() or c == "-") for c in value)

    def __str__(self) -> str:
        kind = "letters, digits and dashes" if self.slug else "text"
        return f"{kind}, at most {self.longest} characters"


Allowed = WholeValue | WholeListValue | FractionValue | ChoiceValue | SubsetValue | TextValue


CARD_KINDS = ("shuffler", "shoe")
KINDS = (*CARD_KINDS, "controller")
_PANEL = ("controller",)
# The lines of a controller by the sensor numbers that the firmware uses for card machines.
CONTROLLER_SENSORS = ("button-1", "button-2", "button-3", "button-4", "", "", "", "", "door", "")


@dataclass(frozen=True)
class MachineFileKey:
    """One key of a machine file. A key with a default of None is required."""

    allowed: Allowed
    default: Any
    constant: str  # the name in machine_spec.py; empty if it is not compiled directly
    meaning: str
    kinds: tuple[str, ...] = CARD_KINDS


MECHANISMS = ("carousel", "shelves", "slots", "stack")
EJECTIONS = ("single", "group")
ORDERS = ("first-in-first-out",)
MOST_CARDS = 416  # eight decks of 52

_MS = "ms"

KEYS: dict[str, MachineFileKey] = {
    "name": MachineFileKey(
        TextValue(24, slug=True), None, "NAME", "the name in ports and the handshake", KINDS
    ),
    "kind": MachineFileKey(ChoiceValue(KINDS), None, "KIND", "the kind of device", KINDS),
    "mechanism": MachineFileKey(
        ChoiceValue(MECHANISMS),
        None,
        "MECHANISM",
        "carousel (bins, continuous), shelves (top or bottom of each), "
        "slots (one card each), stack (a shoe)",
    ),
    "ejection": MachineFileKey(
        ChoiceValue(EJECTIONS),
        "group",
        "EJECTION",
        "cards moved by one push of a carousel's ejector: single (one card) or group (the bin)",
    ),
    "description": MachineFileKey(TextValue(200), "", "", "a text for people", KINDS),
    "tables.most": MachineFileKey(
        WholeValue(1, TABLES), TABLES, "TABLES", "tables that a controller serves", _PANEL
    ),
    "bins.count": MachineFileKey(
        WholeValue(0, 512), 0, "BINS", "number of bins, shelves or slots; 0 for a shoe"
    ),
    "bins.capacity": MachineFileKey(
        WholeValue(1, 512), None, "CAPACITY", "maximum cards in a bin, or in a shoe"
    ),
    "bins.order": MachineFileKey(
        ChoiceValue(ORDERS),
        ORDERS[0],
        "",
        "the order in which cards leave a bin, as declared by the manufacturer",
    ),
    "chute.low": MachineFileKey(
        WholeValue(0, 400), 0, "CHUTE_LOW", "the chute is refilled below this number of cards"
    ),
    "chute.high": MachineFileKey(
        WholeValue(0, 512), 0, "CHUTE_HIGH", "no bin is ejected from this number of cards on"
    ),
    "decks.most": MachineFileKey(WholeValue(1, 8), None, "MOST_DECKS", "maximum number of decks"),
    "decks.packs": MachineFileKey(
        SubsetValue((48, 52)), [52, 48], "PACKS", "allowed numbers of cards in a deck"
    ),
    "timing.debounce": MachineFileKey(
        WholeValue(1, 60), 15, "DEBOUNCE", f"{_MS} that a sensor's level must be stable", KINDS
    ),
    "timing.display": MachineFileKey(
        WholeValue(50, 5000),
        500,
        "DISPLAY",
        f"{_MS} for a controller's display to report its content, then it has failed",
        _PANEL,
    ),
    "timing.held": MachineFileKey(
        WholeValue(500, 60000),
        5000,
        "HELD",
        f"{_MS} that a button may be pressed, then it is stuck",
        _PANEL,
    ),
    "timing.entry_seen": MachineFileKey(
        WholeValue(50, 5000), 400, "ENTRY_SEEN", f"{_MS} of feeding until a card covers the entry"
    ),
    "timing.entry_retry": MachineFileKey(
        WholeValue(50, 10000),
        1000,
        "ENTRY_RETRY",
        f"{_MS} of feeding and retrying, then it is stuck",
    ),
    "timing.entry_clear": MachineFileKey(
        WholeValue(100, 10000),
        1000,
        "ENTRY_CLEAR",
        f"{_MS} that a card may cover the entry, then it is a jam",
    ),
    "timing.double": MachineFileKey(
        WholeValue(20, 1000),
        130,
        "DOUBLE",
        f"{_MS} of cover at the entry that a single card never reaches",
    ),
    "timing.exit_seen": MachineFileKey(
        WholeValue(50, 5000), 200, "EXIT_SEEN", f"{_MS} of ejecting until a card covers the exit"
    ),
    "timing.exit_vibrate": MachineFileKey(
        WholeValue(0, 5000),
        300,
        "EXIT_VIBRATE",
        f"additional {_MS} of shaking until a bin counts as empty",
    ),
    "timing.exit_clear": MachineFileKey(
        WholeValue(100, 10000),
        1000,
        "EXIT_CLEAR",
        f"{_MS} that a card may cover the exit, then it is a jam",
    ),
    "timing.turn_bin": MachineFileKey(
        WholeValue(1, 1000), 12, "TURN_BIN", f"{_MS} to turn by one bin"
    ),
    "timing.turn_slack": MachineFileKey(
        WholeValue(10, 5000), 300, "TURN_SLACK", f"additional {_MS} for a turn, then it is stuck"
    ),
    "timing.mouth_clear": MachineFileKey(
        WholeValue(200, 60000), 3000, "MOUTH_CLEAR", f"{_MS} that a card may stay in the mouth"
    ),
    "timing.stuck": MachineFileKey(
        WholeValue(100, 60000), 2000, "STUCK", f"{_MS} until a sensor counts as stuck"
    ),
    "timing.tray_settle": MachineFileKey(
        WholeValue(20, 5000),
        120,
        "TRAY_SETTLE",
        f"{_MS} without a card until the tray counts as empty",
    ),
    "timing.cycle": MachineFileKey(
        WholeValue(10, 4000),
        100,
        "CYCLE",
        f"{_MS} between background cycles of the random source",
        KINDS,
    ),
    "motor.steps_bin": MachineFileKey(
        WholeValue(1, 400), 16, "STEPS_BIN", "motor steps for one bin"
    ),
    "motor.steps_card": MachineFileKey(
        WholeValue(1, 100), 4, "STEPS_CARD", "motor steps of a shoe's pointer for one card of depth"
    ),
    "motor.legs": MachineFileKey(
        WholeListValue(1, 512, MOST_LEGS),
        [],
        "",
        "length of each leg of a turn in half bins, some of them backwards; "
        "empty: straight to the bin",
    ),
    "sound.direction": MachineFileKey(
        ChoiceValue(("heard", "hidden")),
        "heard",
        "",
        "hidden: the manufacturer states that no person at the table can determine the "
        "direction of the wheel",
    ),
    "sound.tested": MachineFileKey(
        WholeListValue(0, 1_000_000, 2),
        [],
        "",
        "legs in the manufacturer's listening test, and legs guessed right; empty: not tested",
    ),
    "board.link": MachineFileKey(
        ChoiceValue(("usb", "uart")), "usb", "LINK", "the board's port to the host", KINDS
    ),
    "board.console": MachineFileKey(
        ChoiceValue(("locked", "open")),
        "locked",
        "CONSOLE",
        "open: MicroPython's prompt on USB for a developer, and no watchdog; never at a table",
        KINDS,
    ),
    "noise.interval": MachineFileKey(
        WholeValue(1, 1000),
        10,
        "NOISE_MICROSECONDS",
        "microseconds from one raw sample to the next",
        KINDS,
    ),
    "noise.entropy": MachineFileKey(
        FractionValue(0.0, 1.0), 0.04, "", "bits of min-entropy claimed of each raw sample", KINDS
    ),
    "noise.alpha": MachineFileKey(
        WholeValue(20, 40),
        30,
        "",
        "the probability of a false alarm of a health test is 2^-alpha",
        KINDS,
    ),
}

# Pins of a board, by the name in firmware and wiring. Every sensor and motor of a mechanism must
# have one: a machine without an entry sensor cannot be described.
LINK_PINS = ("link_tx", "link_rx", "reader_tx", "reader_rx")
MOUTH_PINS = ("mouth", "face", "cut", "door", "gate", "light_ready", "light_fault")
SHUFFLER_PINS = (
    *("tray", "entry", "home", "exit", "chute", "stall"),
    *("feed", "turn_step", "turn_direction", "turn_enable", "eject"),
)
SHOE_PINS = ("tray", "pointer_step", "pointer_direction")
# Pins of a controller; meters and panel share a line, at the place of a card machine's reader.
PANEL_PINS = ("display_tx", "display_rx", "door", "light_ready", "light_fault")
PICO_GPIOS = (*range(23), 26, 27, 28)
BOARDS = ("pico", "pico2")
# The pins of each UART: UART 0 for the link, UART 1 for the reader or the displays.
UART_GPIOS = {
    "link_tx": (0, 12, 16, 28),
    "link_rx": (1, 13, 17),
    "reader_tx": (4, 8, 20),
    "reader_rx": (5, 9, 21),
    "display_tx": (4, 8, 20),
    "display_rx": (5, 9, 21),
}
# The limits of the step generator: pulses of a turn, microseconds of a pulse.
MOST_PULSES = 65535
PULSE_MICROSECONDS = range(100, 32001)


def pins_needed(kind: str, tables: int = 0) -> tuple[str, ...]:
    if kind == "controller":
        at_tables = [f"{part}_{n}" for n in range(1, tables + 1) for part in ("button", "lamp")]
        return ("link_tx", "link_rx", *PANEL_PINS, *at_tables)
    own = SHOE_PINS if kind == "shoe" else SHUFFLER_PINS
    return LINK_PINS + MOUTH_PINS + own


def keys_of(kind: object) -> dict[str, MachineFileKey]:
    """Return the keys that a machine file of that kind may have; all keys for an unknown kind."""
    return {key: row for key, row in KEYS.items() if kind not in KINDS or kind in row.kinds}
