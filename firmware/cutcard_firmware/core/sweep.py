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
    let_go(filled())
    gc.enable()
    gc.collect()


def filled():
    """All free memory as a chain of zeros; its last link."""
    last: list | None = None
    size = _LARGEST
    while size >= _SMALLEST:
        try:
            last = [last, bytearray(size)]
        except MemoryError:
            size //= 2
    return last


def let_go(last):
    """Take the chain apart: the collector takes whatever is left on the stack for a pointer, and
    one that led to its last link would keep all of it, and with it all of the memory."""
    while last is not None:
        following, last[0], last[1] = last[0], None, None
        last = following
