"""Port strings, and the lines they open. Only the port string distinguishes a bench from a board.

bench:[MACHINE][?seed=..&decks=..&clock=..]   starts a bench and connects to it
chip:[MACHINE][?seed=..&decks=..&blank=1]     the same with an emulated board on the bench
socket://HOST:PORT                            a bench or board that is already running
rfc2217://HOST:PORT                           a serial port on another computer
/dev/ttyACM0, /dev/serial/by-id/..., COM3     a board on a cable
my-bench/port                                 a bench that keeps its device in that folder
"""

from __future__ import annotations

import os
from urllib.parse import parse_qsl

from cutcard.devices.errors import BadPortError
from cutcard.devices.lines import Line, Port, running

__all__ = ["Line", "Port", "is_simulated", "parse"]
PSEUDO_TERMINALS = "/dev/pts/"


def parse(text: str) -> Port:
    """Return the port that a port string names. Nothing is opened yet."""
    return _bench(text) if text.startswith(("bench:", "chip:")) else running(text)


def is_simulated(text: str) -> bool:
    """Return whether a port leads to a bench or an emulated board, and not to hardware.

    A bench and an emulated board are reached by their own port strings, by a pseudo terminal or by
    a plain socket; hardware by a serial device, here or on another computer (rfc2217).
    """
    if text.startswith(("bench:", "chip:", "socket://")):
        return True
    return "://" not in text and os.path.realpath(text).startswith(PSEUDO_TERMINALS)


def _bench(text: str) -> Port:
    # Imported only here: a host that uses only boards never loads the bench.
    from cutcard.devices.bench_port import BenchPort

    kind, _, rest = text.partition(":")
    machine, _, query = rest.partition("?")
    try:
        options = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query)))
    except ValueError:
        raise BadPortError(
            f"{text!r}: {query!r} is not a list of options.",
            f"Write {kind}:carousel-60?seed=7&decks=6.",
        ) from None
    return BenchPort(text, kind, machine, options)
