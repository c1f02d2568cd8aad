"""Loads rarely needed code on demand, and drops it when it is done.

How often garbage is collected is said here alone. A collection takes a loaded board 15
milliseconds: after every second kilobyte a signature would take four times as long as it does.
"""

import gc
import sys

# For the numbers of a signature that is checked, the largest piece that anything wants. Taken while
# memory is in one piece: after a start there may be a hundred kilobytes free and no five together.
ROOM = bytearray(4672)
_OFTEN = 32768  # bytes allocated between two collections
AGREEMENT = ("crypto.arithmetic", "crypto.field", "crypto.x25519")  # what is loaded for it
SIGNATURES = ("crypto.arithmetic", "crypto.field", "crypto.sha512", "crypto.ed25519")
_MANIFEST = ("image.refused", "image.manifest", "image.identity", "image.trust")
_UPDATE = _MANIFEST + SIGNATURES + ("image.update",)


def forget(*names):
    """Drop modules of `core`, and give their memory back: the next import reads them from flash."""
    drop(*names)
    gc.collect()


def drop(*names):
    """The same, where whoever calls it has yet to collect."""
    core = __name__.rsplit(".", 1)[0]
    for name in names:
        path = core + "." + name
        sys.modules.pop(path, None)
        package, module = path.rsplit(".", 1)
        if hasattr(sys.modules[package], module):
            delattr(sys.modules[package], module)


def load_update(breathe):
    """Load what it takes to take a new image, with a breath after each module."""
    package = __name__.rsplit(".", 1)[0]
    for name in _UPDATE:
        __import__(package + "." + name)
        breathe()
    return sys.modules[package + ".image.update"]


def forget_update():
    """Drop everything that was loaded to take a new image."""
    forget(*_UPDATE)


def sweep_often(is_on):
    """Collect garbage often while much is loaded, so that memory keeps no holes."""
    if hasattr(gc, "threshold"):  # MicroPython
        gc.threshold(_OFTEN if is_on else -1)
