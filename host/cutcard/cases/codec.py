"""Writing tables, wagers and events to JSON or TOML, and reading them: one entry for each field.

A codec is made from the fields of its dataclass and requires an entry for each. A new field of a
table, a wager or an event therefore needs its form in journals too.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from typing import Any, NamedTuple

from cutcard.cases.case import MalformedCaseError
from cutcard.cases.reading import Fields
from cutcard.engine.events import (
    DEALERS_PLACE,
    Act,
    Deal,
    Event,
    Irregularity,
    Metered,
    Press,
    Ruling,
    Settled,
)
from cutcard.engine.state import DEALER, Placed, Table
from cutcard.rulebooks.book import RULEBOOKS
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from cutcard.rulebooks.side_wagers.pay_table import parse_odds
from cutcard.rulebooks.vocabulary import IRREGULARITIES
from cutcard.untrusted import whole_number

SHUFFLERS = ("continuous", "shoe", "automatic")
NEEDED: Any = object()  # instead of a default: the key is required


class Form(NamedTuple):
    """How to write one kind of value, and to read it by its key: `read(fields, key, default)`."""

    write: Callable[[Any], Any]
    read: Callable[[Fields, str, Any], Any]


class CodecEntry(NamedTuple):
    key: str
    form: Form


class Codec:
    """The keys and forms of a dataclass, one for each of its fields.

    `apart` are fields that are stored elsewhere. Raises TypeError for a field without an entry.
    """

    def __init__(
        self, kind: type[Any], apart: tuple[str, ...] = (), /, **entries: CodecEntry
    ) -> None:
        self.kind = kind
        self.entries = entries
        self._fields: dict[str, Field[Any]] = {
            field.name: field for field in fields(kind) if field.name not in apart
        }
        if missing := [name for name in self._fields if name not in entries]:
            raise TypeError(
                f"{kind.__name__}.{missing[0]} has no codec; add an entry in {__name__}"
            )
        if unknown := [name for name in entries if name not in self._fields]:
            raise TypeError(f"{kind.__name__} has no field {unknown[0]}")

    def key(self, name: str) -> str:
        return self.entries[name].key

    def write(self, value: Any) -> dict[str, Any]:
        """Return every field that does not have its default, under its key."""
        return {
            self.key(name): self.entries[name].form.write(getattr(value, name))
            for name, field in self._fields.items()
            if getattr(value, name) != _default(field)
        }

    def read(self, said: Fields, only: Container[str] | None = None) -> dict[str, Any]:
        """Return the fields of a value by their names; with `only`, those under these keys."""
        return {
            name: entry.form.read(said, entry.key, _default(self._fields[name]))
            for name, entry in self.entries.items()
            if only is None or entry.key in only
        }


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return NEEDED if field.default is MISSING else field.default


# Forms


def dollars_of(cents: int) -> int | float:
    """Return dollars, exact to the cent: the digits are exact, although a float is used."""
    return cents // 100 if cents % 100 == 0 else cents / 100


def exact(said: Any) -> Any:
    """Replace floats in parsed JSON by decimals, as in a case file."""
    if isinstance(said, float):
        return Decimal(repr(said))
    if isinstance(said, dict):
        return {key: exact(value) for key, value in said.items()}
    return [exact(value) for value in said] if isinstance(said, list) else said


def _same(value: Any) -> Any:
    return value


def _reading(method: str, *more: Any, **options: Any) -> Callable[[Fields, str, Any], Any]:
    """Return a reader by a method of `Fields` that takes a key and a default."""

    def read(said: Fields, key: str, default: Any) -> Any:
        defaults = () if default is NEEDED else (default,)
        return getattr(said, method)(key, *defaults, *more, **options)

    return read


def _alone(method: str) -> Callable[[Fields, str, Any], Any]:
    """Return a reader by a method of `Fields` that takes only a key and has its own default."""
    return lambda said, key, default: getattr(said, method)(key)


def _word_among(words: Callable[[], tuple[str, ...]]) -> Form:
    return Form(
        _same, lambda said, key, default: _reading("text", among=words())(said, key, default)
    )


def _place(place: str | None) -> int | str | None:
    number = whole_number(place or "")
    return place if number is None else number


def _read_odds(said: Fields, key: str, default: Any) -> Any:
    odds: str | None = said.text(key, default)
    if odds is not None:
        try:
            parse_odds(odds)
        except ValueError as error:
            raise MalformedCaseError(said.key(key), str(error)) from error
    return odds


def _read_offers(said: Fields, key: str, default: Any) -> dict[str, str]:
    offers = said.raw(key, default)
    known = all_bets()
    if not isinstance(offers, dict):
        raise said.wrong(key, "a table of side bets", offers)
    for bet, choice in offers.items():
        if bet not in known:
            raise MalformedCaseError(said.key(f"{key}.{bet}"), "is not a side bet of any rulebook")
        if not isinstance(choice, str):
            why = "a string: the pay scale in use, or empty"
            raise said.wrong(f"{key}.{bet}", why, choice)
    return dict(offers)


def _read_boxes(said: Fields, key: str, default: Any) -> tuple[int, ...]:
    """Read the boxes, or the dealer's place, that cards went to."""
    return tuple(
        DEALERS_PLACE if place == DEALER else int(place.partition(".")[0])
        for place in said.places(key)
    )


