"""Overwrites the copies of secrets that are left in freed memory.

Every hash, slice and key on its way is an object of its own, and what is freed stays in memory
until something else is put there. So something else is put there.
"""

import gc

# Not in the smallest pieces of all: a heap with none left has no room to say so.
_LARGEST, _SMALLEST = 32768, 16


def sweep():
    """Overwrite all free memory with zeros and free it again. Takes a board 60 milliseconds."""
    if not hasattr(gc, "mem_free"):
        return  # not MicroPython: there the memory is not ours to fill
    gc.collect()
    gc.disable()  # else every block that no longer fits is a collection, at 15 ms each
    held: list | None = None
    size = _LARGEST
    while size >= _SMALLEST:
        try:
            held = [held, bytearray(size)]
        except MemoryError:
            size //= 2
    # Link by link: the collector takes whatever is left on the stack for a pointer, and one that
    # led to the first link would keep the whole chain, and with it all of the memory.
    while held is not None:
        following, held[0], held[1] = held[0], None, None
        held = following
    gc.enable()
    gc.collect()
