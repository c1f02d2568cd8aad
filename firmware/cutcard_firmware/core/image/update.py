"""A new image over the wire: verified first, written to the other slot, activated by a rename.

This module is in memory only during an update.

`offer` receives the manifest in pieces, `stage` has it verified and the other slot cleared, `piece`
receives the files in order, `switch` activates the image. Each may be repeated without harm, so
they are not numbered. Power may fail at any moment: until the switch the old image starts, after it
the new one.
"""

import os
import sys

from . import identity as ident
from . import manifest as mf
from . import trust
from ..crypto.ed25519 import verify
from ..module_loading import ROOM, forget_update


def obey(device, name, arguments):
    """Carry out an update command; return the result, or ("refused", error, a, b)."""
    if device.update is None:
        device.update = Update(device)
    try:
        return getattr(device.update, "cmd_" + name)(**arguments)
    except mf.Refused as refused:
        reason, which = refused.reason, refused.which
    except OSError:
        reason, which = "storage", 0
    except MemoryError:
        reason, which = "memory", 0
    finally:
        if name in ("image", "switch"):
            device.update.drop()
            device.update = None
            forget_update()
    return "refused", "image-refused", mf.REASON[reason], which


def _verify(public, message, signature, breathe):
    return verify(public, message, signature, breathe, ROOM)


