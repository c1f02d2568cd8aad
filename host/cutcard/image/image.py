"""An image file, parsed by the same code as on the device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard.image.reasons import explain
from cutcard_firmware.core.image import identity as ident
from cutcard_firmware.core.image import manifest as mf
from cutcard_firmware.core.image import trust
from cutcard_firmware.core.schema.messages import KINDS

MOST_BYTES = 16 << 20  # no chip of these boards has more memory


class ImageError(Exception):
    """The image is not valid. `reason` is the device's code for the reason."""

    def __init__(self, reason: str, which: int = 0, name: str = "") -> None:
        self.problem, self.hint = explain(reason, which, name)
        super().__init__(f"{self.problem} {self.hint}")
        self.reason = reason
        self.which = which
        self.name = name


@dataclass(frozen=True)
class File:
    number: int
    name: str
    digest: bytes
    data: bytes


@dataclass(frozen=True)
class Image:
    """A parsed image that matches its manifest. Its signature is checked separately."""

    data: bytes
    head: Any
    files: tuple[File, ...]

    @classmethod
    def read(cls, file: Path) -> Image:
        """Read the image in a file. Raises ImageError, and OSError like `open`."""
        with file.open("rb") as stream:
            return cls.parse(stream.read(MOST_BYTES))  # a longer file is cut, and then refused

    @classmethod
    def parse(cls, data: bytes) -> Image:
        """Parse an image. Raises ImageError for the first mistake."""
        try:
            head = mf.Head(data)
            rows = list(mf.files(data, head))
            list(mf.links(data, head))
        except mf.Refused as refused:
            raise ImageError(refused.reason, refused.which, _name(data, refused)) from None
        whole = head.size + mf.SIGNATURE + head.payload
        if len(data) != whole:
            raise ImageError("length", whole)
        files = []
        at = head.size + mf.SIGNATURE
        for number, name, size, digest in rows:
            content = data[at : at + size]
            at += size
            if sha256(content).digest() != digest:
                raise ImageError("changed", number, name)
            files.append(File(number, name, digest, content))
        if head.kind >= len(KINDS) or not _is_name(head.machine) or not head.version:
            raise ImageError("malformed", 8)
        return cls(data, head, tuple(files))

    @property
    def manifest(self) -> bytes:
        return self.data[: self.head.size]

    @property
    def signature(self) -> bytes:
        return self.data[self.head.size : self.head.size + mf.SIGNATURE]

    @property
    def signed(self) -> bool:
        return self.signature != bytes(mf.SIGNATURE)

    @property
    def boards(self) -> list[str]:
        return [board for bit, board in enumerate(mf.BOARDS) if self.head.boards >> bit & 1]

    @property
    def machine(self) -> str:
        return str(self.head.machine.decode("ascii", "replace"))

    @property
    def kind(self) -> str:
        return str(KINDS[self.head.kind])

    @property
    def development(self) -> bool:
        return bool(self.head.flags & mf.DEVELOPMENT)

    @property
    def in_slot(self) -> bytes:
        """Return the files of a slot, concatenated as they are sent over the wire."""
        return b"".join(file.data for file in self.files if not file.name.startswith("/"))

    def new_identity(self) -> ident.Identity:
        """The identity of a blank device that is flashed with this image.

        It trusts the root of the image's key history, and the keys that this leads to.
        Raises ImageError.
        """
        history = list(mf.links(self.data, self.head))
        if not self.signed or not history:
            raise ImageError("unsigned")
        record = ident.Identity()
        self._judged(lambda: _take_root(record, history[0]))
        self.check_signature(record)
        record.slot = ord("a")
        record.digests = [mf.digest(self.data, self.head)] * 2
        record.version = self.head.version
        record.production = 0 if self.development else 1
        return record

    def check_signature(self, record: ident.Identity) -> None:
        """Check the signature as a device with this identity does. Raises ImageError."""
        self._judged(
            lambda: trust.check_signature(
                record,
                data=self.manifest,
                head=self.head,
                signature=self.signature,
                verify=verify,
                breathe=lambda: None,
            )
        )

    def signing_key(self) -> bytes:
        """Return the public half of the signing key, from the image's key history."""
        return bytes(self.new_identity().keys[self.head.key][1])

    def comes_from(self, public: bytes) -> bool:
        """Return whether `public`, or a key it vouches for, signed this image.

        The vouching may be direct or through a chain. A history that only contains the key proves
        nothing: any key can vouch for it. Raises ImageError.
        """
        self.new_identity()  # checks the signature of every link
        trusted: set[int] = set()
        for place, link in enumerate(mf.links(self.data, self.head)):
            serial, what, _, number, added, signer, _ = mf.unpack_link(link)
            if serial != place:  # a device skips this link, so its signature was not checked
                raise ImageError("link", serial)
            if what == mf.ADD and (added == public or signer in trusted):
                trusted.add(number)
        return self.head.key in trusted

    @staticmethod
    def _judged(act: Callable[[], None]) -> None:
        try:
            act()
        except mf.Refused as refused:
            raise ImageError(refused.reason, refused.which) from None


def _take_root(record: ident.Identity, link: bytes) -> None:
    """Take the first key from the image: the person that flashes a blank device trusts it."""
    serial, what, flags, number, public, _, _ = mf.unpack_link(link)
    if serial or what != mf.ADD or not number:
        raise mf.Refused("link", serial)
    record.keys = {number: (flags & mf.DEVELOPMENT, public)}
    record.chain = mf.chain(bytes(32), link)
    record.history = 0


def verify(
    public: bytes, message: bytes, signature: bytes, breathe: Callable[[], None] | None = None
) -> bool:
    """Verify an Ed25519 signature with this computer's library; `breathe` is not needed."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes(public)).verify(bytes(signature), bytes(message))
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_name(machine: bytes) -> bool:
    return machine.isascii() and machine.decode("ascii").isprintable() and bool(machine)


def _name(data: bytes, refused: mf.Refused) -> str:
    return f"number {refused.which}" if refused.reason == "name" else ""
