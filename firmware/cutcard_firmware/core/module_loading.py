"""Load rarely used modules on demand, and unload them afterwards.

The rate of garbage collections is set only here. A collection takes a loaded board 15 milliseconds:
after every second kilobyte, a signature would take four times as long.
"""

import gc
import sys

# For the numbers of a signature verification, the largest block that is needed. Reserved while
# memory is contiguous: after a start there may be a hundred kilobytes free, but no block of five.
ROOM = bytearray(4672)
_OFTEN = 32768  # bytes allocated between two collections
AGREEMENT = ("crypto.arithmetic", "crypto.field", "crypto.x25519")  # the modules that it needs
SIGNATURES = ("crypto.arithmetic", "crypto.field", "crypto.sha512", "crypto.ed25519")
_MANIFEST = ("image.refused", "image.manifest", "image.identity", "image.trust")
_UPDATE = _MANIFEST + SIGNATURES + ("image.update",)


def forget(*names):
    """Unload modules of `core`, and free their memory: the next import reads them from flash."""
    drop(*names)
    gc.collect()


def drop(*names):
    """Unload modules of `core` without a collection, which the caller does."""
    core = __name__.rsplit(".", 1)[0]
    for name in names:
        path = core + "." + name
        sys.modules.pop(path, None)
        package, module = path.rsplit(".", 1)
        if hasattr(sys.modules[package], module):
            delattr(sys.modules[package], module)


def load_update(breathe):
    """Load the modules of an update, with a call of `breathe` after each."""
    package = __name__.rsplit(".", 1)[0]
    for name in _UPDATE:
        __import__(package + "." + name)
        breathe()
    return sys.modules[package + ".image.update"]


def forget_update():
    """Unload all modules of an update."""
    forget(*_UPDATE)


def sweep_often(is_on):
    """Collect garbage often while much is loaded, so that memory stays contiguous."""
    if hasattr(gc, "threshold"):  # MicroPython
        gc.threshold(_OFTEN if is_on else -1)