class Update:
    def __init__(self, device):
        self.device = device
        self.root = device.board.root
        self.identity = None  # the identity after the switch
        self.manifest = bytearray()
        self.offered = 0  # bytes of it
        self.head = None
        self.todo = iter(())  # modules not received yet
        self.place = None  # of the module being written
        self.stream = None
        self.have = 0  # bytes of all modules received, in order

    def cmd_image(self):
        """Return the running image, the keys the device trusts, and any fault of its image."""
        own = self._own()
        return (
            own.version,
            own.slot,
            own.production,
            own.history,
            max(own.keys),
            own.changed,
            getattr(self.device, "changed", "").encode()[:64],
        )

    def cmd_offer(self, at, data):
        self.drop()  # a manifest verified before is replaced
        if at == 0:
            # now: memory soon has no contiguous block of this size
            self.manifest = bytearray(mf.size(data))
            self.offered = 0
        if at > self.offered or at + len(data) > len(self.manifest):
            raise mf.Refused("place", self.offered)
        self.manifest[at : at + len(data)] = data
        self.offered = at + len(data)
        return (self.offered,)

    def cmd_stage(self, cards, signature):
        """Verify the entire manifest of a new image before a byte of flash changes."""
        if cards > 1:
            raise ValueError
        self.drop()
        device = self.device
        if getattr(device, "job", None) is not None:
            raise mf.Refused("busy")
        inside = device.inside() if hasattr(device, "inside") else 0
        if inside > 0 and not cards:
            raise mf.Refused("cards", inside)
        own = self._own()
        if not self.offered or self.offered != len(self.manifest):
            raise mf.Refused("place", self.offered)
        head = mf.Head(self.manifest)
        if head.size != len(self.manifest):
            raise mf.Refused("length", head.size)  # the first piece had another size
        trust.check_fits(head, sys.implementation)
        if head.machine != device.spec.NAME.encode():
            raise mf.Refused("machine")
        if head.version < own.version:
            raise mf.Refused("version", own.version)
        trust.check_signature(own, self.manifest, head, signature, _verify, device.board.breathe)
        self._check_starters(head)
        # Never the running slot: it may be the other one, which answers for a damaged one.
        own.slot = ord("a") if sys.path[0] == "/b" else ord("b")
        own.version = head.version
        own.changed = 0
        own.digests[ident.place(own.slot)] = mf.digest(self.manifest, head)
        if not head.flags & mf.DEVELOPMENT:
            own.production = 1
        self.folder = self.root + "/image/" + chr(own.slot)
        try:
            self._prepare(head, signature)
        except Exception:
            self.drop()  # it is incomplete, and cannot be started
            raise
        self.identity = own
        return (self.have,)

    def cmd_piece(self, at, data):
        """Write the next bytes of the files; bytes already stored are skipped."""
        if self.head is None or at > self.have:
            raise mf.Refused("place", self.have & 0xFFFF)
        data = memoryview(data)[self.have - at :]
        while len(data):
            if self.place is None:
                raise mf.Refused("place", self.have & 0xFFFF)
            part = data[: self.place.end - self.have]
            self.stream.write(part)
            self.have += len(part)
            data = data[len(part) :]
            self._finish_modules()
        return (self.have,)

    def cmd_switch(self):
        """Check every byte against the signed hashes, then activate the new image by one rename."""
        if self.head is None or self.place is not None:
            raise mf.Refused("place", self.have & 0xFFFF)
        checked = self.identity.digests[ident.place(self.identity.slot)]
        if (
            mf.digest(self.manifest, self.head) != checked
            or mf.sha256_of(self.folder + "/manifest", self.head.size) != checked
        ):
            raise mf.Refused("manifest")
        for place in mf.places(self.manifest, self.head, self.folder):
            if place.name[0] != "/" and not self._is_there(place):
                raise mf.Refused("changed", place.number)
        ident.write(self.identity, self.root)
        self.device.ended = True
        return ()

    def _own(self):
        own = ident.read(self.root)
        if own is None or own.slot == ident.NO_SLOT:
            raise mf.Refused("identity")
        return own

    def _check_starters(self, head):
        """Refuse an image with another boot.py or main.py: these cannot change over the wire."""
        for number, name, _, digest in mf.files(self.manifest, head):
            if name[0] == "/" and mf.sha256_of(self.root + name) != digest:
                raise mf.Refused("starter", number)

    def _prepare(self, head, signature):
        """Resume an interrupted attempt with the same image, else clear the slot."""
        self.head = head
        path = self.folder + "/manifest"
        if not self._is_staged(path, signature):
            _clear(self.folder)
            _make(self.folder)
            with open(path, "wb") as file:
                file.write(self.manifest)
                file.write(signature)
        self.todo = mf.places(self.manifest, self.head, self.folder)
        self.have = 0
        self._next_module()
        while self.place is not None and self._is_there(self.place):
            self.have = self.place.end
            self._next_module()
        if self.place is not None:
            self._open()

    def _is_there(self, place):
        self.device.board.breathe()
        try:
            return place.is_right()
        except OSError:
            return False

    def _next_module(self):
        self.place = next(self.todo, None)
        if self.place is not None and self.place.name[0] == "/":
            self.place = None  # the files of the root come last, and exist

    def _open(self):
        """Resume after the last complete module; bytes behind it are overwritten."""
        path = self.place.path
        try:
            self.stream = open(path, "r+b")  # noqa: SIM115
        except OSError:
            self.stream = open(path, "wb")  # noqa: SIM115
        self.stream.seek(self.have)

    def _finish_modules(self):
        """Commit complete modules; write modules with a wrong hash again."""
        while self.place is not None and self.have == self.place.end:
            self.stream.flush()
            if not self._is_there(self.place):
                self.have = self.place.begin
                self.stream.seek(self.have)
                raise mf.Refused("changed", self.place.number)
            self._next_module()
        if self.place is None:
            self.stream.close()

    def drop(self):
        """Close the open file: if the garbage collector closed it, its buffer would be written."""
        if self.stream is not None:
            self.stream.close()
        self.head = self.identity = self.place = self.stream = None

    def _is_staged(self, path, signature):
        """Return whether this image is staged: the same signature means the same manifest."""
        try:
            with open(path, "rb") as file:
                file.seek(len(self.manifest))
                return file.read() == signature and mf.sha256_of(path, self.head.size) == mf.digest(
                    self.manifest, self.head
                )
        except OSError:
            return False


def _make(folder):
    try:  # noqa: SIM105
        os.mkdir(folder)
    except OSError:
        pass  # it exists


def _clear(folder):
    """Delete the manifest first: without it, the remaining files are not used."""
    for name in ("manifest", None):
        try:
            for entry in list(os.ilistdir(folder)):
                path = folder + "/" + entry[0]
                if entry[1] == 0x4000:
                    if name is None:
                        _clear(path)
                        os.rmdir(path)
                elif name is None or entry[0] == name:
                    os.remove(path)
        except OSError:
            return
