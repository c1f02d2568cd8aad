"""Check an entire image before any of it runs; no part of this module stays in memory.

main.py has ensured that this is the signed check, and has hashed the files of this slot with
MicroPython's own SHA-256. The order is: the result of main.py; then unsigned files; then the
signature on the manifest, and whether it is the manifest that was verified on arrival.
`docs/how-to/flashing.md` explains the meaning: no file changed by accident, over the wire, or by an
attacker that can only write files. It does not prove that main.py was not replaced too.
"""

import os
import sys

import machine
from core.image import identity as ident
from core.image import manifest as mf
from core.image import trust

WATCHDOG = 8388  # milliseconds: the maximum of an RP2040
IN_ROOT = ("boot.py", "main.py", "cutcard", "image")
IN_SLOT = ("manifest", mf.MODULES)
_FOLDER = 0x4000

# The files that a device with a changed image needs to answer: these must be unchanged.
ANSWERS = (
    " start running answering machine_spec board cable flash lines pins restart "
    "core/__init__ core/app core/arithmetic core/byte_ops core/ed25519 core/erasable_record "
    "core/field core/frame core/health core/identity core/mac core/manifest core/messages "
    "core/module_loading core/refused core/sealed core/sensors core/session_keys "
    "core/sessions core/sha512 core/state core/sweep core/text_table core/trust core/update "
    "core/x25519 "
)


def look(slot, chosen, differ=None):
    """Return (whether the prompt is locked, detail of the fault or 0, name of the file).

    Raises an exception if this slot is unfit to report. `differ` are the files of this slot that
    differ from its manifest: (number, name, whether it exists). If it is None, they are hashed
    here.
    """
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
            # all files are unchanged, but the check of that slot did not work
            raise mf.Refused("starter")
    except mf.Refused as refused:
        detail = mf.REASON[refused.reason] << 16 | refused.which  # both, as a fault contains them
        name = refused.name
    if detail:
        locked = True
        check_answers("/image/" + slot, record, feed, differ)
        _latch(record, detail)
    elif record.changed:
        detail = record.changed  # it was changed once: the code that ran since then is unknown
    return locked, detail, name


def _unwatched():
    pass


def manifest(folder):
    """Return (manifest with its signature, head)."""
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
    """Check a slot. Raises Refused for the first difference from the signed image."""
    trust.check_fits(head, sys.implementation)
    if head.version != record.version:
        raise mf.Refused("version", record.version)
    if differ is None:
        differ = differences(data, head, folder, feed)
    refuse_first(differ)
    check_nothing_else(folder)
    check_signature(data, head, record, feed)


def differences(data, head, folder, feed):
    """Yield the files that differ from the manifest, as main.py does for its own slot."""
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
        # Mounted entries, such as main.py's view of the slot, have no size.
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
    """Check that this slot may report for the device.

    Its own files must be unchanged and signed by a trusted key, without further files. It may be an
    older version, because it only answers.
    """
    data, head = manifest(folder)
    if differ is None:
        differ = differences(data, head, folder, feed)
    needed = [each for each in differ if " " + each[1].rsplit(".", 1)[0] + " " in ANSWERS]
    refuse_first(needed)
    check_nothing_beside(folder)
    if record is not None:
        check_signature(data, head, record, feed)


def _latch(record, detail):
    """Latch the fault permanently: only a new, signed and complete image ends it."""
    if record is not None and not record.changed:
        record.changed = detail
        try:  # noqa: SIM105
            ident.write(record)
        except OSError:
            pass  # no room: the next start finds it again
