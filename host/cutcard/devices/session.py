"""One session: the keys of both directions and the counters that make every frame unique."""

from __future__ import annotations

from cutcard_firmware.core.crypto import session_keys


class SessionLostError(Exception):
    """Raised when the device no longer has this session. The connection opens another."""


class Session:
    """Encrypt and decrypt frames, and track missing frames of the device.

    A lost frame may still arrive late: the stored reply to a repeated command has its old counter.
    """

    MOST_MISSING = 1000  # more missing frames mean a broken line, not a lossy one

    def __init__(self, key: bytes, transcript: bytes) -> None:
        self._outgoing = session_keys.Session(key, transcript, b"host")
        self._incoming = session_keys.Session(key, transcript, b"device")
        self._sent = 0
        self._heard = 0
        self._missing: set[int] = set()
        self.forged = 0
        self.repeated = 0

    def seal(self, kind: int, payload: bytes) -> bytes:
        self._sent += 1
        body: bytes = self._outgoing.seal(kind, self._sent, payload)
        return body

    def unseal(self, body: bytes) -> tuple[int, bytes] | None:
        """Return (kind, payload) of a frame that is the device's and was not received before; else
        None."""
        opened = self._incoming.unseal(body)
        if opened is None:
            self.forged += 1
            return None
        kind, counter, payload = opened
        if counter > self._heard:
            if counter - self._heard > self.MOST_MISSING:
                raise SessionLostError("too many frames are missing")
            self._missing.update(range(self._heard + 1, counter))
            self._heard = counter
        elif counter in self._missing:
            self._missing.remove(counter)
        else:
            self.repeated += 1
            return None
        return kind, payload

    def is_in_step(self, counter: int) -> bool:
        """Return whether a device that received `counter` frames accepts our next one or has it
        already."""
        return counter in (self._sent - 1, self._sent)

    @property
    def heard(self) -> int:
        """Return the highest counter that the device has used, as far as known."""
        return self._heard

    def missing_after(self, counter: int) -> bool:
        """Return whether a frame after that counter is missing."""
        return any(missing > counter for missing in self._missing)

    @property
    def missing(self) -> bool:
        return bool(self._missing)

    def give_up_missing(self, until: int) -> None:
        """Stop waiting for missing frames: their content has arrived in other frames."""
        self._missing = {counter for counter in self._missing if counter > until}
