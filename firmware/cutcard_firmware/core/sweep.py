"""Overwrite the copies of secrets in freed memory.

Every hash, slice and temporary key is a separate object, and freed memory keeps its content until
it is used again. So this module overwrites it.
"""

import gc

# Large pieces first, then the smallest that fill every hole: the search for a hole takes long,
# unless any will do. No smaller ones: a completely full heap cannot even raise an error.
_PIECES = (32768, 4096, 512, 16)


def sweep():
    """Overwrite all free memory with zeros and free it again. Takes a board 60 milliseconds."""
    if not hasattr(gc, "mem_free"):
        return  # not MicroPython: there we must not fill the memory
    gc.collect()
    gc.disable()  # else every block that no longer fits is a collection, at 15 ms each
    fill()
    gc.enable()
    gc.collect()


def fill():
    """Allocate all free memory as zeros, without a reference to it.

    While the collector is off it remains allocated, and afterwards no false pointer can keep it.
    """
    for size in _PIECES:
        try:
            while True:
                bytearray(size)
        except MemoryError:
            pass
