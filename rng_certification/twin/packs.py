"""Complete packs: the orders in which slots, shelves and a carousel deal them.

Each row of `out` is a shuffle: the cards by their place in the tray, as they leave. A carousel is
loaded and dealt to the last card here, without returns.
"""

from __future__ import annotations

from rng_certification.base.compiled import Bytes, Counts, Decks, Floats, Words, compiled
from rng_certification.twin.bins import (
    HELD,
    INTO,
    OUT,
    change_load,
    chosen_bin,
    put_in,
    take_out,
)
from rng_certification.twin.generator import across, bytes_of_a_draw, within
from rng_certification.twin.sha256 import Word32s


@compiled
def fill_slots(
    out: Decks,
    slots: Counts,
    shares: Floats,
    done: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Draw the complete permutation first (Fisher-Yates); `done` counts single draws."""
    cards = out.shape[1]
    while done < len(out) * cards:
        card = done % cards
        if card == 0:
            for i in range(cards):
                slots[i] = i
        span = cards - card
        if span > 1:
            size = bytes_of_a_draw(span)
            if place[0] + size <= 256:
                number = within(size, buffer, place[0])
                place[0] += size
            elif place[1] > interval:
                break
            else:
                number = across(size, v, c, buffer, place, start, rounds)
            value = int(number / shares[span])
            if value >= span:
                continue
            other = slots[card + value]
            slots[card + value] = slots[card]
            slots[card] = other
        out[done // cards, slots[card]] = card
        done += 1
    return done


@compiled
def _lie_down(deck: Decks, chosen: Counts, held: Counts) -> None:
    """Put each card at the place where its shelf releases it.

    The last card put on top leaves first, the last one put underneath leaves last.
    """
    place = 0
    for shelf in range(0, len(held), 2):
        tops, under = held[shelf], held[shelf + 1]
        held[shelf] = place + tops - 1  # of the first card on top
        held[shelf + 1] = place + tops  # of the first card underneath
        place += tops + under
    for card in range(len(chosen)):
        half = chosen[card]
        deck[held[half]] = card
        held[half] += 1 if half & 1 else -1


@compiled
def fill_shelves(
    out: Decks,
    chosen: Counts,
    held: Counts,
    capacity: int,
    share: float,
    done: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Put each card on top of a shelf or underneath; draw again for a full shelf."""
    cards, span = out.shape[1], len(held)
    size = bytes_of_a_draw(span)
    while done < len(out) * cards:
        card = done % cards
        if card == 0:
            held[:] = 0
        if place[0] + size <= 256:
            number = within(size, buffer, place[0])
            place[0] += size
        elif place[1] > interval:
            break
        else:
            number = across(size, v, c, buffer, place, start, rounds)
        half = int(number / share)
        if half >= span or held[half & ~1] + held[half | 1] >= capacity:
            continue
        held[half] += 1
        chosen[card] = half
        done += 1
        if done % cards == 0:
            _lie_down(out[done // cards - 1], chosen, held)
    return done


@compiled
def fill_carousels(
    out: Decks,
    placed: Counts,
    state: Counts,
    cells: Decks,
    members: Words,
    number: Counts,
    weights: Counts,
    totals: Counts,
    single: bool,
    shares: Floats,
    done: int,
    v: Word32s,
    c: Word32s,
    buffer: Bytes,
    place: Counts,
    interval: int,
    start: Word32s,
    rounds: Word32s,
) -> int:
    """Put all cards into bins with room, then push repeatedly; `done` counts cards that left.

    `placed[0]`: the cards of the present pack that are in or through the machine.
    """
    cards = out.shape[1]
    while done < len(out) * cards:
        feeding = placed[0] < cards
        which = INTO if feeding else OUT
        total = totals[which]
        left = 0
        if total > 1:
            size = bytes_of_a_draw(total)
            if place[0] + size <= 256:
                drawn = within(size, buffer, place[0])
                place[0] += size
            elif place[1] > interval:
                break
            else:
                drawn = across(size, v, c, buffer, place, start, rounds)
            left = int(drawn / shares[total])
            if left >= total:
                continue
        chosen = chosen_bin(members, number, weights, which, left)
        if feeding:
            put_in(state, cells, chosen, placed[0])
            change_load(state, members, number, weights, totals, chosen, 1)
            placed[0] += 1
            continue
        moved = 1 if single else state[HELD, chosen]
        for _ in range(moved):
            out[done // cards, done % cards] = take_out(state, cells, chosen)
            done += 1
        change_load(state, members, number, weights, totals, chosen, -moved)
        if totals[OUT] == 0:
            placed[0] = 0
    return done
