"""Commands about cards: insert, remove, inspect and change them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from cutcard.bench.person.words import Answer, DelayedAnswer, WordError, one_of, word
from cutcard.bench.plant.cards import PlayingCard, code_of

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess

SEEN = 20  # ms beyond the debouncing: for a bouncing line and the main loop's latency


@word
def put(
    bench: BenchProcess,
    decks: int = 0,
    pack: int = 52,
    less: int = 0,
    cards: str = "",
    shuffled: bool | None = None,
) -> Answer | DelayedAnswer:
    """Put new cards into the tray (shuffler) or stack (shoe): full decks, `less` some cards, or
    single ones: cards="As Td foreign". A shoe's decks are shuffled unless shuffled=no. The answer
    comes when the device has seen the cards."""
    plant = bench.plant
    if pack not in (48, 52):
        raise WordError(f"a deck of {pack} cards is not known", "use pack=52 or pack=48")
    if decks > 16:
        raise WordError(f"{decks} decks are too many", "use up to 16")
    try:
        codes = [code_of(name) for name in cards.split()]
    except ValueError as error:
        raise WordError(str(error), "or: foreign, unreadable") from error
    new = [card for _ in range(decks) for card in plant.printer.deck(pack)]
    new += [plant.printer.card(code) for code in codes]
    if plant.is_shoe if shuffled is None else shuffled:
        Random(f"{plant.seed}/put/{plant.printer.decks}").shuffle(new)
    kept = new[less:]
    plant.pocket.extend(new[:less])
    plant.put(kept)
    return _once_seen(bench, {"put": len(kept)})


@word
def return_(
    bench: BenchProcess, count: str = "all", shuffled: bool = False
) -> Answer | DelayedAnswer:
    """Put cards from the table back into the tray (or the stack): a number, or all; first those
    that left first, unless shuffled=yes. The answer comes when the device has seen the cards."""
    outside = bench.plant.mouth.outside
    if count != "all" and not count.isdecimal():
        raise WordError(f"return {count!r}?", "use a number, or all")
    playing = [card for card in outside if not card.cutting]
    back = playing if count == "all" else playing[: int(count)]
    for card in back:
        outside.remove(card)
    if shuffled:
        Random(f"{bench.plant.seed}/return/{len(playing)}").shuffle(back)
    bench.plant.put(back)
    return _once_seen(bench, {"returned": len(back)})


def _once_seen(bench: BenchProcess, answer: Answer) -> Answer | DelayedAnswer:
    """Give the answer when the firmware has debounced the sensor that sees the cards.

    An earlier `load` is refused because the tray seems to be empty. A device without power sees the
    cards when it starts.
    """
    if not bench.device.powered:
        return answer
    seen: list[bool] = []
    after = bench.plant.machine.whole("timing.debounce") + SEEN
    bench.kit.plant.timeline.after(after, lambda: seen.append(True))
    return DelayedAnswer(lambda: bool(seen), lambda: answer)


@word
def take(
    bench: BenchProcess, count: int = 1, where: str = "tray", bin: int = 0, to: str = "outside"
) -> Answer:
    """Take cards out of a place by hand: tray, chute, stack, bin, outside or pocket."""
    row = place_named(bench, where, bin)
    if count > len(row):
        raise WordError(f"only {len(row)} cards lie in the {where}", "`cards` shows all")
    goal = place_named(bench, one_of("to", to, ("outside", "pocket")), 0)
    taken = row[:count]
    del row[:count]
    goal.extend(taken)
    bench.plant.look()
    return {"taken": [card.name for card in taken]}


@word
def draw(bench: BenchProcess, count: int = 1, order: str = "known", force: bool = False) -> Answer:
    """Draw cards from the mouth, `count` together. order=unknown: the reader sees them at the same
    time. force: also through a closed gate."""
    mouth, supply = bench.plant.mouth, bench.plant.supply
    one_of("order", order, ("known", "unknown"))
    if not 1 <= count <= len(supply):
        raise WordError(f"{count} cards cannot be drawn: {len(supply)} lie there")
    if mouth.passing:
        raise WordError("a card is in the mouth already", "`settle` waits for it")
    if not (mouth.gate or force):
        raise WordError("the gate is shut", "let the host deal first, or add: force")
    mouth.draw(count, order == "known")
    return {"drawn": [card.name for card in mouth.passing]}


@word
def hand(bench: BenchProcess, on: bool, reaction: int | None = None) -> None:
    """Switch the hand that draws, cuts and places by itself on or off; `reaction`: ms until it
    draws."""
    mouth = bench.plant.mouth
    mouth.hand = on
    if reaction is not None:
        mouth.reaction = reaction
    mouth.look()


@word
def fumble(bench: BenchProcess, count: int = 2, order: str = "unknown") -> None:
    """The hand's next draw takes `count` cards together. order=known: one after the other."""
    known = one_of("order", order, ("known", "unknown")) == "known"
    bench.plant.mouth.grasp = (count, known)


