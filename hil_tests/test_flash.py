"""Flash images onto boards through mpremote and over the wire, with interruptions.

After any interruption, the device starts the old or the new version, and it never accepts an
invalid image.
"""

from __future__ import annotations

import json
import os
import pty
import select
import struct
import subprocess
import sys
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from cutcard.bench.flash import FlashImage, PowerCutError, operations_in
from cutcard.devices import Controller, handshake
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import (
    CommandRefusedError,
    DeviceError,
    InFaultError,
    KeysNotStoredError,
    KeyUnsafeError,
    SchemaMismatchError,
)
from cutcard.devices.keys import KeyStore as DeviceKeys
from cutcard.devices.ports import parse
from cutcard.flashing import flash as flashing
from cutcard.flashing import prompt, wire
from cutcard.flashing.errors import (
    FlashingBrokenError,
    NobodyThereError,
    NotBlankError,
    NotTakenError,
)
from cutcard.flashing.flash import flash
from cutcard.flashing.prompt import Prompt
from cutcard.image.build import build
from cutcard.image.image import Image, ImageError
from cutcard.machines import find
from cutcard.testing.plugin import Benches
from cutcard_firmware.core.image import manifest as mf
from cutcard_firmware.core.schema import messages
from hil_tests.boot_stage import BootStage
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.newer_firmware import FAULT, newer_sources

TORN = (0.0, 0.5, 1.0)  # not written, half written, or written without a reply


@pytest.fixture(scope="module")
def maker(benches: Benches, tmp_path_factory: pytest.TempPathFactory) -> Maker:
    made = Maker(tmp_path_factory.mktemp("keys"), benches.board)
    made.key("factory", development=True)
    return made


