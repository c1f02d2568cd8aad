"""The schema of machine files: one table of keys for the check, the compiler and the manual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutcard.machines.legs import MOST_LEGS
from cutcard_firmware.core.devices.sensors import TABLES


class MachineFileError(Exception):
    """A machine file cannot be used. `problems` holds every reason, not only the first."""

    def __init__(self, file: str, problems: list[str]) -> None:
        super().__init__("\n".join(f"{file}: {problem}" for problem in problems))
        self.file = file
        self.problems = problems


@dataclass(frozen=True)
class WholeValue:
    """A whole number within bounds."""

    low: int
    high: int

    def allows(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self._within(value)

    def _within(self, value: int) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        return f"a whole number from {self.low} to {self.high}"


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
    """A list with at least one of these values, none twice."""

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
    """A list of whole numbers within bounds, none or up to `most` of them."""

    low: int
    high: int
    most: int

    def allows(self, value: Any) -> bool:
        each = WholeValue(self.low, self.high)
        return isinstance(value, list) and len(value) <= self.most and all(map(each.allows, value))

    def __str__(self) -> str:
        return f"a list of up to {self.most} whole numbers from {self.low} to {self.high}"


@dataclass(frozen=True)
class TextValue:
    """Words; `slug`: small letters, digits and dashes, as it names files and ports."""

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
# The lines of a controller by the numbers that the firmware has for the sensors of a card machine.
CONTROLLER_SENSORS = ("button-1", "button-2", "button-3", "button-4", "", "", "", "", "door", "")


@dataclass(frozen=True)
class MachineFileKey:
    """One key of a machine file. A default of None means that it must be given."""

    allowed: Allowed
    default: Any
    constant: str  # its name in machine_spec.py; empty where it is not compiled as it stands
    meaning: str
    kinds: tuple[str, ...] = CARD_KINDS


MECHANISMS = ("carousel", "shelves", "slots", "stack")
EJECTIONS = ("single", "group")
ORDERS = ("first-in-first-out",)
MOST_CARDS = 416  # eight decks of 52

_MS = "ms"

KEYS: dict[str, MachineFileKey] = {
    "name": MachineFileKey(
        TextValue(24, slug=True), None, "NAME", "as ports and the handshake call it", KINDS
    ),
    "kind": MachineFileKey(
        ChoiceValue(KINDS), None, "KIND", "which device's logic runs on it", KINDS
    ),
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
        "what one push of a carousel's ejector brings out: single (one card) or group (the bin)",
    ),
    "description": MachineFileKey(TextValue(200), "", "", "for people", KINDS),
    "tables.most": MachineFileKey(
        WholeValue(1, TABLES), TABLES, "TABLES", "tables that a controller serves", _PANEL
    ),
    "bins.count": MachineFileKey(
        WholeValue(0, 512), 0, "BINS", "bins, shelves or slots; a shoe has none"
    ),
    "bins.capacity": MachineFileKey(
        WholeValue(1, 512), None, "CAPACITY", "cards a bin takes; in a shoe, cards it holds"
    ),
    "bins.order": MachineFileKey(
        ChoiceValue(ORDERS),
        ORDERS[0],
        "",
        "which card of a bin leaves first, as its maker declares",
    ),
    "chute.low": MachineFileKey(
        WholeValue(0, 400), 0, "CHUTE_LOW", "the chute is filled up below this"
    ),
    "chute.high": MachineFileKey(
        WholeValue(0, 512), 0, "CHUTE_HIGH", "no bin is ejected from here on"
    ),
    "decks.most": MachineFileKey(WholeValue(1, 8), None, "MOST_DECKS", "decks it takes"),
    "decks.packs": MachineFileKey(
        SubsetValue((48, 52)), [52, 48], "PACKS", "cards a deck may have"
    ),
    "timing.debounce": MachineFileKey(
        WholeValue(1, 60), 15, "DEBOUNCE", f"{_MS} a sensor's level must hold", KINDS
    ),
    "timing.display": MachineFileKey(
        WholeValue(50, 5000),
        500,
        "DISPLAY",
        f"{_MS} until a controller's display has said what it shows, then it has failed",
        _PANEL,
    ),
    "timing.held": MachineFileKey(
        WholeValue(500, 60000),
        5000,
        "HELD",
        f"{_MS} a button may be down, then it is stuck",
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
        WholeValue(100, 10000), 1000, "ENTRY_CLEAR", f"{_MS} a card may cover the entry, then a jam"
    ),
    "timing.double": MachineFileKey(
        WholeValue(20, 1000),
        130,
        "DOUBLE",
        f"{_MS} of cover at the entry that one card never takes",
    ),
    "timing.exit_seen": MachineFileKey(
        WholeValue(50, 5000), 200, "EXIT_SEEN", f"{_MS} of ejecting until a card covers the exit"
    ),
    "timing.exit_vibrate": MachineFileKey(
        WholeValue(0, 5000),
        300,
        "EXIT_VIBRATE",
        f"{_MS} more of shaking until a bin counts as empty",
    ),
    "timing.exit_clear": MachineFileKey(
        WholeValue(100, 10000), 1000, "EXIT_CLEAR", f"{_MS} a card may cover the exit, then a jam"
    ),
    "timing.turn_bin": MachineFileKey(
        WholeValue(1, 1000), 12, "TURN_BIN", f"{_MS} to move on by one bin"
    ),
    "timing.turn_slack": MachineFileKey(
        WholeValue(10, 5000), 300, "TURN_SLACK", f"{_MS} a turn may take longer, then it is stuck"
    ),
    "timing.mouth_clear": MachineFileKey(
        WholeValue(200, 60000), 3000, "MOUTH_CLEAR", f"{_MS} a card may lie in the mouth"
    ),
    "timing.stuck": MachineFileKey(
        WholeValue(100, 60000), 2000, "STUCK", f"{_MS} after which a sensor is stuck"
    ),
    "timing.tray_settle": MachineFileKey(
        WholeValue(20, 5000), 120, "TRAY_SETTLE", f"{_MS} the tray must stay empty to be empty"
    ),
    "timing.cycle": MachineFileKey(
        WholeValue(10, 4000),
        100,
        "CYCLE",
        f"{_MS} between background cycles of the random source",
        KINDS,
    ),
    "motor.steps_bin": MachineFileKey(
        WholeValue(1, 400), 16, "STEPS_BIN", "steps of the stepper that move on by one bin"
    ),
    "motor.steps_card": MachineFileKey(
        WholeValue(1, 100), 4, "STEPS_CARD", "steps of a shoe's pointer for one card of depth"
    ),
    "motor.legs": MachineFileKey(
        WholeListValue(1, 512, MOST_LEGS),
        [],
        "",
        "half bins of the legs that every turn is made of, some of them back; "
        "none: straight to the bin",
    ),
    "sound.direction": MachineFileKey(
        ChoiceValue(("heard", "hidden")),
        "heard",
        "",
        "hidden: its maker states that nobody at the table can tell which way the wheel turns",
    ),
    "sound.tested": MachineFileKey(
        WholeListValue(0, 1_000_000, 2),
        [],
        "",
        "legs in its maker's listening test, and how many were told right; none: nobody listened",
    ),
    "board.link": MachineFileKey(
        ChoiceValue(("usb", "uart")), "usb", "LINK", "which port of the board the host is on", KINDS
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
        FractionValue(0.0, 1.0), 0.5, "", "bits of min-entropy claimed of each raw sample", KINDS
    ),
    "noise.alpha": MachineFileKey(
        WholeValue(20, 40),
        30,
        "",
        "a health test raises a false alarm with probability 2^-alpha",
        KINDS,
    ),
}

# Pins of a board, by the name firmware and wiring use. Every sensor and motor of a
# mechanism must have one: a machine that cannot see its entry cannot be described.
LINK_PINS = ("link_tx", "link_rx", "reader_tx", "reader_rx")
MOUTH_PINS = ("mouth", "face", "cut", "door", "gate", "light_ready", "light_fault")
SHUFFLER_PINS = (
    *("tray", "entry", "home", "exit", "chute", "stall"),
    *("feed", "turn_step", "turn_direction", "turn_enable", "eject"),
)
SHOE_PINS = ("tray", "pointer_step", "pointer_direction")
# Of a controller; meters and panel are on one line, where a card machine has its reader.
PANEL_PINS = ("display_tx", "display_rx", "door", "light_ready", "light_fault")
PICO_GPIOS = (*range(23), 26, 27, 28)
BOARDS = ("pico", "pico2")
# Where a UART can be reached: UART 0 for the link, UART 1 for the reader or the displays.
UART_GPIOS = {
    "link_tx": (0, 12, 16, 28),
    "link_rx": (1, 13, 17),
    "reader_tx": (4, 8, 20),
    "reader_rx": (5, 9, 21),
    "display_tx": (4, 8, 20),
    "display_rx": (5, 9, 21),
}
# What the step generator can count and time: pulses of a turn, microseconds of a pulse.
MOST_PULSES = 65535
PULSE_MICROSECONDS = range(100, 32001)


def pins_needed(kind: str, tables: int = 0) -> tuple[str, ...]:
    if kind == "controller":
        at_tables = [f"{part}_{n}" for n in range(1, tables + 1) for part in ("button", "lamp")]
        return ("link_tx", "link_rx", *PANEL_PINS, *at_tables)
    own = SHOE_PINS if kind == "shoe" else SHUFFLER_PINS
    return LINK_PINS + MOUTH_PINS + own


def keys_of(kind: object) -> dict[str, MachineFileKey]:
    """The keys that a machine file of that kind may have; all, where the kind is none."""
    return {key: row for key, row in KEYS.items() if kind not in KINDS or kind in row.kinds}
