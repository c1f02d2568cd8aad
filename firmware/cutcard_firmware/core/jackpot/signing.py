"""The private signing key of this device: made here, kept here, and never told.

The arithmetic is loaded for each signature and dropped again.
"""

from hashlib import sha256

from .. import module_loading
from ..storage.state import StateLost

_FILE = "/signing"
_KEY = 32
_CHECK = 8


def make(state, source, breathe):
    """Make a new key from the random source, durable when this returns; its public half."""
    seed = bytes(source.below(256) for _ in range(_KEY))
    from ..crypto.ed25519 import public_key

    breathe()
    keys = seed + public_key(seed, breathe)
    module_loading.forget(*module_loading.SIGNATURES)
    state.write(_FILE, keys + sha256(keys).digest()[:_CHECK])
    return keys[_KEY:]


def public(state):
    """The public half. Raises StateLost if there is no whole key."""
    return _keys(state)[_KEY:]


def sign(state, message, breathe):
    seed = _keys(state)[:_KEY]
    from ..crypto.ed25519 import sign

    breathe()
    signature = sign(seed, message, breathe)
    module_loading.forget(*module_loading.SIGNATURES)
    return signature


def _keys(state):
    data = state.read(_FILE) or b""
    keys = data[: 2 * _KEY]
    if len(data) != 2 * _KEY + _CHECK or sha256(keys).digest()[:_CHECK] != data[2 * _KEY :]:
        raise StateLost
    return keys
