"""Loads rarely needed code on demand, and drops it when it is done."""

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
    """Drop everything that was loaded to take a new image."""
    forget("update", "trust", "identity", "manifest", "refused", "ed25519", "sha512")


def sweep_often(is_on):
    """Collect garbage often while much is loaded, so that memory keeps no holes."""
    if hasattr(gc, "threshold"):  # MicroPython
        gc.threshold(2048 if is_on else -1)