@contextmanager
def impatient() -> Iterator[None]:
    """A host with short timeouts for a device without power."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "SECONDS", 2.0)
        patch.setattr(wire, "CHECK_SECONDS", 2.0)
        patch.setattr(prompt, "SECONDS", 2)
        yield


class Cable:
    """A serial cable to a board: a pty; a thread copies its bytes to and from the board's port.

    With `deaf`, no bytes reach the board after the command that restarts it. Otherwise, that
    command is replaced by one without a restart.
    """

    # main.py has the second line too, and must not be changed
    RESTART, NO_RESTART = b"(100)\nmachine.reset()", b"(100)\n(None, None, 0)"
    END = b"\x04"  # of a command; it may come in another piece

    def __init__(self, port: str, deaf: bool) -> None:
        self._board = os.open(port, os.O_RDWR | os.O_NOCTTY)
        self._host, slave = pty.openpty()
        self._end, self._ended = os.pipe()
        for end in (self._board, slave):
            tty.setraw(end)
        self._slave = slave  # open, so that the host may close the port and open it again
        self.port = os.ttyname(slave)
        self._deaf = deaf
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    def _carry(self) -> None:
        ends = [self._board, self._host]
        restarting = b""  # the command that restarts the board, and the bytes behind it
        while True:
            ready, _, _ = select.select([self._end, *ends], [], [])
            if self._end in ready:
                return
            if self._board in ready:
                os.write(self._host, os.read(self._board, 4096))
            if self._host in ready:
                data = os.read(self._host, 4096)
                os.write(self._board, data.replace(self.RESTART, self.NO_RESTART))
                _, found, behind = data.partition(self.RESTART)
                restarting += (found + behind) if not restarting else data
                if self._deaf and self.END in restarting:
                    ends.remove(self._host)

    def close(self) -> None:
        os.write(self._ended, b"x")
        self._thread.join()
        for each in (self._board, self._host, self._slave, self._end, self._ended):
            os.close(each)


@contextmanager
def cable_to(port: str, deaf: bool = False) -> Iterator[str]:
    cable = Cable(port, deaf)
    try:
        yield cable.port
    finally:
        cable.close()


# The first image


def test_first_flash_gives_the_device_its_key_and_an_identity_card(
    flashed: FlashedBench, maker: Maker
) -> None:
    first = flashed.first
    assert (first.first, first.before) == (True, None)
    card = first.card
    assert card.serial == flashed.bench.serial.hex()
    assert (card.kind, card.machine, card.version) == ("shuffler", "carousel-38", 2)
    assert card.development
    assert card.image_key == maker.key("factory").public.raw.hex()
    assert flashed.keys.get(bytes.fromhex(card.serial)) is not None


def test_flashed_device_deals(board: FlashedBench) -> None:
    board.bench.put(1)
    with board.shuffler() as device:
        device.load(1)
        device.begin_round()
        card = device.deal().card
    assert str(card) in {each["card"] for each in board.bench.cards()["outside"]}


def test_flash_command_flashes_a_blank_board_and_prints_its_card(
    benches: Benches, maker: Maker, tmp_path: Path
) -> None:
    file = tmp_path / "image"
    file.write_bytes(maker.image(1).data)
    with benches.start("carousel-38", seed=3, blank=True) as bench:
        done = subprocess.run(
            [sys.executable, "-m", "cutcard.cli.main", "flash", bench.port, str(file), "--json"],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "CUTCARD_KEYS": str(tmp_path / "devices"),
                "CUTCARD_PACE": str(benches.pace),
            },
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["card"]["serial"] == bench.serial.hex()
        assert "\r" not in done.stderr  # lines in a pipe, no progress bar
        assert DeviceKeys(tmp_path / "devices").get(bench.serial) is not None


@pytest.mark.parametrize("deaf", [False, True], ids=["at its prompt", "reads nothing"])
def test_flash_reports_a_board_that_does_not_restart(
    benches: Benches, maker: Maker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaf: bool
) -> None:
    assert flashing.START_SECONDS <= 25
    monkeypatch.setattr(flashing, "START_SECONDS", 3.0)
    keys = DeviceKeys(tmp_path / "devices")
    with (
        benches.start("carousel-38", seed=3, blank=True) as bench,
        cable_to(bench.port, deaf) as port,
        pytest.raises(FlashingBrokenError, match="did not restart"),
    ):
        flash(port, maker.image(1), keys=keys)


def test_flash_gives_up_a_port_that_never_stops_sending(maker: Maker, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(master, False)
    done = threading.Event()
    sender = threading.Thread(target=_send_until, args=(done, master))
    sender.start()
    try:
        with impatient(), pytest.raises(NobodyThereError):
            flash(os.ttyname(slave), maker.image(1), keys=DeviceKeys(tmp_path / "devices"))
    finally:
        done.set()
        sender.join()
        os.close(slave)
        os.close(master)


def _send_until(done: threading.Event, master: int) -> None:
    while not done.is_set():
        with suppress(BlockingIOError):
            os.read(master, 4096)
        with suppress(BlockingIOError):
            os.write(master, b"$GPGGA,")
        select.select([], [], [], 0.01)


@pytest.mark.parametrize("wrong", [KeyUnsafeError, KeysNotStoredError])
def test_flash_checks_the_folder_of_keys_before_it_writes(
    benches: Benches, maker: Maker, tmp_path: Path, wrong: type[DeviceError]
) -> None:
    folder = tmp_path / "devices"
    if wrong is KeyUnsafeError:
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
    else:
        folder.write_text("a file")
    with benches.start("carousel-38", seed=3, blank=True) as bench:
        before = bench.do("flash")["operations"]
        with pytest.raises(wrong):
            flash(bench.port, maker.image(1), keys=DeviceKeys(folder))
        assert bench.do("flash")["operations"] == before


def test_flash_compares_the_image_with_the_mechanics_before_it_writes(
    benches: Benches, maker: Maker, tmp_path: Path
) -> None:
    with benches.start("carousel-44", seed=3, blank=True) as bench:
        before = bench.do("flash")["operations"]
        with pytest.raises(NotTakenError, match=r"carousel-38.*carousel-44") as refused:
            flash(bench.port, maker.image(1), keys=DeviceKeys(tmp_path / "devices"))
        assert refused.value.reason == "machine"
        assert bench.do("flash")["operations"] == before


def test_foreign_files_are_not_removed_without_permission(
    benches: Benches, maker: Maker, tmp_path: Path
) -> None:
    keys = DeviceKeys(tmp_path / "devices")
    with benches.start("carousel-38", seed=4, blank=True) as bench:
        stock = Prompt(bench.port)
        with stock.speaking() as talk:
            talk.fs_writefile("/main.py", b"print('mine')\n")
        stock.close()
        with pytest.raises(NotBlankError, match=r"main\.py"):
            flash(bench.port, maker.image(1), keys=keys)


@pytest.mark.parametrize(
    "cuts", [(40,), pytest.param((1, 7, 150, 300), marks=pytest.mark.soak)], ids=["once", "often"]
)
def test_interrupted_first_flash_leaves_the_prompt(
    benches: Benches, maker: Maker, tmp_path: Path, cuts: tuple[int, ...]
) -> None:
    """The next flash starts again, after any number of power failures at any time."""
    image = maker.image(1)
    keys = DeviceKeys(tmp_path / "devices")
    with benches.start("carousel-38", seed=5, blank=True) as bench:
        for number, at in enumerate(cuts):
            bench.do("flash", what="cut", at=at, torn=TORN[(number + 1) % 3])
            with pytest.raises((FlashingBrokenError, NobodyThereError)):
                flash(bench.port, image, keys=keys)
            assert bench.status()["power"] == "off", "it failed before that write"
            bench.restore_power()
        assert flash(bench.port, image, keys=keys).first


def test_controller_is_flashed_and_updated_like_other_devices(
    benches: Benches, maker: Maker, tmp_path: Path
) -> None:
    keys = DeviceKeys(tmp_path / "devices")
    with benches.start("controller-4", seed=6, blank=True) as bench:
        assert flash(bench.port, maker.image(1, machine="controller-4"), keys=keys).first
        done = flash(bench.port, maker.image(2, machine="controller-4"), keys=keys)
        assert (done.before, done.card.version, done.card.kind) == (1, 2, "controller")
        with Controller.open(bench.port, keys=keys) as device:
            assert device.status().fault is None
        with pytest.raises(NotTakenError) as refused:
            flash(bench.port, maker.image(3), keys=keys)
        assert refused.value.reason == "machine"


# Updates


def test_update_uses_the_wire(board: FlashedBench, maker: Maker) -> None:
    done = board.flash(maker.image(3))
    assert (done.first, done.before, done.card.version) == (False, 2, 3)
    assert board.version() == 3
    board.flash(maker.image(4))
    board.bench.cycle_power()
    assert board.version() == 4


def test_flash_with_cards_inside_requires_cards_inside_ok_and_keeps_the_count(
    board: FlashedBench, maker: Maker
) -> None:
    board.bench.put(1)
    with board.shuffler() as device:
        device.load(1)
    with pytest.raises(NotTakenError, match="52 cards"):
        board.flash(maker.image(3))
    board.flash(maker.image(3), cards_inside_ok=True)
    with board.shuffler() as device:
        status = device.status()
        assert (status.mode, status.inside) == ("ready", 52)
        device.deal()


def changed(image: Image, at: int, to: bytes) -> Image:
    """Return the image with other bytes, parsed without a check of its hashes."""
    data = bytearray(image.data)
    data[at : at + len(to)] = to
    return Image(bytes(data), mf.Head(bytes(data)), image.files)


@pytest.mark.parametrize(
    ("reason", "made"),
    [
        ("version", lambda maker: maker.image(1)),
        ("board", lambda maker: maker.image(3, board="bench" if maker.board == "rp2" else "rp2")),
        ("machine", lambda maker: maker.image(3, machine="carousel-44")),
        ("unknown-key", lambda maker: maker.image(3, maker.key("somebody"))),
    ],
)
def test_refused_image_is_refused_before_any_erase(
    board: FlashedBench, maker: Maker, reason: str, made: Callable[[Maker], Image]
) -> None:
    image = made(maker)
    with board.shuffler():
        pass  # the start of a session writes once; those writes are done now
    before = board.read()
    with pytest.raises(NotTakenError) as refused:
        board.flash(image)
    assert refused.value.reason == reason
    assert board.read() == before
    assert board.version() == 2


def test_unsigned_or_changed_image_is_not_installed(board: FlashedBench, maker: Maker) -> None:
    image = maker.image(3)
    unsigned = changed(image, image.head.size, bytes(mf.SIGNATURE))
    with pytest.raises(ImageError, match="the image is not signed"):
        board.flash(unsigned)
    with pytest.raises(ImageError, match="does not match key"):
        board.flash(changed(image, 12, b"\x07"))


def test_device_itself_verifies_the_signature(board: FlashedBench, maker: Maker) -> None:
    """A host that skips its own check cannot install an unsigned image."""
    image = maker.image(3)
    for bad, reason in (
        (changed(image, image.head.size, bytes(mf.SIGNATURE)), "unsigned"),
        (changed(image, image.head.size + 8, b"\x55"), "signature"),
        (changed(image, 12, b"\x07"), "signature"),
    ):
        with (
            wire.Update(parse(board.bench.port), board.keys) as update,
            pytest.raises(NotTakenError) as refused,
        ):
            update.run(bad, False, lambda done, whole: None)
        assert refused.value.reason == reason
    assert board.version() == 2


def test_keys_rotate_forward_and_a_revoked_key_is_refused(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    maker = maker.copy(tmp_path / "keys")
    by_old = maker.image(5)
    new = maker.rotate("factory", "factory-b", development=True)
    board.flash(maker.image(3, new))
    maker.revoke("factory", by="factory-b")
    board.flash(maker.image(4, maker.key("factory-b")))
    with pytest.raises(NotTakenError) as refused:
        board.flash(by_old)
    assert refused.value.reason == "revoked-key"


def test_device_that_left_development_refuses_development_keys(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    maker = maker.copy(tmp_path / "keys")
    by_development = maker.image(5, maker.key("factory"))
    production = maker.rotate("factory", "production")
    board.flash(maker.image(3, production))
    with pytest.raises(NotTakenError) as refused:
        board.flash(by_development)
    assert refused.value.reason == "development-key"


# Power and cable


def writes_of_an_update(board: FlashedBench, image: Image) -> tuple[bytes, list[bytes]]:
    """Return the flash before the update, and every program and erase from there.

    This includes the writes of the start, because the update continues from them.
    """
    board.bench.cut_power()
    before = board.read()
    log = Path(board.bench.do("flash", what="record")["log"])
    board.bench.restore_power()
    board.flash(image)
    return before, operations_in(log.read_bytes())


@contextmanager
def boot_stage(board: FlashedBench, folder: Path) -> Iterator[tuple[Path, Callable[[], str]]]:
    """Provide a file with a flash image and a function that returns the version it starts.

    It runs on this computer, or on the board for images with native code.
    """
    if "bench" in board.image.boards:
        with BootStage(folder) as stage:
            yield stage.flash, stage.look
        return
    flash = folder / "flash.img"

    def look() -> str:
        board.write(flash.read_bytes())
        return str(board.version())

    yield flash, look


def versions_after_cuts(
    board: FlashedBench,
    folder: Path,
    before: bytes,
    operations: list[bytes],
    looked_at: range | set[int],
) -> list[str]:
    """Cut the power in each write on a copy of the flash, and run that image's boot check.

    The progress of the interrupted write varies from cut to cut.
    """
    versions = []
    with boot_stage(board, folder) as (file, look):
        file.write_bytes(before)
        chip = FlashImage(file, "cuts")
        for number, operation in enumerate(operations):
            if number in looked_at:
                block = struct.unpack_from("<H", operation)[0]
                whole = chip.read(block)
                chip.cut_at(1, TORN[number % 3])
                with suppress(PowerCutError):
                    chip.replay(operation)
                versions.append(look())
                chip.put_back(block, whole)
            chip.replay(operation)
        versions.append(look())
        chip.close()
    return versions


def test_power_cut_leaves_the_old_version_or_the_new_one(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    """Cut at writes throughout the update, more densely at its start and end."""
    before, operations = writes_of_an_update(board, maker.image(3))
    last = len(operations)
    assert last > 200
    ends, step = (10, 12) if "bench" in board.image.boards else (2, last // 4)
    looked_at = {*range(ends), *range(ends, last - ends, step), *range(last - ends, last)}
    versions = versions_after_cuts(board, tmp_path, before, operations, looked_at)
    assert set(versions) == {"2", "3"}
    assert versions == sorted(versions)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_power_cut_at_every_single_write_leaves_the_old_version_or_the_new_one(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    before, operations = writes_of_an_update(board, maker.image(3))
    everywhere = range(len(operations))
    versions = versions_after_cuts(board, tmp_path, before, operations, everywhere)
    assert set(versions) == {"2", "3"}
    assert versions == sorted(versions)


def test_device_resumes_the_update_after_a_power_cut(board: FlashedBench, maker: Maker) -> None:
    image = maker.image(3)
    for at in (2, 200):
        board.bench.do("flash", what="cut", at=at, torn=0.5)
        for _ in range(5):  # a slow computer may time out before that write
            with impatient(), suppress(DeviceError):
                board.flash(image)
            if board.bench.status()["power"] == "off":
                break
        assert board.bench.status()["power"] == "off"
        board.bench.restore_power()
        assert board.version() == 2
    assert board.flash(image).card.version == 3


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_pulled_cable_only_costs_time(board: FlashedBench, maker: Maker, share: float) -> None:
    """The second attempt resumes from the interruption."""
    image = maker.image(3)
    steps: list[int] = []

    def pull(done: int, whole: int) -> None:
        if done >= share * whole:
            board.bench.do("unplug")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flash(board.bench.port, image, progress=pull, keys=board.keys)
    board.bench.do("replug")
    assert board.version() == 2
    flash(board.bench.port, image, progress=lambda done, _: steps.append(done), keys=board.keys)
    assert board.version() == 3
    assert steps[0] > (share - 0.2) * len(image.in_slot)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("torn", TORN)
def test_device_updates_after_a_power_cut_at_every_write(
    board: FlashedBench, maker: Maker, torn: float
) -> None:
    """Unlike above, this cuts the power of the device itself, restarts it and completes the
    update."""
    image = maker.image(3)
    start = board.writes()
    board.flash(image)
    for at in range(1, board.writes() - start + 1):
        board.renew()
        board.bench.do("flash", what="cut", at=at, torn=torn)
        with impatient(), suppress(DeviceError):
            board.flash(image)
        # If a slow computer timed out before that write, cancel the cut for the next attempt.
        board.bench.do("flash", what="cut", at=1_000_000)
        board.bench.cycle_power()
        assert board.version() in (2, 3)
        board.flash(image)
        assert board.version() == 3


def test_driver_with_another_message_table_can_still_update(
    board: FlashedBench, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It can do nothing else: driver and device may disagree about the other commands."""
    changed = messages.fingerprint()[:3] + b"other"
    monkeypatch.setattr(handshake, "_schema", lambda: changed)
    with pytest.raises(SchemaMismatchError), board.shuffler():
        pass
    assert board.flash(maker.image(3)).card.version == 3
    with wire.Update(parse(board.bench.port), board.keys) as update:
        assert update.state()["version"] == 3
        with pytest.raises(CommandRefusedError) as refused:
            update._connection.ask("status", deadline=Deadline(5))
    assert refused.value.error == "wrong-table"


def test_fault_of_newer_firmware_is_reported_by_its_number_and_ends_in_a_recovery(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    """The firmware has five faults more than this driver, and reports an open door as the last
    one."""
    sources = newer_sources(tmp_path)
    board.flash(build(maker.board, find("carousel-38"), 3, maker.key("factory"), sources))
    board.bench.put(1)
    with board.shuffler() as device:
        device.load(1)
        board.bench.do("door", how="open")
        with pytest.raises(InFaultError) as raised:
            device.deal()
        assert raised.value.fault == device.status().fault == f"unknown-fault-{FAULT}"
        assert raised.value.hint.startswith(f"Unknown fault {FAULT}: update cutcard.")
        board.bench.do("door", how="close")
        assert device.recover(0).inside == 52
        device.begin_round()
        assert device.deal().card is not None
