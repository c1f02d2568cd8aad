"""Plain words for every reason by which an image, or what lies on a device, is refused.

The device sends a number and one argument (`cutcard_firmware/core/image/manifest.py`). The same
code checks an image on this computer, and adds the name of the file.
"""

from __future__ import annotations

from cutcard_firmware.core.image import manifest as mf

# Reason -> (what was wrong, what to do next). {which} is the number that came with it, {name}
# the file where it is known.
REASONS: dict[str, tuple[str, str]] = {
    "none": ("nothing is wrong.", "Nothing needs to be done."),
    "changed": (
        "the file {name} is not the one that was signed.",
        "Do not use it. Fetch the image again; on a device, flash it again and find out why.",
    ),
    "missing": ("the file {name} is not there.", "Flash the image again and find out why."),
    "unnamed": (
        "there is a file that the signed manifest does not name: {name}.",
        "Somebody put it there. Take the device out of play, find out who, flash it again; if "
        "it lies outside /image, erase the board first (docs/flashing.md).",
    ),
    "magic": ("this is not a cutcard image.", "`cutcard image build` makes one."),
    "format": (
        "the image has format {which}, and this version knows format " + f"{mf.FORMAT}.",
        "Use the version of cutcard that made the image.",
    ),
    "length": (
        "it is cut short or too long: {which} bytes should be there.",
        "It was not copied to its end: fetch it again.",
    ),
    "malformed": ("it makes no sense at byte {which}.", "It is damaged: fetch it again."),
    "name": (
        "file {name} has a name that is not allowed, or is named twice, or out of order.",
        "Nothing that `cutcard image build` made is so: do not use it.",
    ),
    "unsigned": (
        "nobody has signed the image.",
        "Build it with --key NAME; a device takes only signed ones.",
    ),
    "signature": (
        "the signature is not that of key {which}.",
        "It was changed after it was signed, or signed by somebody else: do not use it.",
    ),
    "board": (
        "the image is for {boards}, and this is another board.",
        "Build or fetch the image for this board.",
    ),
    "micropython": (
        "the image needs MicroPython {release} and its .mpy format, and the board has another.",
        "Put that release of MicroPython on the board first (docs/bring-up.md, step 3).",
    ),
    "version": (
        "the device has version {which} and takes no older one, nor starts another.",
        "Flash a version that is not older. There is no way back.",
    ),
    "unknown-key": (
        "the device does not know key {which}, which signed the image.",
        "Sign with the key that the device trusts, or with one that `cutcard keys rotate` "
        "made from it.",
    ),
    "revoked-key": (
        "key {which} has been revoked.",
        "Sign the image with a newer key.",
    ),
    "development-key": (
        "key {which} is for development, and the device has left development.",
        "Sign the image with a production key. There is no way back.",
    ),
    "link": (
        "link {which} of the image's key history is not signed by a key that may.",
        "The histories of device and image do not belong together: use the right key.",
    ),
    "identity": (
        "the device's identity (key, versions, trusted keys) is lost or damaged.",
        "Erase the board and begin anew: docs/flashing.md, A device that lost itself.",
    ),
    "starter": (
        "boot.py and main.py of the image are not those of the device.",
        "Such an image cannot come over the wire: flash the board by cable (docs/flashing.md, "
        "A new main.py).",
    ),
    "console": (
        "the image opens MicroPython's prompt, and no development key signed it.",
        'Build it with board.console = "locked".',
    ),
    "machine": (
        "the image is for another machine than the device.",
        "Build it with --machine as the device has it; `cutcard devices --identify` tells.",
    ),
    "cards": (
        "{which} cards are in the machine.",
        "Unload it first. If they may stay, add --cards-inside-ok: the machine keeps its count.",
    ),
    "busy": ("the machine is at work.", "Wait until it is at rest, then try again."),
    "place": (
        "a piece came out of its order.",
        "Run the command again; it goes on where it was.",
    ),
    "storage": (
        "the device's flash has no room, or takes no more.",
        "Run the command again; if it stays so, the flash is worn out or full.",
    ),
    "memory": (
        "the device has no memory left in one piece to look at the image.",
        "Switch it off and on, then run the command again.",
    ),
    "manifest": (
        "the manifest is not the one whose signature was checked when the image came.",
        "Somebody put another there. Take the device out of play, find out who, flash it again.",
    ),
}


def explain(reason: str, which: int, name: str = "") -> tuple[str, str]:
    """What was wrong with an image, and what to do."""
    problem, hint = REASONS[reason]
    boards = [board for bit, board in enumerate(mf.BOARDS) if which >> bit & 1]
    filled = {
        "which": which,
        "name": name or f"number {which}",
        "boards": " and ".join(boards) or "no board that is known",
        "release": f"{which >> 8}.{which & 255}",
    }
    return problem.format(**filled), hint.format(**filled)


def explain_detail(detail: int) -> tuple[str, str]:
    """The same text, from the detail of the fault `image-changed`."""
    reason = detail >> 16
    if reason >= len(mf.REASONS):
        return f"detail {detail}, which this version does not know.", "Use a newer driver."
    return explain(mf.REASONS[reason], detail & 0xFFFF)
