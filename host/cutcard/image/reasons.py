"""An explanation of every reason for which an image, or a device's content, is refused.

The device sends a number and one argument (`cutcard_firmware/core/image/manifest.py`). The same
code checks an image on this computer, and adds the name of the file.
"""

from __future__ import annotations

from cutcard_firmware.core.image import manifest as mf

# Reason -> (the problem, the next step). {which} is the number sent with it, {name} the file if it
# is known.
REASONS: dict[str, tuple[str, str]] = {
    "none": ("no problem was found.", "No action is needed."),
    "changed": (
        "the file {name} differs from the signed one.",
        "Do not use it. Download the image again; on a device, flash it again and investigate the "
        "cause.",
    ),
    "missing": ("the file {name} is missing.", "Flash the image again and investigate the cause."),
    "unnamed": (
        "there is a file that is not in the signed manifest: {name}.",
        "A person put it there. Take the device out of play, investigate, and flash it again; if "
        "the file is outside /image, erase the board first (docs/how-to/flashing.md).",
    ),
    "magic": ("this is not a cutcard image.", "Run `cutcard image build` to make one."),
    "format": (
        "the image has format {which}, but this version supports format " + f"{mf.FORMAT}.",
        "Use the version of cutcard that made the image.",
    ),
    "length": (
        "it is incomplete or too long: it should have {which} bytes.",
        "The copy is incomplete: download it again.",
    ),
    "malformed": ("it is invalid at byte {which}.", "It is damaged: download it again."),
    "name": (
        "file {name} has an invalid or duplicate name, or is out of order.",
        "The image was not made by `cutcard image build`: do not use it.",
    ),
    "unsigned": (
        "the image is not signed.",
        "Build it with --key NAME; a device accepts only signed images.",
    ),
    "signature": (
        "the signature does not match key {which}.",
        "The image was changed after signing, or signed with another key: do not use it.",
    ),
    "board": (
        "the image is for {boards}, but this is another board.",
        "Build or download the image for this board.",
    ),
    "micropython": (
        "the image needs MicroPython {release} and its .mpy format, but the board has another.",
        "Put that release of MicroPython on the board first (docs/how-to/bring-up.md, step 3).",
    ),
    "version": (
        "the device has version {which} and accepts no older one; it starts only this one.",
        "Flash a version that is not older. A device cannot return to an older version.",
    ),
    "unknown-key": (
        "the device does not trust key {which}, which signed the image.",
        "Sign with the key that the device trusts, or with one that `cutcard keys rotate` "
        "made from it.",
    ),
    "revoked-key": (
        "key {which} has been revoked.",
        "Sign the image with a newer key.",
    ),
    "development-key": (
        "key {which} is for development, but the device now accepts only production keys.",
        "Sign the image with a production key. This cannot be undone.",
    ),
    "link": (
        "link {which} of the image's key history is not signed by an entitled key.",
        "The histories of device and image do not match: use the right key.",
    ),
    "identity": (
        "the device's identity (key, versions, trusted keys) is lost or damaged.",
        "Erase the board and flash it again: docs/how-to/flashing.md, A device that lost itself.",
    ),
    "starter": (
        "boot.py and main.py of the image differ from the device's.",
        "This image cannot be installed over the wire: flash the board by cable "
        "(docs/how-to/flashing.md, A new main.py).",
    ),
    "console": (
        "the image opens MicroPython's prompt, but is not signed with a development key.",
        'Build it with board.console = "locked".',
    ),
    "machine": (
        "the image is for another machine.",
        "Build it with --machine and the device's machine; `cutcard devices --identify` lists it.",
    ),
    "cards": (
        "{which} cards are in the machine.",
        "Unload it first. If they may stay, add --cards-inside-ok: the machine keeps its count.",
    ),
    "busy": ("the machine is busy.", "Wait until it is idle, then try again."),
    "place": (
        "a part of the image arrived out of order.",
        "Run the command again; it resumes at the same place.",
    ),
    "storage": (
        "the device's flash is full, or cannot be written.",
        "Run the command again; if the problem remains, the flash is worn out or full.",
    ),
    "memory": (
        "the device has no block of free memory that is large enough to check the image.",
        "Switch it off and on, then run the command again.",
    ),
    "manifest": (
        "the manifest differs from the verified manifest of the installed image.",
        "A person replaced it. Take the device out of play, investigate, and flash it again.",
    ),
}


def explain(reason: str, which: int, name: str = "") -> tuple[str, str]:
    """Return the problem with an image, and the next step."""
    problem, hint = REASONS[reason]
    boards = [board for bit, board in enumerate(mf.BOARDS) if which >> bit & 1]
    filled = {
        "which": which,
        "name": name or f"number {which}",
        "boards": " and ".join(boards) or "an unknown board",
        "release": f"{which >> 8}.{which & 255}",
    }
    return problem.format(**filled), hint.format(**filled)


def explain_detail(detail: int) -> tuple[str, str]:
    """Return the same texts from the detail of the fault `image-changed`."""
    reason = detail >> 16
    if reason >= len(mf.REASONS):
        return f"detail {detail} is unknown to this version.", "Use a newer driver."
    return explain(mf.REASONS[reason], detail & 0xFFFF)
