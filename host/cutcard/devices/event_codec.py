"""Convert events of devices to plain values for a journal, and back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple, get_type_hints

from cutcard.cards import Card
from cutcard.devices import events
from cutcard.devices.events import Event
from cutcard.prizes.draw import Draw


class _Form(NamedTuple):
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _card(text: str | None) -> Card | None:
    return None if text is None else Card.parse(text)


_AS_IT_IS = _Form(lambda value: value, lambda value: value)
_FORMS: dict[Any, _Form] = {
    int: _AS_IT_IS,
    str: _AS_IT_IS,
    bool: _AS_IT_IS,
    int | None: _AS_IT_IS,
    Card | None: _Form(lambda card: None if card is None else str(card), _card),
    tuple[Card | None, ...]: _Form(
        lambda cards: [None if card is None else str(card) for card in cards],
        lambda texts: tuple(_card(text) for text in texts),
    ),
    Draw: _Form(lambda draw: draw.as_json(), Draw.from_json),
    bytes: _Form(lambda data: data.hex(), bytes.fromhex),
}


def _forms(kind: type[Event]) -> dict[str, _Form]:
    """Return the form of each field except the number, by its type."""
    types = get_type_hints(kind)
    return {field.name: _FORMS[types[field.name]] for field in fields(kind)[1:]}


KINDS = {kind.__name__: kind for kind in Event.__subclasses__()}
_BY_KIND = {name: _forms(kind) for name, kind in KINDS.items()}


def plain(event: Event) -> dict[str, Any]:
    """Return an event as plain values: its name and its fields, without its number."""
    name = type(event).__name__
    said = {key: form.write(getattr(event, key)) for key, form in _BY_KIND[name].items()}
    return {"event": name, **said}


def from_plain(number: int, said: dict[str, Any]) -> Event:
    """Return the event of these plain values."""
    name = said["event"]
    values = {key: form.read(said[key]) for key, form in _BY_KIND[name].items()}
    made: Event = getattr(events, name)(number, **values)
    return made
