"""The advice for every refusal and every fault that a device can report.

A device sends a number and up to two arguments, because it has no room for sentences. The
placeholders below are the names of those arguments in the message schema. The advice for faults
comes from `cutcard/faults/faults.toml`.
"""

from __future__ import annotations

from cutcard import faults
from cutcard.image.reasons import explain_detail
from cutcard.machines.schema import CONTROLLER_SENSORS
from cutcard_firmware.core.devices.sensors import SENSORS
from cutcard_firmware.core.image import manifest
from cutcard_firmware.core.schema import messages

_UNKNOWN = "unknown-refusal-"

# Refusal -> (problem, next step).
REFUSALS: dict[str, tuple[str, str]] = {
    "ok": ("the command was carried out.", "No action is needed."),
    "unknown-command": (
        "the device does not know the command {op}.",
        "Its firmware is older than this driver: flash the firmware that came with the driver.",
    ),
    "malformed": (
        "the arguments of the command {op} do not have the length the message schema gives.",
        "If this driver sent it, report the bug; a client of your own must follow "
        "docs/reference/wire-protocol.md.",
    ),
    "wrong-mode": (
        "the command is not possible while the device is {mode}.",
        "Wait until it is done (`wait_for`), or bring it into the right mode first: an empty "
        "machine is loaded, a ready one deals, a loaded one is unloaded; a controller resumes and "
        "renews after a fault only.",
    ),
    "in-fault": (
        "the device is in the fault {fault} (detail {detail}).",
        "Clear the cause, then call `recover` with the number of cards that lie outside; a "
        "controller has `resume`.",
    ),
    "bad-decks": (
        "{decks} decks were asked for and the machine takes 1 to {most}.",
        "Give a number of decks in that range.",
    ),
    "bad-pack": (
        "a pack of {pack} cards is not one this machine takes.",
        "Use pack=52, or 48 for decks without the tens.",
    ),
    "out-of-bounds": (
        "the place is not within {low} to {high} cards.",
        "Choose a depth within the bounds; the rulebook sets them, the shoe enforces them.",
    ),
    "not-enough-cards": (
        "{asked} cards were asked for and {there} are there.",
        "Ask for fewer, return the discards, or load again.",
    ),
    "event-store-full": (
        "{kept} events are kept that no host has acknowledged, so no card may leave.",
        "Read `events()` (that acknowledges them), then repeat the command.",
    ),
    "stale-command": (
        "the command's number is not the one after {last}, the last the device carried out.",
        "Another host has commanded this device: close, open a new session and look at `status`.",
    ),
    "not-clear": (
        "the sensor {sensor} still sees something.",
        "Take the card out, close the door or free the button at that sensor, then repeat the "
        "command.",
    ),
    "storage-full": (
        "the device's flash has no room for the record, so no card was moved.",
        "Acknowledge all events; if it stays full, unload and have the flash checked.",
    ),
    "not-provisioned": (
        "the device holds no key.",
        "Run `cutcard provision PORT` once on a computer you trust.",
    ),
    "already-provisioned": (
        "the device holds a key already and takes no other.",
        "Use the computer that holds its key; a new key needs a factory reset at the board.",
    ),
    "wrong-proof": (
        "the device did not accept this computer's key.",
        "Check that the key belongs to this serial number; copy the right key file over.",
    ),
    "wrong-table": (
        "the device speaks version {version} of the wire, or another message schema.",
        "Flash the firmware that came with this driver, or install the driver of that firmware.",
    ),
    "no-session": (
        "the device has no session with this computer (it was reset, or another host took over).",
        "Open the device again; the driver does this by itself within a call's deadline.",
    ),
    "no-cutting-card": (
        "{placed} cutting cards are placed and {most} may be.",
        "Do not place another; a continuous shuffler does not use cutting cards.",
    ),
    "old-frame": (
        "a frame arrived again or out of order; the device counts at {counter}.",
        "Open a new session. If it happens often, another program may be replaying frames on "
        "the line.",
    ),
    "still-armed": (
        "{cards} cards are still called for and not yet drawn.",
        "Draw them, or call `disarm` first.",
    ),
    "too-many": (
        "{asked} cards were called for together; the most is {most}.",
        "Ask again for the rest afterwards.",
    ),
    "tray-empty": (
        "no cards lie in the tray.",
        "Put the cards in, then repeat the command.",
    ),
    "other-device": (
        "the command is not for a {kind}.",
        "Open the device with the class of its kind: Shuffler, Shoe or Controller.",
    ),
    "no-such-table": (
        "the controller has no table {table}: it serves 1 to {most}.",
        "Use a number in that range; a further table needs a further controller.",
    ),
    "no-prizes": (
        "table {table} has no prizes to draw from.",
        "Call `set_prizes` for that table once; `cutcard prize table` prints those of a rulebook.",
    ),
    "bad-prizes": (
        "the table of prizes is wrong at line {row} (line 0: the entire table, because it is "
        "empty, worth zero, or too large).",
        "Write a line for each prize, `NUMBER AMOUNT` and a newline, numbers without leading "
        "zeros, 1 or more of each, and not all amounts zero.",
    ),
    "no-wager": (
        "a press at table {table} needs a wager above zero.",
        "Give the wager in cents; without a wager, a press draws no prize.",
    ),
    "old-round": (
        "round {round} is over: the table is in round {last}.",
        "Give each round a number above the last; draws of older rounds are in the journal.",
    ),
    "other-wager": (
        "this press has been, with {first} and not with {wager}.",
        "Repeat it unchanged to get the same prize; if a ruling orders another press, use "
        "the next attempt.",
    ),
    "on-offer": (
        "the button at table {table} is on offer for another press.",
        "Wait for it, or call `withdraw` first.",
    ),
    "draws-full": (
        "{kept} draws of rounds that are still on are kept, and that is all there is room for.",
        "Begin the next round at a table that has settled its prizes.",
    ),
    "nothing-to-select": (
        "the list for table {table} has no wager to select from.",
        "Give the number of wagers in the list, 1 or more.",
    ),
    "laboratory-only": (
        "raw noise, raw output and draws are given in laboratory mode only; it is {mode}.",
        "Take all cards out, then use `with device.laboratory() as laboratory`.",
    ),
    "image-refused": (
        "the device refuses the image: {reason} ({which}).",
        "`cutcard flash` explains the reason; `cutcard image verify` explains the image.",
    ),
}

