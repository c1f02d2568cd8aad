"""Flash a device, at MicroPython's prompt or over the wire, and check that it starts the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cutcard.bench.settings import STATE
from cutcard.devices import handshake, ports
from cutcard.devices.bench_port import BenchPort
from cutcard.devices.channel import Channel
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import (
    DeviceError,
    NoAnswerError,
    PortLostError,
    PortNotFoundError,
    SchemaMismatchError,
)
from cutcard.devices.handshake import Welcome
from cutcard.devices.keys import KeyStore
from cutcard.devices.provisioning import give_key_to
from cutcard.flashing.card import IdentityCard, card_of
from cutcard.flashing.errors import FlashingBrokenError, NotTakenError
from cutcard.flashing.prompt import Progress, Prompt, install, restart
from cutcard.flashing.wire import Update
from cutcard.image.image import Image
from cutcard.untrusted import read_json
from cutcard_firmware.core.schema import messages

HELLO_SECONDS = 1.5  # a device answers within milliseconds, a prompt never
START_SECONDS = 25.0  # a board is ready after 2 s; slow flash needs more


@dataclass(frozen=True)
class Flashed:
    """The result of flashing. `first`: the board was blank, and has been given its key."""

    first: bool
    before: int | None  # version that ran before
    card: IdentityCard


def flash(
    port: str,
    image: Image,
    *,
    yes: Callable[[str], bool] = lambda question: False,
    cards_inside_ok: bool = False,
    progress: Progress = lambda done, whole: None,
    keys: KeyStore | None = None,
) -> Flashed:
    """Flash an image onto the device at a port.

    Raises DeviceError or ImageError; in that case no file needed for a start has been erased.
    """
    image.signing_key()  # an unsigned or changed image is rejected
    found = ports.parse(port)
    store = keys or KeyStore()
    try:
        welcome = _hello(found, HELLO_SECONDS)
        if welcome is None:
            return _first(found, image, yes, progress, store)
        return _later(
            found, welcome, image, cards_inside_ok=cards_inside_ok, progress=progress, store=store
        )
    finally:
        found.release()


def _first(
    port: ports.Port,
    image: Image,
    yes: Callable[[str], bool],
    progress: Progress,
    store: KeyStore,
) -> Flashed:
    _check_mechanics(port, image)
    prompt = Prompt(_device_name(port))
    try:
        store.prepare(prompt.serial_number())
        install(prompt, image, yes, progress)
        restart(prompt)
    finally:
        prompt.close()
    welcome = _started(port, image)
    if not welcome.provisioned:
        welcome = give_key_to(port, store, again=True)
    return Flashed(True, None, _card(welcome, image))


def _later(
    port: ports.Port,
    welcome: Welcome,
    image: Image,
    cards_inside_ok: bool,
    progress: Progress,
    store: KeyStore,
) -> Flashed:
    with Update(port, store) as update:
        before = int(update.state()["version"])
        update.run(image, cards_inside_ok, progress)
    welcome = _started(port, image)
    with Update(port, store) as update:
        update.check_starts()
    return Flashed(False, before, _card(welcome, image))


def _started(port: ports.Port, image: Image) -> Welcome:
    """Wait until the device starts with the version of the image.

    Raises FlashingBrokenError after START_SECONDS.
    """
    deadline = Deadline(START_SECONDS)
    while True:
        try:
            welcome = _hello(port, min(2.0, deadline.left))
        except (PortLostError, PortNotFoundError):
            welcome = None  # it returns under the same name
        if welcome is not None and welcome.firmware == image.head.version:
            return welcome
        if deadline.over:
            found = f"it runs version {welcome.firmware}" if welcome else "it does not answer"
            raise FlashingBrokenError(
                f"{port.text}: version {image.head.version} is on the board, but the board did not "
                f"restart with it within {START_SECONDS:.0f} s: {found}.",
                "Switch the board off and on, then run `cutcard flash` again.",
            )
        deadline.pause(0.05)


def _hello(port: ports.Port, seconds: float) -> Welcome | None:
    """Return the device's identity, or None without an intelligible reply."""
    channel = Channel(port.connect())
    try:
        return handshake.identify(channel, port.text, Deadline(seconds), schema=messages.ANY_SCHEMA)
    except NoAnswerError:
        return None
    finally:
        channel.close()


def _check_mechanics(port: ports.Port, image: Image) -> None:
    """Raise NotTakenError if a bench or emulated board at the port models another machine."""
    machine = _machine_at(port)
    if machine not in ("", image.machine):
        problem = f"the image is for a {image.machine}, and the mechanics here are a {machine}."
        hint = f"Build the image with --machine {machine}, or start the board as {image.machine}."
        raise NotTakenError(port.text, "machine", problem, hint)


def _machine_at(port: ports.Port) -> str:
    """Return the machine around the board, or "" if only the board's owner knows it."""
    if isinstance(port, BenchPort) and port.bench is not None:
        return port.bench.machine
    try:  # the port of a bench is a link in its folder
        kept = read_json(Path(port.text).with_name(STATE))
        return str(kept["machine"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _device_name(port: ports.Port) -> str:
    """Return mpremote's name of the port: a bench started by this port has a separate one."""
    if isinstance(port, BenchPort) and port.bench is not None:
        return port.bench.port
    return port.text


def _card(welcome: Welcome, image: Image) -> IdentityCard:
    boards = " or ".join(image.boards)
    return card_of(welcome, boards, image.signing_key(), image.development, image.head.version)


__all__ = ["DeviceError", "Flashed", "NotTakenError", "SchemaMismatchError", "flash"]
