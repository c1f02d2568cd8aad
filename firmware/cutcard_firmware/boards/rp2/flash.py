"""The flash for the file system: the pin samples are read after each erase.

littlefs may erase several blocks in one write, and an erase can take 400 ms: the ring of samples is
a second long.
"""

import rp2

_ERASE = 6  # the operation number of an erase


class Flash(rp2.Flash):
    look: object = None  # set by the board, once it has samples

    def ioctl(self, op, arg):  # type: ignore[override]  # all callers pass both
        done = super().ioctl(op, arg)
        if op == _ERASE and callable(Flash.look):
            Flash.look()
        return done
