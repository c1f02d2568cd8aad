"""The images that a device trusts, by the keys in its identity."""

from . import manifest as mf

REVOKED = 2  # together with manifest.DEVELOPMENT, a key's flags


def learn(identity, data, head, verify, breathe):
    """Follow the image's key history from the device's position.

    Each link counts once, in order, and only if a key that the device trusts signed it: the list
    only moves forward.
    """
    for link in mf.links(data, head):
        serial, what, flags, number, public, signer, signature = mf.unpack_link(link)
        if serial <= identity.history:
            continue
        if serial != identity.history + 1:
            raise mf.Refused("link", serial)
        trusted(identity, signer)
        if not verify(
            identity.keys[signer][1], mf.link_message(identity.chain, link), signature, breathe
        ):
            raise mf.Refused("link", serial)
        breathe()
        if what == mf.ADD and number > max(identity.keys):
            identity.keys[number] = (flags & mf.DEVELOPMENT, public)
        elif what == mf.REVOKE and number in identity.keys and number < signer:
            known = identity.keys[number]
            identity.keys[number] = (known[0] | REVOKED, known[1])
        else:
            raise mf.Refused("link", serial)
        identity.chain = mf.chain(identity.chain, link)
        identity.history = serial


def trusted(identity, number):
    """Check that the device trusts a key. Raises Refused."""
    if number not in identity.keys:
        raise mf.Refused("unknown-key", number)
    flags = identity.keys[number][0]
    if flags & REVOKED:
        raise mf.Refused("revoked-key", number)
    if flags & mf.DEVELOPMENT and identity.production:
        raise mf.Refused("development-key", number)


def check_signature(identity, data, head, signature, verify, breathe):
    """Check that a trusted key signed the manifest, and is allowed to."""
    if signature == bytes(mf.SIGNATURE):
        raise mf.Refused("unsigned")
    learn(identity, data, head, verify, breathe)
    trusted(identity, head.key)
    flags, public = identity.keys[head.key]
    if head.flags & mf.DEVELOPMENT != flags & mf.DEVELOPMENT:
        raise mf.Refused("development-key", head.key)
    if head.flags & mf.OPEN_CONSOLE and not flags & mf.DEVELOPMENT:
        raise mf.Refused("console")
    if not verify(public, mf.message(data, head), signature, breathe):
        raise mf.Refused("signature", head.key)
    breathe()


def check_fits(head, implementation):
    """Check that the image is for this chip and MicroPython (`sys.implementation`)."""
    if not head.boards & board(implementation):
        raise mf.Refused("board", head.boards)
    mpy = getattr(implementation, "_mpy", 0)
    if (
        tuple(implementation[1][:2]) < head.micropython
        or mpy & 0xFF != head.mpy
        or mpy >> 8 & 3 < head.mpy_sub
    ):
        raise mf.Refused("micropython", head.micropython[0] << 8 | head.micropython[1])


def board(implementation):
    """Return the bit of manifest.BOARDS for this board."""
    name = getattr(implementation, "_machine", "")
    return 1 if "RP2040" in name else 2 if "RP2350" in name else 4
