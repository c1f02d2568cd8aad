"""Open the device at a port with the driver of its kind."""

from __future__ import annotations

from collections.abc import Callable

from cutcard.devices import ports
from cutcard.devices.connection import Connection
from cutcard.devices.controller import Controller
from cutcard.devices.device import OPEN_SECONDS
from cutcard.devices.events import Event
from cutcard.devices.keys import DeviceKey, KeyStore
from cutcard.devices.log import warn_without_log
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.devices.wire import Tap

AnyDevice = Shuffler | Shoe | Controller

KINDS: dict[str, type[Shuffler] | type[Shoe] | type[Controller]] = {
    "shuffler": Shuffler,
    "shoe": Shoe,
    "controller": Controller,
}


def open_device(
    port: str,
    *,
    record: Callable[[Event], None] | None = None,
    key: bytes | None = None,
    deadline: float = OPEN_SECONDS,
    tap: Tap | None = None,
    acknowledge: bool = True,
) -> AnyDevice:
    """Return a Shuffler, a Shoe or a Controller, by the kind that the device reports.

    The arguments are those of `Shuffler.open`. If the kind is known, use the class of that kind.
    """
    found = ports.parse(port)
    warn_without_log(port)
    if key is not None:
        found.key = DeviceKey(key)
    connection = Connection(
        found, None, KeyStore(), record=record, tap=tap, acknowledge=acknowledge
    )
    connection.open(deadline)
    assert connection.welcome is not None  # open() guarantees this
    return KINDS[connection.welcome.kind](connection)
