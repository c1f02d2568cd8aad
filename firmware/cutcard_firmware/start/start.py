"""Checks all of an image before anything of it runs; nothing of this stays in memory.

main.py has seen to it that this check is the one that was signed, and has hashed the files of this
slot with MicroPython's own SHA-256. First comes what it found; then whether there is any file that
nobody signed for; then the signature on the manifest, and whether it is the manifest that was
checked when it came.
`docs/how-to/flashing.md` says what that proves: that nothing changed by accident, over the wire, or
by somebody who could only write files, and not that nobody replaced main.py too.
"""

import os
import sys

import machine
from core.image import identity as ident
from core.image import manifest as mf
from core.image import trust

WATCHDOG = 8388  # milliseconds: the most that an RP2040 can count
IN_ROOT = ("boot.py", "main.py", "cutcard", "image")
IN_SLOT = ("manifest", mf.MODULES)
_FOLDER = 0x4000

# What a device answers with whose image was changed: this much must be as it was signed.
ANSWERS = (
    " start running answering machine_spec board cable flash lines pins restart "
    "core/__init__ core/app core/arithmetic core/byte_ops core/ed25519 core/erasable_record "
    "core/field core/frame core/health core/identity core/mac core/manifest core/messages "
    "core/module_loading core/refused core/sealed core/sensors core/session_keys "
    "core/sessions core/sha512 core/state core/sweep core/text_table core/trust core/update "
    "core/x25519 "
)


def look(slot, chosen, differ=None):
    """(whether the prompt is locked, detail of the fault or 0, name of the file). Raises where
    this slot is not fit to say anything. `differ` are the files of this slot that are not as its
    manifest says: (number, name, whether it is there). They are hashed here if it is None."""
    feed = _unwatched
    record = None
    name = ""
    detail = 0
    locked = True
    try:
        record = ident.read()
        if record is None:
            raise mf.Refused("identity")
        data, head = manifest("/image/" + chosen)
        locked = not head.flags & mf.OPEN_CONSOLE
        if locked:
            feed = machine.WDT(timeout=WATCHDOG).feed
        check(data, head, "/image/" + chosen, record, feed, differ if slot == chosen else None)
        if mf.digest(data, head) != record.digests[ident.place(ord(chosen))]:
            raise mf.Refused("manifest")
        if slot != chosen:
            raise mf.Refused("starter")  # all as it was signed, and yet it could not look
    except mf.Refused as refused:
        detail = mf.REASON[refused.reason] << 16 | refused.which  # both, as a fault carries them
        name = refused.name
    if detail:
        locked = True
        check_answers("/image/" + slot, record, feed, differ)
        _latch(record, detail)
    elif record.changed:
        detail = record.changed  # it was once: who put it right again, and what ran meanwhile?
    return locked, detail, name


def _unwatched():
    pass


def manifest(folder):
    """(manifest with its signature, head)."""
    try:
        with open(folder + "/manifest", "rb") as file:
            data = file.read(mf.MOST + mf.SIGNATURE)
    except OSError:
        raise mf.Refused("missing", 0, folder + "/manifest")
    head = mf.Head(data)
    if len(data) != head.size + mf.SIGNATURE:
        raise mf.Refused("length", head.size + mf.SIGNATURE)
    return data, head


def check(data, head, folder, record, feed, differ):
    """Check a slot. Raises Refused for the first thing that is not as it was signed."""
    trust.check_fits(head, sys.implementation)
    if head.version != record.version:
        raise mf.Refused("version", record.version)
    if differ is None:
        differ = differences(data, head, folder, feed)
    refuse_first(differ)
    check_nothing_else(folder)
    check_signature(data, head, record, feed)


def differences(data, head, folder, feed):
    """The files that are not as the manifest says, as main.py tells them of its own slot."""
    found = []
    for place in mf.places(data, head, folder):
        try:
            if not place.is_right():
                found.append((place.number, place.name, True))
        except OSError:
            found.append((place.number, place.name, False))
        feed()
    return found


def refuse_first(differ):
    for number, name, is_there in differ:
        raise mf.Refused("changed" if is_there else "missing", number, name)


def check_nothing_else(folder):
    for entry in os.ilistdir("/"):
        # What is mounted, as main.py's view of the slot is, comes without a size.
        if entry[0] not in IN_ROOT and len(entry) > 3:
            raise mf.Refused("unnamed", 0, "/" + entry[0])
    check_nothing_beside(folder)


def check_nothing_beside(folder):
    for entry in os.ilistdir(folder):
        if entry[0] not in IN_SLOT or entry[1] == _FOLDER:
            raise mf.Refused("unnamed", 0, folder + "/" + entry[0])


def check_signature(data, head, record, feed):
    from core.crypto.ed25519 import verify

    trust.check_signature(record, data, head, data[head.size :], verify, feed)


def check_answers(folder, record, feed, differ):
    """Whether this slot may speak for the device: its own files, signed by a key it trusts, and
    none beside them. It may be of an older version, as all it does is answer."""
    data, head = manifest(folder)
    if differ is None:
        differ = differences(data, head, folder, feed)
    needed = [each for each in differ if " " + each[1].rsplit(".", 1)[0] + " " in ANSWERS]
    refuse_first(needed)
    check_nothing_beside(folder)
    if record is not None:
        check_signature(data, head, record, feed)


def _latch(record, detail):
    """For good: only a new image, signed and whole, ends it."""
    if record is not None and not record.changed:
        record.changed = detail
        try:  # noqa: SIM105
            ident.write(record)
        except OSError:
            pass  # no room: it is found again at every start
