"""Building an image: one signed file with all firmware files for a board and a machine."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cutcard.image.compiling import NOT_IN_IMAGE, SOURCES, image, modules, needs
from cutcard.image.flat_layout import flattened, packages
from cutcard.image.image import Image
from cutcard.keys.store import PublicKey
from cutcard.machines import Machine, spec_text
from cutcard_firmware.core.image import manifest as mf
from cutcard_firmware.core.schema.messages import KINDS

BOARDS: tuple[str, ...] = mf.BOARDS
MOST_VERSION = 0xFFFF  # two bytes in a device's welcome
_FOLDERS = {"rp2": "rp2", "rp2350": "rp2", "bench": "bench"}
# The boards with pins in a machine file; a Pico 2 uses a Pico's pins without its own.
_PINS = {"rp2": ("pico",), "rp2350": ("pico2", "pico"), "bench": ("",)}
STARTERS = ("boot.py", "main.py")  # in the root, as source: MicroPython starts only these


class BuildError(Exception):
    """An image cannot be built; the text has the reason."""


@dataclass(frozen=True)
class Signer:
    """A key that signs images, its public data, and its key history."""

    private: Ed25519PrivateKey
    public: PublicKey
    history: tuple[bytes, ...]


def texts(board: str, machine: Machine, sources: Path = SOURCES) -> dict[str, str]:
    """Return the sources of an image's files, by their path on the board.

    A leading slash means the root folder, where files stay source.
    """
    folder = _FOLDERS[board]
    found = modules(folder, machine.kind, sources)
    for name in NOT_IN_IMAGE[folder]:
        del found[name]
    start = (sources / "start" / "start.py").read_text()
    found |= flattened({"start.py": start}, packages(sources))
    found["machine_spec.py"] = spec_text(machine, _wiring(board, machine))
    found |= {f"/{name}": (sources / "start" / name).read_text() for name in STARTERS}
    return dict(sorted(found.items()))


def files(board: str, machine: Machine, sources: Path = SOURCES) -> dict[str, bytes]:
    """Return the files of an image by their path on the board; a leading slash is the root."""
    found = texts(board, machine, sources)
    in_root = {name: found.pop(name).encode() for name in list(found) if name.startswith("/")}
    # Line numbers are for tracebacks, which only an open console shows.
    return image(found, lines=machine.values["board.console"] == "open") | in_root


def _wiring(board: str, machine: Machine) -> str:
    """Return the board name under which the machine file has the pins; the bench has no pins."""
    for name in _PINS[board]:
        if name in machine.pins or not name:
            return name
    others = (
        f"has pins only for {' and '.join(machine.pins)}"
        if machine.pins
        else "is only for the bench"
    )
    raise BuildError(
        f"{machine.name} {others}: {machine.file} has no pins for its sensors and motors "
        f"at {board}. Add [pins.{_PINS[board][0]}] (docs/reference/machine-files.md, Pins), or "
        "build with --board bench"
    )


def build(
    board: str,
    machine: Machine,
    version: int,
    signer: Signer | None = None,
    sources: Path = SOURCES,
) -> Image:
    """Build an image. The same sources, machine, version and key always make the same bytes."""
    if board not in BOARDS:
        raise BuildError(f"unknown board {board!r}; use one of {', '.join(BOARDS)}")
    if not 1 <= version <= MOST_VERSION:
        raise BuildError(
            f"version {version} is invalid: use 1 to {MOST_VERSION}, higher for each new image"
        )
    open_console = machine.values["board.console"] == "open"
    development = signer is not None and signer.public.development
    if signer is not None and open_console and not development:
        raise BuildError(
            f"{machine.name} has an open console: only a development key may sign its image"
        )
    content = files(board, machine, sources)
    flags = development * mf.DEVELOPMENT | open_console * mf.OPEN_CONSOLE
    manifest = mf.packed(
        boards=1 << BOARDS.index(board),
        flags=flags,
        kind=KINDS.index(machine.kind),
        version=version,
        needs=needs(),
        key=signer.public.number if signer else 0,
        machine=machine.name.encode(),
        history=signer.history if signer else (),
        entries=[(name, len(data), sha256(data).digest()) for name, data in content.items()],
    )
    signature = bytes(mf.SIGNATURE)
    if signer is not None:
        signature = signer.private.sign(mf.message(manifest, mf.Head(manifest)))
    in_order = [content[name] for _, name, _, _ in mf.files(manifest, mf.Head(manifest))]
    return Image.parse(manifest + signature + b"".join(in_order))
