"""Overwrites the copies of secrets that are left in freed memory.

Every hash, slice and key on its way is an object of its own, and what is freed stays in memory
until something else is put there. So something else is put there.
"""

import gc

# Large pieces first, then the smallest that fill every hole: to look for a hole takes long, unless
# any will do. No smaller ones: a heap with nothing left has no room to say so.
_PIECES = (32768, 4096, 512, 16)


def sweep():
    """Overwrite all free memory with zeros and free it again. Takes a board 60 milliseconds."""
    if not hasattr(gc, "mem_free"):
        return  # not MicroPython: there the memory is not ours to fill
    gc.collect()
    gc.disable()  # else every block that no longer fits is a collection, at 15 ms each
    fill()
    gc.enable()
    gc.collect()


def fill():
    """Take all free memory, as zeros. Nothing holds on to it: while the collector is off it stays
    taken, and then nothing that looks like a pointer can keep it."""
    for size in _PIECES:
        try:
            while True:
                bytearray(size)
        except MemoryError:
            pass
