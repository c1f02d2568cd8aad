"""The store of device keys on the table's computer: one file for each serial number.

The holder of a key can command the machine and read face-down cards, so only the owner may access
the files. A store that others can read is refused, not repaired: they may already have a copy.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from cutcard import private_files, untrusted
from cutcard.devices.errors import KeysNotStoredError, KeyUnsafeError

KEY_BYTES = 32
MOST_BYTES = untrusted.KIBIBYTE


class DeviceKey(bytes):
    """A key whose value does not appear in a traceback, a log or a debugger."""

    def __new__(cls, value: bytes) -> DeviceKey:
        if len(value) != KEY_BYTES:
            raise ValueError(f"a device key has {KEY_BYTES} bytes, this one has {len(value)}")
        return super().__new__(cls, value)

    def __repr__(self) -> str:
        return "DeviceKey(...)"

    __str__ = __repr__


def default_folder() -> Path:
    """Return `CUTCARD_KEYS`, or `cutcard/keys` in the user's configuration folder."""
    if chosen := os.environ.get("CUTCARD_KEYS"):
        return Path(chosen)
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "cutcard" / "keys"


def read_key(path: Path) -> DeviceKey:
    """Return the key in a file. Raises ValueError if the content is not a key."""
    return DeviceKey(bytes.fromhex(untrusted.content(path, MOST_BYTES).decode("ascii").strip()))


class KeyStore:
    """The keys of devices by serial number.

    A new key is first stored as *pending*, then given to the device, then confirmed. If the power
    fails in between, the key that the device may have is not lost.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or default_folder()

    def get(self, serial: bytes) -> DeviceKey | None:
        """Return the key of that device, or None if this computer never had one."""
        return self._read(self._path(serial))

    def pending(self, serial: bytes) -> DeviceKey | None:
        """Return a key made for that device whose arrival was never confirmed, or None."""
        return self._read(self._pending_path(serial))

    def prepare(self, serial: bytes) -> None:
        """Check that a key can be stored, before long work that ends with one.

        `serial` is empty if it is not known yet. Raises KeyUnsafeError or KeysNotStoredError.
        """
        self._make_folder()
        if serial:
            self.get(serial)
            self.pending(serial)
        probe = self.folder / f"{secrets.token_hex(4)}.probe"
        try:
            private_files.create(probe, "\n")
            probe.unlink()
        except OSError as error:
            raise self._not_stored(error) from error

    def create(self, serial: bytes) -> DeviceKey:
        """Make a new key, stored as pending before it is used."""
        self._make_folder()
        with private_files.locked(self.folder):  # a concurrent program gets the same key
            if waiting := self.pending(serial):
                return waiting
            key = DeviceKey(secrets.token_bytes(KEY_BYTES))
            private_files.create(self._pending_path(serial), key.hex() + "\n")
        return key

    def renew(self, serial: bytes) -> DeviceKey:
        """Replace a pending key, which may have been sent to another device."""
        with private_files.locked(self.folder):
            key = DeviceKey(secrets.token_bytes(KEY_BYTES))
            private_files.replace(self._pending_path(serial), key.hex() + "\n")
        return key

    def confirm(self, serial: bytes) -> None:
        """Make the pending key the device's key: the device has confirmed it."""
        os.replace(self._pending_path(serial), self._path(serial))
        private_files.sync_folder(self.folder)

    def _make_folder(self) -> None:
        try:
            private_files.make_folder(self.folder)
            if not self.folder.is_dir():
                raise NotADirectoryError("it is not a folder")
        except OSError as error:
            raise self._not_stored(error) from error
        self._check(self.folder, "700")

    def _not_stored(self, error: OSError) -> KeysNotStoredError:
        return KeysNotStoredError(
            f"{self.folder}: no key can be stored there ({untrusted.why_unreadable(error)}).",
            "Make it a folder that this user may write to, or set CUTCARD_KEYS to another folder.",
        )

    def _path(self, serial: bytes) -> Path:
        return self.folder / f"{serial.hex()}.key"

    def _pending_path(self, serial: bytes) -> Path:
        return self.folder / f"{serial.hex()}.pending"

    def _read(self, path: Path) -> DeviceKey | None:
        if not path.exists():
            return None
        self._check(self.folder, "700")
        self._check(path, "600")
        try:
            return read_key(path)
        except ValueError:
            raise KeyUnsafeError(
                f"{path} does not hold a key ({2 * KEY_BYTES} hexadecimal digits).",
                "Put the right file back from your copy; without it the device needs a factory "
                "reset.",
            ) from None

    @staticmethod
    def _check(path: Path, mode: str) -> None:
        if wrong := private_files.complaint(path, mode):
            raise KeyUnsafeError(*wrong)