@word
def swap(
    bench: BenchProcess, with_: str, where: str = "chute", bin: int = 0, index: int = 0
) -> Answer:
    """Change the face of a card: with=As, foreign or unreadable. Index 0 is the next one."""
    card = card_named(bench, where, bin, index)
    was = card.name
    try:
        card.code = code_of(with_)
    except ValueError as error:
        raise WordError(str(error), "or: foreign, unreadable") from error
    return {"was": was, "is": card.name}


@word
def flip(bench: BenchProcess, where: str = "chute", bin: int = 0, index: int = 0) -> Answer:
    """Turn a card over. Index 0 is the next one."""
    card = card_named(bench, where, bin, index)
    card.face_up = not card.face_up
    bench.plant.look()
    return {"card": card.name, "face_up": card.face_up}


@word
def cut(bench: BenchProcess, depth: int | None = None) -> None:
    """Cut the stack by hand: the first `depth` cards go to the back. Without a depth: at the
    pointer of an emulated board, if there is a hand."""
    _require_shoe(bench)
    if depth is None and not bench.plant.mouth.hand:
        return
    depth = bench.plant.pointer if depth is None else depth
    if depth > len(bench.plant.supply):
        raise WordError(f"the stack has {len(bench.plant.supply)} cards")
    bench.plant.supply.cut(depth)


@word
def place(bench: BenchProcess, depth: int | None = None) -> None:
    """Put a cutting card behind the first `depth` cards of the stack, by hand. Without a depth: at
    the pointer of an emulated board, if there is a hand."""
    _require_shoe(bench)
    if depth is None and not bench.plant.mouth.hand:
        return
    bench.plant.place_cutting_card(bench.plant.pointer if depth is None else depth)


@word
def steal(
    bench: BenchProcess, bin: int | None = None, where: str = "bin", index: int = 0
) -> Answer:
    """Steal one card, unseen by any sensor of the way; it goes into the pocket. Without a bin: from
    the first bin with a card."""
    if where == "bin" and bin is None:
        bin = next((n for n, cell in enumerate(bench.plant.bins.cells) if cell), 0)
    card = card_named(bench, where, bin or 0, index)
    place_named(bench, where, bin or 0).remove(card)
    bench.plant.pocket.append(card)
    bench.plant.look()
    return {"stolen": card.name, "where": where, "bin": bin}


@word
def add(bench: BenchProcess, card: str = "As", bin: int = 0, where: str = "bin") -> Answer:
    """Put one more card into a bin (or where=tray, chute, stack), unseen by any sensor."""
    row = place_named(bench, where, bin)
    try:
        row.append(bench.plant.printer.card(code_of(card)))
    except ValueError as error:
        raise WordError(str(error), "or: foreign, unreadable") from error
    bench.plant.look()
    return {"added": card, "where": where, "bin": bin}


@word
def cards(bench: BenchProcess) -> Answer:
    """List every card by place. Only the person at the bench may know this."""
    return {
        "cards": {
            place: [card.as_json() for card in row] for place, row in bench.plant.places().items()
        }
    }


@word
def listen(bench: BenchProcess, ear: str = "", accuracy: float = 0.0) -> Answer:
    """Report the sounds of the motors. ear=on, ear=off: begin, end; accuracy=3: times are heard to
    3 ms. Answers the sounds since the last request: time, motor, and 0 when it stops; of a turn the
    number of steps, but not the direction."""
    one_of("ear", ear, ("", "on", "off"))
    listener = bench.plant.listener
    if ear:
        listener.on, listener.accuracy = ear == "on", accuracy
    elif not listener.on:
        raise WordError("nobody listens", "type: listen on")
    return {"heard": listener.taken()}


def place_named(bench: BenchProcess, where: str, bin: int) -> list[PlayingCard]:
    places = bench.plant.places()
    if where in ("chute", "stack"):
        return bench.plant.supply.cards
    if where == "bin":
        where = f"bin {bin}"
    if where not in places:
        raise WordError(
            f"there is no {where}", "use tray, chute, stack, outside, pocket, or bin=NUMBER"
        )
    return places[where]


def card_named(bench: BenchProcess, where: str, bin: int, index: int) -> PlayingCard:
    row = place_named(bench, where, bin)
    if index >= len(row):
        raise WordError(f"{where} holds {len(row)} cards: there is no card {index}", "see `cards`")
    return row[index]


def _require_shoe(bench: BenchProcess) -> None:
    if not bench.plant.is_shoe:
        raise WordError("a shuffler has no stack", "start the bench with a shoe, such as shoe-8")
