"""Update a device that runs cutcard: a later image over cutcard's own wire."""

from __future__ import annotations

from typing import Any, Self

from cutcard import untrusted
from cutcard.devices import events, handshake
from cutcard.devices.channel import Channel
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import CommandRefusedError
from cutcard.devices.handshake import Welcome
from cutcard.devices.keys import KeyStore
from cutcard.devices.ports import Port
from cutcard.flashing.errors import NotTakenError
from cutcard.flashing.prompt import Progress
from cutcard.image.image import Image
from cutcard.image.reasons import explain
from cutcard_firmware.core.image import manifest as mf
from cutcard_firmware.core.schema import messages

PIECE = 192  # bytes: with their head, tag and number they fit one frame
SECONDS = 10.0  # for one answer, including recovered lines
ATTEMPTS = 3
CHECK_SECONDS = 60.0  # for verifying a signature and a sequence of links on a slow board


class UpdateConnection(Connection):
    """A session that only sends a new image, to firmware with any message schema.

    The device's events stay there for a driver with its schema.
    """

    def _greet(self, channel: Channel, deadline: Deadline) -> Welcome:
        return handshake.identify(
            channel,
            self.port.text,
            deadline=deadline,
            randomness=self._randomness,
            retry=self._retry,
            schema=messages.ANY_SCHEMA,
        )

    def _resynchronise(self, deadline: Deadline) -> None:
        """Do nothing: this session numbers no command and takes no event."""

    def _fill_gaps(self, deadline: Deadline) -> None:
        """Do nothing: this session takes no events."""

    def _event(self, payload: bytes) -> events.Event | None:
        """Ignore the event: the device sends it again to the next host."""
        return None


class Update:
    """Send an image to a device; after an interruption, `run` may be repeated and resumes there."""

    def __init__(self, port: Port, keys: KeyStore | None = None) -> None:
        self._port = port
        self._connection = UpdateConnection(port, None, keys or KeyStore())

    def __enter__(self) -> Self:
        self._connection.open(SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def state(self) -> dict[str, Any]:
        """The running image, the keys the device trusts, and any fault of its image."""
        return self._ask("image", None)

    def check_starts(self) -> None:
        """Raise NotTakenError if the start-up check of the device keeps it from work."""
        state = self.state()
        if detail := state["changed"]:
            reason = mf.REASONS[detail >> 16] if detail >> 16 < len(mf.REASONS) else "malformed"
            # An attacker that planted a file chose its name; the device cuts it to a length.
            file = untrusted.printable(state["file"].decode("utf-8", "replace"))
            problem, hint = explain(reason, detail & 0xFFFF, file)
            raise NotTakenError(self._port.text, reason, f"the image is there, and {problem}", hint)

    def run(self, image: Image, cards_inside_ok: bool, progress: Progress) -> None:
        """Send the image; offer it again to a device that restarted during the transfer.

        That device has lost the manifest, but has kept the written bytes of the files.
        """
        before = self.state()["slot"]
        for attempt in range(ATTEMPTS):
            try:
                self._bring(image, cards_inside_ok, progress)
                return
            except NotTakenError as refused:
                if refused.reason != "place" or attempt == ATTEMPTS - 1:
                    raise
                if self.state()["slot"] != before:
                    return  # it had switched; only its answer was lost

    def _bring(self, image: Image, cards_inside_ok: bool, progress: Progress) -> None:
        manifest = image.manifest
        for at in range(0, len(manifest), PIECE):
            self._ask("offer", image, at, manifest[at : at + PIECE])
        cards = int(cards_inside_ok)
        have = self._ask("stage", image, cards, image.signature)["have"]
        content = image.in_slot
        progress(have, len(content))
        while have < len(content):
            have = self._ask("piece", image, have, content[have : have + PIECE])["have"]
            progress(have, len(content))
        self._ask("switch", image)

    def _ask(self, name: str, image: Image | None, *arguments: int | bytes) -> dict[str, Any]:
        seconds = CHECK_SECONDS if name in ("stage", "switch") else SECONDS
        try:
            return self._connection.ask(name, *arguments, deadline=Deadline(seconds))
        except CommandRefusedError as refused:
            if refused.error != "image-refused":
                raise
            raise self._not_taken(refused, image) from None

    def _not_taken(self, refused: CommandRefusedError, image: Image | None) -> NotTakenError:
        reason = mf.REASONS[refused.a] if refused.a < len(mf.REASONS) else "malformed"
        name = ""
        if image is not None and refused.b < len(image.files) and reason in ("changed", "starter"):
            name = image.files[refused.b].name
        return NotTakenError(self._port.text, reason, *explain(reason, refused.b, name))
