"""Find every mistake of a machine file in one pass: tables, keys, values and pins.

A rule that compares several values is skipped while one of them is missing or invalid, so that
one mistake in the file is reported once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from cutcard.machines.entropy import noise_settings
from cutcard.machines.legs import ways
from cutcard.machines.schema import (
    BOARDS,
    CARD_KINDS,
    KEYS,
    KINDS,
    MOST_CARDS,
    MOST_PULSES,
    PICO_GPIOS,
    PULSE_MICROSECONDS,
    UART_GPIOS,
    ChoiceValue,
    keys_of,
    pins_needed,
)
from cutcard.untrusted import nearest
from cutcard_firmware.core.storage.state import UNSURE

LEAST_TESTED = 1000  # the minimum number of legs in a meaningful listening test
TABLES = (*{key.partition(".")[0]: None for key in KEYS if "." in key}, "pins", "weights")


class NotUsableError(Exception):
    """Raised if a rule reads a value that is missing or invalid."""


class Values(dict[str, Any]):
    """The valid values of a machine file by key."""

    def __missing__(self, key: str) -> Any:
        raise NotUsableError(key)


def with_known_tables(table: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the file with misspelled tables under the right names, and a mistake for each."""
    named: dict[str, Any] = {}
    mistakes = []
    for name, value in table.items():
        meant = name
        if isinstance(value, dict) and name not in TABLES:
            meant = nearest(name, TABLES)
            hint = f"did you mean [{meant}]?" if meant else f"use one of {', '.join(TABLES)}"
            mistakes.append(f"[{name}]: unknown table; {hint}")
        if meant and (meant == name or meant not in table):
            named[meant] = value
    return named, mistakes


def read_values(table: dict[str, Any]) -> tuple[Values, list[str]]:
    """Return the valid values with the defaults filled in, and the mistakes in the others.

    A misspelled key or choice counts as the one it is most like, so that the rules apply to it.
    """
    given = _flatten(table)
    kind = given.get("kind")
    if kind not in KINDS:
        kind = nearest(kind, KINDS) or None
    keys = keys_of(kind)
    values, mistakes = Values(), []
    for key, value in list(given.items()):
        if key in keys:
            continue
        if key in KEYS:
            mistakes.append(f"{key} = {value!r}: a {kind} has no such key")
            continue
        like = _key_like(key, keys)
        hint = f"did you mean {like}?" if like else f"use one of {', '.join(_siblings(key))}"
        mistakes.append(f"{key} = {value!r}: unknown key; {hint}")
        if like:
            given.setdefault(like, value)
    for key, row in keys.items():
        if key not in given:
            if row.default is None:
                mistakes.append(f"{key} is missing: it must be {row.allowed}")
            else:
                values[key] = row.default
        elif row.allowed.allows(given[key]):
            values[key] = given[key]
        else:
            like = (
                nearest(given[key], row.allowed.of) if isinstance(row.allowed, ChoiceValue) else ""
            )
            hint = f"; did you mean {like}?" if like else ""
            mistakes.append(f"{key} = {given[key]!r}: must be {row.allowed}{hint}")
            if like:
                values[key] = like
    return values, mistakes