# `bad-decks` for a number of decks within the range.
NO_WEIGHTS = (
    "the machine admits no pack of {decks} decks with this number of cards in a deck.",
    "Choose a pack for which the machine file has weights: `cutcard machine show MACHINE` lists "
    "them (`weights.312` is six decks of 52 cards).",
)

# Fault -> advice to the person at the table.
FAULTS: dict[str, str] = {
    "none": "No action is needed.",
    **{name: fault.hint for name, fault in faults.FAULTS.items()},
}


def advice(fault: str, kind: str = "") -> str:
    """Return the advice for a fault of a device of that kind, also for an unknown fault."""
    if fault == "none":
        return FAULTS[fault]
    found = faults.fault_of(fault)
    return found.controller_hint if kind == "controller" else found.hint


def _argument(name: str, value: int, kind: str) -> str:
    """Return an argument in words: modes, faults, sensors and commands by name."""
    names: dict[str, tuple[str, ...]] = {
        "mode": messages.MODES,
        "sensor": CONTROLLER_SENSORS if kind == "controller" else SENSORS,
        "kind": messages.KINDS,
        "reason": manifest.REASONS,
    }
    if name == "fault":
        return faults.fault_name(value)
    if name == "op" and value in messages.COMMANDS:
        return str(messages.COMMANDS[value][0])
    if name in names and value < len(names[name]):
        return names[name][value]
    return str(value)


def refusal_name(number: int) -> str:
    """Return the name of a refusal by its number on the wire.

    `unknown-refusal-99` is a refusal that is not in the message schema of this driver.
    """
    if number not in messages.ERRORS:
        return f"{_UNKNOWN}{number}"
    return str(messages.ERRORS[number].split()[0])


def refusal_text(error: str, a: int, b: int, kind: str = "") -> tuple[str, str]:
    """Return the problem and the advice for a refusal, with its two numbers filled in.

    `kind` is the kind of the device: its sensors have other names than other kinds.
    """
    if error.startswith(_UNKNOWN):
        return (
            f"unknown refusal {error.removeprefix(_UNKNOWN)}: update cutcard.",
            f"The device did not carry out the command; its reply has the numbers {a} and {b}.",
        )
    _, a_name, b_name = (*messages.ERRORS[messages.ERROR[error]].split(), "", "")[:3]
    filled = {a_name: _argument(a_name, a, kind), b_name: _argument(b_name, b, kind)}
    is_in_range = error == "bad-decks" and 1 <= a <= b
    problem, hint = NO_WEIGHTS if is_in_range else REFUSALS[error]
    return problem.format_map(filled), hint.format_map(filled)


def cards_in_words(number: int) -> str:
    return "1 card" if number == 1 else f"{number} cards"


def after_recovery(inside: int, came_out: int | None) -> str:
    """Return the instruction to the person at the machine after the count was verified.

    `came_out` is None if the number of ejected cards is unknown.
    """
    if came_out == 0:
        return "No cards need to be put back: continue."
    if came_out is None:
        cards = "Cards may have come out while the device counted"
    else:
        cards = f"{cards_in_words(came_out)} came out while the device counted"
    if inside == 0:
        return (
            f"{cards}, and it is empty: put the complete pack in and call `load` (a shoe: `stack`)."
        )
    return (
        f"{cards}: keep them face down, apart from the hands in play, and put them into the tray "
        "before the next round; the device takes them in by itself."
    )


def fault_hint(fault: str, detail: int, kind: str = "") -> str:
    """Return the advice for a fault of a device of that kind, with its detail.

    The detail of `count-mismatch` is the machine's own count. It is left out, because the person
    who repeats the count must not know it.
    """
    if fault == "image-changed":
        return f"{explain_detail(detail)[0].capitalize()} {advice(fault, kind)}"
    shown = detail and fault != "count-mismatch"
    return advice(fault, kind) + (f" (detail {detail})" if shown else "")
