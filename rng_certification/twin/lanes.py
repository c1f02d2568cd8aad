"""Eight parallel compressions of SHA-256, one in each lane of a vector.

A request of 256 bytes hashes V, V + 1 .. V + 7: eight independent blocks. The compiler does not
vectorise that by itself, so the vector instructions are written explicitly; for a processor with
narrower vectors, the compiler splits them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from rng_certification.twin.sha256 import ROUNDS, START

LANES = 8
Lanes = np.ndarray[tuple[int, int], np.dtype[np.uint32]]
_WORD = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, LANES)


def _same(number: int) -> ir.Constant:
    return ir.Constant(_VECTOR, [number] * LANES)


def _sum(builder: ir.IRBuilder, *terms: Any) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = builder.add(total, term)
    return total


def _mixed(builder: ir.IRBuilder, word: Any, turns: tuple[int, ...], shift: int = 0) -> Any:
    """Exclusive-or the word rotated right by each number, and shifted by the last."""
    mixed = builder.lshr(word, _same(shift)) if shift else None
    for turn in turns:
        right = builder.lshr(word, _same(turn))
        turned = builder.or_(right, builder.shl(word, _same(32 - turn)))
        mixed = turned if mixed is None else builder.xor(mixed, turned)
    return mixed


def _compressed(builder: ir.IRBuilder, words: list[Any]) -> list[Any]:
    """Return the state after one block from the start, given its 16 words."""
    for t in range(16, 64):
        early = _mixed(builder, words[t - 15], (7, 18), 3)
        late = _mixed(builder, words[t - 2], (17, 19), 10)
        words.append(_sum(builder, words[t - 16], early, words[t - 7], late))
    begin = [_same(int(word)) for word in START]
    a, b, c, d, e, f, g, h = begin
    for t in range(64):
        chosen = builder.xor(g, builder.and_(e, builder.xor(f, g)))
        stirred = _mixed(builder, e, (6, 11, 25))
        first = _sum(builder, h, stirred, chosen, _same(int(ROUNDS[t])), words[t])
        most = builder.or_(builder.and_(a, b), builder.and_(c, builder.or_(a, b)))
        second = builder.add(_mixed(builder, a, (2, 13, 22)), most)
        h, g, f, e = g, f, e, builder.add(d, first)
        d, c, b, a = c, b, a, builder.add(first, second)
    return [builder.add(x, y) for x, y in zip(begin, (a, b, c, d, e, f, g, h), strict=True)]


@intrinsic
def _hash_lanes(typing_context: Any, blocks: Any) -> Any:
    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        rows = builder.bitcast(array.data, _VECTOR.as_pointer())

        def row(i: int) -> Any:
            return builder.gep(rows, [ir.Constant(_WORD, i)])

        words = [builder.load(row(i), align=4) for i in range(16)]
        for i, word in enumerate(_compressed(builder, words)):
            builder.store(word, row(i), align=4)
        return context.get_dummy_value()

    return numba.types.void(blocks), emit


# Rows 0 .. 15 of a contiguous array are the words of eight blocks; rows 0 .. 7 become hashes.
hash_lanes = cast(Callable[[Lanes], None], _hash_lanes)