def _read_numbers(said: Fields, key: str, default: Any) -> tuple[int, ...]:
    """Read one number or a list of numbers."""
    value = said.raw(key, ())
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return said.boxes(key)


def all_bets() -> frozenset[str]:
    return frozenset(bet for name in RULEBOOKS for bet in side_wagers(name))


TEXT = Form(_same, _reading("text"))
FLAG = Form(_same, lambda said, key, default: said.flag(key, default is True))
NUMBER = Form(_same, _reading("number"))
BOX = Form(_same, _reading("box"))
PRIZE = Form(_same, _reading("prize"))
CENTS = Form(dollars_of, _reading("cents"))
CENTS_OR_NONE = Form(dollars_of, lambda said, key, default: said.cents(key, default) or None)
AMOUNTS = Form(
    lambda amounts: {name: dollars_of(cents) for name, cents in amounts.items()},
    _alone("amounts"),
)
SHUFFLER = _word_among(lambda: SHUFFLERS)
LIMIT = _word_among(lambda: ("box", "player"))
BET = _word_among(lambda: ("main", *sorted(all_bets())))
SETTLEMENT = _word_among(lambda: ("interim", "round"))
ODDS = Form(_same, _read_odds)
OFFERS = Form(dict, _read_offers)
CARD = Form(str, lambda said, key, default: said.cards(key, least=1, most=1)[0])
CARDS = Form(
    lambda cards: " ".join(map(str, cards)), lambda said, key, default: said.cards(key, "")
)
PLACE = Form(_place, _alone("place"))
PLACES = Form(lambda places: [_place(place) for place in places], _alone("places"))
BOXES = Form(lambda boxes: [DEALER if box == DEALERS_PLACE else box for box in boxes], _read_boxes)
NUMBERS = Form(list, _alone("boxes"))
ONE_OR_MORE = Form(list, _read_numbers)
NAMES = Form(list, _alone("texts"))

# Tables, wagers and events

