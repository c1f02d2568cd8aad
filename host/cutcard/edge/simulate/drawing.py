"""Random cards: xoshiro256++ in lanes, and draws from a span without bias.

Each draw uses one 32-bit number: its product with the span gives the value in the high half, and
the draw is repeated for a low half that would make some values more likely (Lemire 2019). So every
card left is exactly equally likely, as far as the generator's bits are.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha512
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.extending import intrinsic

from rng_certification.base.compiled import Words, compiled

Kernel = TypeVar("Kernel", bound=Callable[..., Any])
Cards = npt.NDArray[np.uint8]

LANES = 4
BUFFER = 2048  # numbers made together; all lanes take turns in it


@intrinsic
def _pointer_to(typing_context: Any, array: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    pointer = cast(Any, numba.types.CPointer)(array.dtype)
    return pointer(array), emit


# The data of a contiguous array, accessed by index only. Passing an array between compiled
# functions counts references, card after card, and that takes longer than the card: it used four
# fifths of the rate.
pointer_to = cast(Callable[[Any], Any], _pointer_to)


def inlined(kernel: Kernel) -> Kernel:
    """Compile a kernel into its callers: a call would take longer than the work."""
    return cast(Kernel, numba.njit(forceinline=True, nogil=True, boundscheck=False)(kernel))


def generator(seed: str, shard: int) -> Words:
    """Return the state of the generator for this shard of this seed only."""
    state = sha512(f"{seed}/{shard}/0".encode()).digest()
    state += sha512(f"{seed}/{shard}/1".encode()).digest()
    return np.frombuffer(state, dtype=np.uint64).copy()


@compiled
def fill(state: Any, numbers: Any) -> None:
    """Fill the buffer: each lane is xoshiro256++ by itself (Blackman and Vigna 2019)."""
    for first in range(0, BUFFER, 2 * LANES):
        for lane in range(LANES):
            s0, s1 = state[lane], state[LANES + lane]
            s2, s3 = state[2 * LANES + lane], state[3 * LANES + lane]
            mixed = s0 + s3
            mixed = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + s0
            numbers[first + 2 * lane] = np.uint32(mixed & np.uint64(0xFFFFFFFF))
            numbers[first + 2 * lane + 1] = np.uint32(mixed >> np.uint64(32))
            moved = s1 << np.uint64(17)
            s2 ^= s0
            s3 ^= s1
            s1 ^= s2
            s0 ^= s3
            s2 ^= moved
            s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
            state[lane], state[LANES + lane] = s0, s1
            state[2 * LANES + lane], state[3 * LANES + lane] = s2, s3


@inlined
def below(span: Any, state: Any, numbers: Any, place: int) -> tuple[Any, int]:
    """Return an unbiased number below the span, and the place of the next number in the buffer."""
    if place == BUFFER:
        fill(state, numbers)
        place = 0
    product = np.uint64(numbers[place]) * np.uint64(span)
    place += 1
    if np.uint32(product) < np.uint32(span):
        least = (np.uint64(1) << np.uint64(32)) % np.uint64(span)
        while np.uint64(np.uint32(product)) < least:
            if place == BUFFER:
                fill(state, numbers)
                place = 0
            product = np.uint64(numbers[place]) * np.uint64(span)
            place += 1
    return np.int64(product >> np.uint64(32)), place


@inlined
def next_card(
    shoe: Any, size: int, at: int, fresh: bool, state: Any, numbers: Any, place: int
) -> tuple[Any, int, int]:
    """Return the next card, and the places after it in shoe and buffer.

    A `fresh` shoe is drawn while it is dealt: any of the cards left comes next. An empty one
    continues with any card, so that the round ends; its place shows that it was empty.
    """
    if at >= size:
        card = shoe[at & 31]
    elif fresh:
        other, place = below(size - at, state, numbers, place)
        card = shoe[at + other]
        shoe[at + other] = shoe[at]
        shoe[at] = card
    else:
        card = shoe[at]
    return np.int64(card), at + 1, place


@compiled
def shuffle(shoe: Any, size: int, state: Any, numbers: Any, place: int) -> int:
    """Shuffle the entire shoe (Fisher-Yates); return the place in the buffer."""
    for at in range(size - 1):
        _, _, place = next_card(shoe, size, at, True, state, numbers, place)
    return place
