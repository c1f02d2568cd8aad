"""Identify a device and give a new one its key, both before any session."""

from __future__ import annotations

from cutcard.devices import handshake, ports
from cutcard.devices.channel import Channel
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import CommandRefusedError, StateLostError, WrongDeviceError
from cutcard.devices.handshake import Welcome
from cutcard.devices.keys import KeyStore


def identify(port: str, deadline: float = 5.0) -> Welcome:
    """Return the identity of the device at a port. Needs no key and changes nothing."""
    found = ports.parse(port)
    try:
        channel = Channel(found.connect())
        try:
            return handshake.identify(channel, port, Deadline(deadline))
        finally:
            channel.close()
    finally:
        found.release()


def provision(
    port: str, keys: KeyStore | None = None, again: bool = False, deadline: float = 10.0
) -> Welcome:
    """Make a key, store it, and give it to the device at a port.

    A device that had a key from this computer and has none now has also lost its state. This is
    refused unless `again` confirms that a person has checked the cards.
    """
    found = ports.parse(port)
    try:
        return give_key_to(found, keys or KeyStore(), again, deadline)
    finally:
        found.release()


def give_key_to(
    port: ports.Port, keys: KeyStore, again: bool = False, deadline: float = 10.0
) -> Welcome:
    """Give a key to the device at an open port, which stays open."""
    channel = Channel(port.connect())
    try:
        return _provision(channel, port.text, keys, again, Deadline(deadline))
    finally:
        channel.close()


def _provision(
    channel: Channel, port: str, store: KeyStore, again: bool, deadline: Deadline
) -> Welcome:
    welcome = handshake.identify(channel, port, deadline)
    handshake.check_schema(welcome, port)
    if welcome.provisioned:
        raise CommandRefusedError(port, "already-provisioned")
    if store.get(welcome.serial) is not None and not again:
        raise StateLostError(
            f"{port}: the device {welcome.serial.hex()} had a key from this computer and has none "
            "now: its storage was erased, including the positions of its cards.",
            "Take all cards out, count them by hand and find out why; then add --again.",
        )
    serial = welcome.serial
    # A pending key has crossed the line before, and another device may have received it.
    key = store.renew(serial) if store.pending(serial) else store.create(serial)
    try:
        handshake.give_key(channel, port, key, deadline)
    except CommandRefusedError as refusal:
        if refusal.error != "already-provisioned":
            raise
        # Its first reply was lost and the frame was repeated; the proof shows whether that is so.
    welcome = handshake.identify(channel, port, deadline)
    if welcome.serial != serial:
        raise WrongDeviceError(
            f"{port}: the device there is now {welcome.serial.hex()}; it was {serial.hex()}.",
            "Plug the right device in and provision it again: it gets another key.",
        )
    handshake.authenticate(channel, port, key, welcome, deadline)
    store.confirm(serial)
    return welcome
