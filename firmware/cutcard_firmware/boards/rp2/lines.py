"""The serial lines of a board: to the host over USB or a UART, and from the reader."""

import select
import sys

import machine
from cable import Cable

_BAUD = 115200


def connect(spec):
    """Return the cable to the host that the machine file requires."""
    if spec.LINK == "uart":
        incoming = outgoing = uart(spec, 0, "link", 1024)
    else:
        incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    readable, writable = select.poll(), select.poll()
    readable.register(incoming, select.POLLIN)
    writable.register(outgoing, select.POLLOUT)
    return Cable(incoming, outgoing, readable, writable)


def uart(spec, number, name, room):
    return machine.UART(
        number,
        _BAUD,
        tx=machine.Pin(spec.PINS[name + "_tx"]),
        rx=machine.Pin(spec.PINS[name + "_rx"]),
        txbuf=room,
        rxbuf=room,
    )
