"""A sweep fills all free memory with zeros and then frees it."""

import gc
import sys

from core.sweep import fill

A_LITTLE = 4096


def test_a_sweep_takes_all_memory_and_gives_all_of_it_back():
    if not hasattr(gc, "mem_free") or sys.platform == "webassembly":
        return  # no heap of a fixed size, so it cannot be filled
    gc.collect()
    before = gc.mem_free()
    gc.disable()
    fill()
    left = gc.mem_free()
    gc.enable()
    gc.collect()
    assert left < A_LITTLE
    assert gc.mem_free() > before - A_LITTLE
