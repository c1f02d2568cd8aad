"""The private signing key of this device: made and stored here, and never sent.

The arithmetic is loaded for each signature and unloaded afterwards.
"""

from hashlib import sha256

from .. import module_loading
from ..storage.state import StateLost

_FILE = "/signing"
KEY = 32  # bytes of the private and of the public key
_CHECK = 8


def make(state, seed, breathe):
    """Make a new key of 32 random bytes, committed when this returns; return its public key."""
    from ..crypto.ed25519 import public_key

    breathe()
    keys = seed + public_key(seed, breathe)
    module_loading.forget(*module_loading.SIGNATURES)
    state.write(_FILE, keys + sha256(keys).digest()[:_CHECK])
    return keys[KEY:]


def public(state):
    """Return the public key. Raises StateLost if no complete key is stored."""
    return _keys(state)[KEY:]


def sign(state, message, breathe):
    seed = _keys(state)[:KEY]
    from ..crypto.ed25519 import sign

    breathe()
    signature = sign(seed, message, breathe)
    module_loading.forget(*module_loading.SIGNATURES)
    return signature


def _keys(state):
    data = state.read(_FILE) or b""
    keys = data[: 2 * KEY]
    if len(data) != 2 * KEY + _CHECK or sha256(keys).digest()[:_CHECK] != data[2 * KEY :]:
        raise StateLost
    return keys
