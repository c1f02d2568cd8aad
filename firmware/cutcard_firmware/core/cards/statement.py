"""A machine's signed statement about its two chains. Loaded for each statement, then unloaded."""

import struct

from ..crypto.mac import Mac
from ..devices import signing
from ..storage.state import StateLost

DOMAIN = b"cutcard witness 1\0"  # no other message of this key has this prefix
_FRESH = 64  # bytes of the chip's own random bytes in a new key


def signed(device, head):
    """Return both chains, the machine's public key, and its signature.

    The signature covers the serial number, the chains and the head that the host gave. The first
    statement makes the key. Raises StorageFull.
    """
    board = device.board
    chains = device.cmd_chains()
    try:
        public = signing.public(device.state)
    except StateLost:
        public = signing.make(device.state, _seed(device), board.breathe)
    message = DOMAIN + board.serial + struct.pack("<I32sI32s", *chains) + head
    return chains + (public, signing.sign(device.state, message, board.breathe))


def _seed(device):
    """Return the private key of a new pair, independent of the generator that decides cards."""
    mac = Mac(device.link.key)
    seed = mac.digest(b"signing", device.board.fresh(_FRESH))
    mac.wipe()
    return seed
