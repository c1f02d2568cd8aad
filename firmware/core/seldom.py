"""Code that is seldom needed is loaded when it is, and leaves memory again."""

import sys


def forget(name):
    """Drop the module `name` of this package; its memory is free once nothing else holds it."""
    package = __name__.rpartition(".")[0]
    sys.modules.pop(package + "." + name, None)
    holder = sys.modules.get(package)
    if hasattr(holder, name):
        delattr(holder, name)