# The keys next to the rulebook's; all others are on the sign of the table.
HEAD = ("decks", "shuffler")
TABLE = Codec(
    Table,
    ("book",),
    decks=CodecEntry("decks", NUMBER),
    shuffler=CodecEntry("shuffler", SHUFFLER),
    minimum=CodecEntry("min", CENTS),
    maximum=CodecEntry("max", CENTS),
    blackjack=CodecEntry("blackjack", ODDS),
    offers=CodecEntry("offers", OFFERS),
    stakes=CodecEntry("stakes", AMOUNTS),
    increment=CodecEntry("increment", CENTS),
    chip=CodecEntry("chip", CENTS_OR_NONE),
    box_maximum=CodecEntry("box_max", CENTS),
    player_maximum=CodecEntry("player_max", CENTS),
    limit_per=CodecEntry("limit", LIMIT),
    ante=CodecEntry("ante", CENTS),
    ante_waived_from=CodecEntry("ante_waived_from", CENTS),
    forced_draw=CodecEntry("forced_draw", FLAG),
    meters=CodecEntry("meters", AMOUNTS),
    seeds=CodecEntry("seeds", AMOUNTS),
    max_payout=CodecEntry("max_payout", AMOUNTS),
    shoe_round=CodecEntry("shoe_round", BOX),
    side_minimum=CodecEntry("side_min", AMOUNTS),
    side_maximum=CodecEntry("side_max", AMOUNTS),
)
SIGN = tuple(entry.key for entry in TABLE.entries.values() if entry.key not in HEAD)
WAGER = Codec(
    Placed,
    box=CodecEntry("box", BOX),
    player=CodecEntry("player", TEXT),
    bet=CodecEntry("bet", BET),
    amount=CodecEntry("amount", CENTS),
    warned=CodecEntry("warned", FLAG),
    limit=CodecEntry("limit", CENTS),
    carried=CodecEntry("carried", FLAG),
    picked=CodecEntry("picked", FLAG),
    ante=CodecEntry("ante", FLAG),
)
# The key of an irregularity, in case files and in journals. A case file may use either.
IN_CASES, IN_JOURNALS = "irregularity", "fault"
# The first key of each identifies the event that a step of a journal describes.
EVENTS: dict[type[Event], Codec] = {
    Deal: Codec(Deal, card=CodecEntry("deal", CARD), to=CodecEntry("to", PLACE)),
    Act: Codec(
        Act,
        kind=CodecEntry("act", TEXT),
        box=CodecEntry("box", BOX),
        player=CodecEntry("player", TEXT),
        amount=CodecEntry("amount", CENTS),
        free=CodecEntry("free", FLAG),
        bet=CodecEntry("bet", TEXT),
        hand=CodecEntry("hand", BOX),
        for_player=CodecEntry("for", TEXT),
    ),
    Press: Codec(
        Press,
        bet=CodecEntry("press", TEXT),
        box=CodecEntry("box", BOX),
        player=CodecEntry("player", Form(_same, lambda said, key, _: said.text(key, None))),
        prize=CodecEntry("prize", PRIZE),
    ),
    Irregularity: Codec(
        Irregularity,
        kind=CodecEntry(IN_JOURNALS, TEXT),
        device=CodecEntry("device", TEXT),
        hands=CodecEntry("hands", PLACES),
        cards=CodecEntry("cards", CARDS),
        disclosed=CodecEntry("disclosed", NUMBERS),
        exposed=CodecEntry("exposed", FLAG),
        to=CodecEntry("to", PLACE),
        found=CodecEntry("found", TEXT),
        boxes=CodecEntry("boxes", BOXES),
        box=CodecEntry("box", BOX),
        option=CodecEntry("option", TEXT),
        bet=CodecEntry("bet", TEXT),
        player=CodecEntry("player", TEXT),
        players=CodecEntry("players", NAMES),
        cause=CodecEntry("cause", TEXT),
        meter=CodecEntry("meter", PRIZE),
        panel=CodecEntry("panel", PRIZE),
        prize=CodecEntry("prize", PRIZE),
        offered=CodecEntry("offered", FLAG),
    ),
    Ruling: Codec(
        Ruling,
        kind=CodecEntry("ruling", TEXT),
        by=CodecEntry("by", TEXT),
        hands=CodecEntry("hands", PLACES),
        cards=CodecEntry("cards", CARDS),
        dealer=CodecEntry("dealer", CARDS),
        chosen=CodecEntry("card", ONE_OR_MORE),
        player=CodecEntry("player", TEXT),
        box=CodecEntry("box", BOX),
        bet=CodecEntry("bet", TEXT),
    ),
    Settled: Codec(Settled, what=CodecEntry("settled", SETTLEMENT)),
    Metered: Codec(Metered, meter=CodecEntry("metered", TEXT), cents=CodecEntry("records", CENTS)),
}


KINDS = tuple(next(iter(codec.entries.values())).key for codec in EVENTS.values())


def write_event(event: Event) -> dict[str, Any]:
    """Return the step of a journal that describes `event`."""
    step = EVENTS[type(event)].write(event)
    if isinstance(event, Press) and event.player is None:
        del step["player"]
    if isinstance(event, Irregularity) and "card" in IRREGULARITIES[event.kind].keys:
        step = {"card" if key == "cards" else key: value for key, value in step.items()}
    return step


def act_of(step: dict[str, Any]) -> Act:
    """Return the decision in a step of a journal."""
    return Act(**_fields_of(Act, step))


def ruling_of(step: dict[str, Any]) -> Ruling:
    """Return the ruling in a step of a journal."""
    return Ruling(**_fields_of(Ruling, step))


def _fields_of(kind: type[Event], step: dict[str, Any]) -> dict[str, Any]:
    said = Fields(exact(step), "step")
    found = EVENTS[kind].read(said, step)
    said.done()
    return found
