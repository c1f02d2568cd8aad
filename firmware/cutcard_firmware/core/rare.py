"""Code that a device needs seldom is loaded when it is needed and dropped when done."""

import gc
import sys


def forget(*names):
    """Drop modules of `core`: the next import reads them from flash again."""
    package = __name__.rsplit(".", 1)[0]
    for name in names:
        sys.modules.pop(package + "." + name, None)
        if hasattr(sys.modules[package], name):
            delattr(sys.modules[package], name)
    gc.collect()


def forget_update():
    """All that is loaded to take a new image."""
    forget("update", "trust", "identity", "manifest", "refused", "ed25519", "sha512")


def sweep_often(is_on):
    """While much is loaded: what falls is swept up at once, and leaves no holes."""
    if hasattr(gc, "threshold"):  # MicroPython
        gc.threshold(2048 if is_on else -1)
