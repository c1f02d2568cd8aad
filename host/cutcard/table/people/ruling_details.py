"""Details that a person adds to a ruling: the void hands, and the cards that the dealer keeps."""

from __future__ import annotations

from cutcard.engine.state import DEALER, Round

VOID_HANDS, RECONSTRUCT = "void-hands", "reconstruct"


def takes_dealers_cards(round: Round, ruling: str) -> bool:
    """Return whether the ruling may name the cards that the dealer's hand keeps."""
    return ruling in (VOID_HANDS, RECONSTRUCT) and bool(round.dealer)


def void_places(round: Round, text: str) -> tuple[str, ...]:
    """Return the hands named in `text`, such as "1 2.1 dealer".

    Raises ValueError if `text` names no hand, or a hand that is not in the round.
    """
    known = [DEALER]
    for number, box in round.boxes.items():
        known += dict.fromkeys((str(number), *(box.place_of(hand) for hand in box.hands)))
    places = tuple(text.replace(",", " ").split())
    if not places or not set(places) <= set(known):
        raise ValueError(f"name one or more of {', '.join(known)}")
    return places
