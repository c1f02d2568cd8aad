"""One compression of SHA-256 by the processor's own instructions for it, if available.

The step that hides the past hashes two blocks, one after the other, so they cannot run in parallel.
With ordinary instructions they take longer than the eight blocks of output in lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.extending import intrinsic

from rng_certification.twin.sha256 import ROUNDS, Word32s

HERE = bool(llvm.get_host_cpu_features().get("sha"))  # x86 processors that have them
_WORD = ir.IntType(32)
_FOUR = ir.VectorType(_WORD, 4)


def _call(builder: ir.IRBuilder, name: str, *arguments: Any) -> Any:
    kind = ir.FunctionType(_FOUR, [_FOUR] * len(arguments))
    instruction = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(instruction, arguments)


def _picked(builder: ir.IRBuilder, one: Any, other: Any, *places: int) -> Any:
    """Four words of eight: those of `other` are counted from 4 on."""
    mask = ir.Constant(_FOUR, list(places))
    return builder.shuffle_vector(one, other, mask)


def _scheduled(builder: ir.IRBuilder, words: list[Any]) -> None:
    """Return the other twelve fours of a block from its first four."""
    for t in range(4, 16):
        early = _call(builder, "llvm.x86.sha256msg1", words[t - 4], words[t - 3])
        middle = _picked(builder, words[t - 2], words[t - 1], 1, 2, 3, 4)
        total = builder.add(early, middle)
        words.append(_call(builder, "llvm.x86.sha256msg2", total, words[t - 1]))


def _compressed(builder: ir.IRBuilder, low: Any, high: Any, words: list[Any]) -> tuple[Any, Any]:
    """Return words 0 to 3 and 4 to 7 of the state after a block, mixed as the instruction needs."""
    one = first = _picked(builder, low, high, 5, 4, 1, 0)  # f, e, b, a
    two = second = _picked(builder, low, high, 7, 6, 3, 2)  # h, g, d, c
    for t, four in enumerate(words):
        constants = ir.Constant(_FOUR, [int(number) for number in ROUNDS[4 * t : 4 * t + 4]])
        added = builder.add(four, constants)
        two = _call(builder, "llvm.x86.sha256rnds2", two, one, added)
        later = _picked(builder, added, added, 2, 3, 2, 3)
        one = _call(builder, "llvm.x86.sha256rnds2", one, two, later)
    one, two = builder.add(one, first), builder.add(two, second)
    return _picked(builder, one, two, 3, 2, 7, 6), _picked(builder, one, two, 1, 0, 5, 4)


@intrinsic
def _compress_here(typing_context: Any, state: Any, words: Any) -> Any:
    def emit(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        def rows(which: int) -> list[Any]:
            array = context.make_array(signature.args[which])(context, builder, arguments[which])
            fours = builder.bitcast(array.data, _FOUR.as_pointer())
            number = 2 if which == 0 else 4
            return [builder.gep(fours, [ir.Constant(_WORD, i)]) for i in range(number)]

        kept = rows(0)
        fours = [builder.load(row, align=4) for row in rows(1)]
        _scheduled(builder, fours)
        low, high = (builder.load(row, align=4) for row in kept)
        for row, after in zip(kept, _compressed(builder, low, high, fours), strict=True):
            builder.store(after, row, align=4)
        return context.get_dummy_value()

    return numba.types.void(state, words), emit


# Work a block, the first 16 of `words`, into the state. Call it only if HERE is true.
compress_here = cast(Callable[[Word32s, Word32s], None], _compress_here)