def _flatten(table: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": each for inner, each in value.items()})
        else:
            flat[key] = value
    return flat


def _key_like(key: str, keys: Collection[str]) -> str:
    """Return the key of the same table with a similar name, or the one of this name elsewhere."""
    table, _, name = key.rpartition(".")
    parts = [(known, *known.rpartition(".")[::2]) for known in keys]
    beside = {last: known for known, first, last in parts if first == table}
    elsewhere = [known for known, _, last in parts if last == name]
    return beside.get(nearest(name, beside), "") or next(iter(elsewhere), "")


def _siblings(key: str) -> list[str]:
    section = key.split(".")[0] + "."
    return [known for known in KEYS if known.startswith(section)] or [
        known for known in KEYS if "." not in known
    ]


def broken_rules(values: Values) -> Iterator[str]:
    """Yield the rules that values break in combination."""
    for rule in _OF_CARDS if values.get("kind") in CARD_KINDS else ():
        yield from _broken(rule, values)
    for rule in (_console, _entropy):
        yield from _broken(rule, values)


_Rule = Callable[[Values], Iterator[str]]


def _broken(rule: _Rule, values: Values) -> Iterator[str]:
    try:
        yield from rule(values)
    except NotUsableError:
        return


def _unless(holds: bool, values: Values, key: str, rule: str) -> Iterator[str]:
    if not holds:
        yield f"{key} = {values[key]!r}: {rule}"


def _mechanism(values: Values) -> Iterator[str]:
    yield from _unless(
        (values["kind"] == "shoe") == (values["mechanism"] == "stack"),
        values,
        "mechanism",
        "a shoe has mechanism stack, a shuffler carousel, shelves or slots",
    )


def _bin_count(values: Values) -> Iterator[str]:
    if values["mechanism"] == "stack":
        yield from _unless(values["bins.count"] == 0, values, "bins.count", "a shoe has no bins")
    else:
        yield from _unless(
            values["bins.count"] > 0, values, "bins.count", "a shuffler needs at least 1"
        )


def _bin_capacity(values: Values) -> Iterator[str]:
    if values["mechanism"] == "slots":
        yield from _unless(
            values["bins.capacity"] == 1, values, "bins.capacity", "a slot holds 1 card"
        )
    if values["mechanism"] == "carousel":
        yield from _unless(
            values["bins.capacity"] < UNSURE,
            values,
            "bins.capacity",
            f"a bin of a carousel holds at most {UNSURE - 1} cards",
        )


def _room_for_decks(values: Values) -> Iterator[str]:
    cards = values["decks.most"] * max(values["decks.packs"])
    capacity = values["bins.capacity"]
    if values["mechanism"] == "stack":
        rule = f"must hold all {cards} cards of decks.most"
        yield from _unless(capacity >= cards, values, "bins.capacity", rule)
    else:
        bins = values["bins.count"]
        rule = f"{cards} cards do not fit into {bins} bins of {capacity}"
        yield from _unless(bins * capacity >= cards, values, "decks.most", rule)


def _chute(values: Values) -> Iterator[str]:
    low, high = values["chute.low"], values["chute.high"]
    if values["mechanism"] == "carousel":
        rule = f"must be above 0 and below chute.high ({high})"
        yield from _unless(0 < low < high, values, "chute.low", rule)
        yield from _unless(
            high <= MOST_CARDS, values, "chute.high", f"must be at most {MOST_CARDS}"
        )
    else:
        rule = f"{values['mechanism']} has no chute marks: leave [chute] out"
        yield from _unless(low == high == 0, values, "chute.high", rule)


def _ejection(values: Values) -> Iterator[str]:
    holds = values["mechanism"] == "carousel" or values["ejection"] == "group"
    yield from _unless(holds, values, "ejection", "only a carousel ejects single cards")


def _entry_times(values: Values) -> Iterator[str]:
    retry = values["timing.entry_retry"]
    rule = f"must not be above timing.entry_retry ({retry})"
    yield from _unless(values["timing.entry_seen"] <= retry, values, "timing.entry_seen", rule)


def _double_time(values: Values) -> Iterator[str]:
    debounce = values["timing.debounce"]
    rule = f"must be above timing.debounce ({debounce})"
    yield from _unless(debounce < values["timing.double"], values, "timing.double", rule)


def _turn(values: Values) -> Iterator[str]:
    steps, positions = values["motor.steps_bin"], _positions(values)
    yield from _unless(
        positions * steps <= MOST_PULSES,
        values,
        "motor.steps_bin",
        f"{positions} positions need {positions * steps} steps, more than {MOST_PULSES}",
    )


def _pulse(values: Values) -> Iterator[str]:
    pulse = values["timing.turn_bin"] * 1000 // values["motor.steps_bin"]
    yield from _unless(
        values["mechanism"] == "stack" or pulse in PULSE_MICROSECONDS,
        values,
        "motor.steps_bin",
        f"timing.turn_bin results in {pulse} us per step; it must be {PULSE_MICROSECONDS.start} to "
        f"{PULSE_MICROSECONDS.stop - 1}",
    )


def _legs(values: Values) -> Iterator[str]:
    if not values["motor.legs"]:
        return
    yield from _unless(
        values["motor.steps_bin"] % 2 == 0,
        values,
        "motor.steps_bin",
        "must be even if turns have legs, which count half bins",
    )
    try:
        if not _positions(values):
            raise ValueError("the machine has no wheel to turn")
        ways(values["motor.legs"], _positions(values))
    except ValueError as error:
        yield from _unless(False, values, "motor.legs", str(error))


def _positions(values: Values) -> int:
    return int(values["bins.count"]) * (2 if values["mechanism"] == "shelves" else 1)


def _listening_test(values: Values) -> Iterator[str]:
    tested = values["sound.tested"]
    if not tested:
        return
    yield from _unless(
        len(tested) == 2 and tested[1] <= tested[0] >= LEAST_TESTED,
        values,
        "sound.tested",
        f"must be [legs, legs guessed right], with at least {LEAST_TESTED:,} legs",
    )
    yield from _unless(
        values["sound.direction"] == "hidden",
        values,
        "sound.tested",
        "is only for sound.direction = 'hidden': an audible direction needs no test",
    )


_OF_CARDS: tuple[_Rule, ...] = (
    *(_mechanism, _bin_count, _bin_capacity, _room_for_decks, _chute, _ejection),
    *(_entry_times, _double_time, _turn, _pulse, _legs, _listening_test),
)


def _console(values: Values) -> Iterator[str]:
    if values["board.console"] == "open" and values["board.link"] == "usb":
        yield (
            "board.console = 'open': open needs board.link = 'uart': on USB the link's bytes "
            "would interrupt the firmware"
        )


def _entropy(values: Values) -> Iterator[str]:
    try:
        noise_settings(values["noise.entropy"], alarm_bits=values["noise.alpha"])
    except ValueError as error:
        yield f"noise.entropy = {values['noise.entropy']!r}: {error}"


def wrong_pins(values: Values, pins: object) -> Iterator[str]:
    """Yield the mistakes of `[pins.BOARD]`, if the kind of machine is known."""
    if not isinstance(pins, dict):
        yield f"pins = {pins!r}: must be tables, such as [pins.pico]"
        return
    for board, wiring in pins.items():
        where = f"pins.{board}"
        if not isinstance(wiring, dict):
            yield f"{where} = {wiring!r}: must be a table of pins and their GPIOs"
        elif board not in BOARDS:
            like = nearest(board, BOARDS)
            hint = f"did you mean pins.{like}?" if like else f"use one of {', '.join(BOARDS)}"
            yield f"{where}: unknown board; {hint}"
        else:
            yield from _broken(partial(_wiring, where=where, wiring=wiring), values)


def _wiring(values: Values, where: str, wiring: dict[str, Any]) -> Iterator[str]:
    kind = values["kind"]
    needed = pins_needed(kind, 0 if kind in CARD_KINDS else values["tables.most"])
    taken: dict[int, str] = {}
    meant = set()
    for name, gpio in wiring.items():
        if name not in needed:
            like = nearest(name, [pin for pin in needed if pin not in wiring])
            hint = f"; did you mean {like}?" if like else ""
            yield f"{where}.{name} = {gpio!r}: a {kind} has no such pin{hint}"
            meant.add(like)
        elif type(gpio) is not int or gpio not in PICO_GPIOS:
            yield f"{where}.{name} = {gpio!r}: must be a GPIO, 0 to 22 or 26 to 28"
        elif gpio not in UART_GPIOS.get(name, PICO_GPIOS):
            reach = " or ".join(map(str, UART_GPIOS[name]))
            yield f"{where}.{name} = {gpio}: its UART reaches only GPIO {reach}"
        elif gpio in taken:
            yield f"{where}.{name} = {gpio}: {taken[gpio]} already has this GPIO"
        else:
            taken[gpio] = name
    for name in needed:
        if name not in wiring and name not in meant:
            yield f"{where}.{name} is missing: a {kind} needs it"
