"""At every start, the device runs only the complete signed image, or is sealed with a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.bench.firmware import FirmwareError
from cutcard.devices.errors import DeviceError, InFaultError
from cutcard.devices.ports import parse
from cutcard.devices.provisioning import identify, provision
from cutcard.flashing.errors import NotTakenError
from cutcard.flashing.flash import flash
from cutcard.flashing.wire import Update
from cutcard.image.compiling import compiled
from cutcard.image.image import File
from cutcard_firmware.core.image import manifest as mf
from hil_tests.flashed import FLIP, FlashedBench, Maker

REMOVE = 'os.remove("/flash" + sys.argv[2])\n'
PLACE = """
path = "/flash" + sys.argv[2]
for at in range(1, len(path)):
    if path[at] == "/":
        try:
            os.mkdir(path[:at])
        except OSError:
            pass  # it is there
with open(sys.argv[3], "rb") as new, open(path, "wb") as f:
    f.write(new.read())
"""
EXISTS = 'os.stat("/flash" + sys.argv[2])\n'


def fault(board: FlashedBench) -> tuple[str, int]:
    """Return the fault that sealed the device, and its detail number."""
    with board.shuffler() as device:
        status = device.status()
    assert (status.mode, status.fault) == ("fault", "image-changed")
    return mf.REASONS[status.detail >> 16], status.detail & 0xFFFF


def test_signed_image_starts(board: FlashedBench) -> None:
    with board.shuffler() as device:
        assert device.status().fault is None
    assert board.version() == 2


def flip_a_byte(board: FlashedBench, file: File) -> None:
    board.restore()
    # In boot.py and main.py, change a letter of the first comment: they still run.
    flip(board, file.name, 20 if file.name.startswith("/") else len(file.data) // 2)


def flip(board: FlashedBench, name: str, at: int) -> None:
    """Change a byte of an image file while the power is off, then switch it on."""
    board.bench.cut_power()
    board.flip(name, at)
    board.bench.restore_power()


def test_changed_byte_is_a_fault_that_names_the_file(board: FlashedBench) -> None:
    """This includes the files of the check and of the sealed mode; the other slot reports those."""
    names = ("start.mpy", "core/sessions.mpy", "core/manifest.mpy", "core/drbg.mpy", "/main.py")
    for file in board.image.files:
        if file.name in names:
            flip_a_byte(board, file)
            assert fault(board) == ("changed", file.number), file.name


@pytest.mark.soak
def test_changed_byte_in_any_file_is_a_fault(board: FlashedBench) -> None:
    for file in board.image.files:
        flip_a_byte(board, file)
        assert fault(board) == ("changed", file.number), file.name


def test_changed_byte_in_the_manifest_is_a_fault(board: FlashedBench) -> None:
    for at, reason in ((0, "magic"), (12, "version"), (-1, "signature")):
        board.restore()
        at %= board.image.head.size + mf.SIGNATURE
        board.work_on_files(FLIP, "/image/a/manifest", str(at))
        assert fault(board)[0] == reason, at


def test_missing_file_is_a_fault(board: FlashedBench) -> None:
    """The other slot reports it: a slot without its modules cannot check itself."""
    board.work_on_files(REMOVE, "/image/a/modules")
    assert fault(board) == ("missing", 0)


@pytest.mark.parametrize("more", [b"", b"\0", b"print('I was added')\n" * 200])
def test_modules_that_end_early_or_late_are_a_fault(
    board: FlashedBench, more: bytes, tmp_path: Path
) -> None:
    """No byte may follow the last module, and no byte of it may be missing."""
    content = board.image.in_slot
    file = tmp_path / "modules"
    file.write_bytes(content + more if more else content[:-1])
    board.work_on_files(PLACE, "/image/a/modules", str(file))
    last = [each for each in board.image.files if not each.name.startswith("/")][-1]
    assert fault(board) == ("changed", last.number)


@pytest.mark.parametrize(
    "path",
    [
        "/hashlib.py",
        "/lib.py",
        "/image/a/os.py",
        "/image/a/start.py",
        "/image/a/core/manifest.py",
        "/image/a/core/notes.txt",
        "/image/a/time.mpy",
        "/image/a/array.mpy",
        "/image/a/start/__init__.mpy",
        "/image/a/core/manifest/__init__.mpy",
    ],
)
def test_unsigned_file_is_a_fault_and_never_runs(
    board: FlashedBench, path: str, tmp_path: Path
) -> None:
    """It does not run during the check, and not in the sealed device afterwards."""
    planted = 'open("/cutcard/ran", "w").close()\n'
    file = tmp_path / "planted"
    file.write_bytes(compiled("x", planted) if path.endswith(".mpy") else planted.encode())
    board.work_on_files(PLACE, path, str(file))
    assert fault(board)[0] == "unnamed"
    with pytest.raises(FirmwareError):
        board.work_on_files(EXISTS, "/cutcard/ran")


@pytest.mark.parametrize("name", ["\x1b[2J\x1b]0;all is well\x07", "é" * 40])
def test_name_of_a_planted_file_is_reported_and_not_obeyed(
    board: FlashedBench, name: str, tmp_path: Path
) -> None:
    """The attacker chose the name; the device reports it, cut to a maximum length."""
    file = tmp_path / "planted"
    file.write_bytes(b"")
    board.work_on_files(PLACE, f"/image/a/{name}", str(file))
    with (
        Update(parse(board.bench.port), board.keys) as update,
        pytest.raises(NotTakenError, match="/image/a/") as error,
    ):
        update.check_starts()
    assert str(error.value).replace("\n", "").isprintable()


def test_sealed_device_deals_no_card_and_reports_the_reason(board: FlashedBench) -> None:
    board.bench.put(1)
    with board.shuffler() as device:
        device.load(1)
    flip(board, "core/source.mpy", 40)
    with board.shuffler() as device:
        inside = device.status().inside
        assert inside == 52
        for act in (device.deal, device.unload, lambda: device.recover(0)):
            with pytest.raises(
                InFaultError, match="files on the device differ from the signed ones"
            ):
                act()
    assert board.bench.status()["cards"]["outside"] == 0


def test_fault_survives_a_power_cut_and_the_repair_of_the_file(board: FlashedBench) -> None:
    flip(board, "core/source.mpy", 40)
    first = fault(board)
    flip(board, "core/source.mpy", 40)
    assert fault(board) == first
    board.bench.cycle_power()
    assert fault(board) == first


def test_signed_image_over_the_wire_ends_the_fault(board: FlashedBench) -> None:
    flip(board, "core/source.mpy", 40)
    assert fault(board)[0] == "changed"
    board.flash(board.image)
    with board.shuffler() as device:
        assert device.status().fault is None


def test_interrupted_repair_keeps_the_slot_that_answers(board: FlashedBench, maker: Maker) -> None:
    """The update replaces the damaged slot, not the slot that reports the fault."""
    damaged = next(file for file in board.image.files if file.name == "start.mpy")
    flip_a_byte(board, damaged)

    def cut(done: int, whole: int) -> None:
        if done > whole // 2:
            board.bench.cut_power()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        flash(board.bench.port, maker.image(3), progress=cut, keys=board.keys)
    board.bench.restore_power()
    # half of the next image is in the slot where it will start
    assert fault(board) == ("version", 2)
    board.flash(maker.image(3))
    with board.shuffler() as device:
        assert device.status().fault is None


def test_flash_that_ends_in_a_fault_is_not_reported_as_done(
    board: FlashedBench, tmp_path: Path
) -> None:
    """A new image does not replace files in the root folder: the board must be erased."""
    file = tmp_path / "planted"
    file.write_bytes(b"x = 1\n")
    board.work_on_files(PLACE, "/hashlib.py", str(file))
    with pytest.raises(NotTakenError, match=r"/hashlib\.py") as refused:
        board.flash(board.image)
    assert refused.value.reason == "unnamed"


def test_older_image_in_the_slot_does_not_start(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    """It is complete and signed by the right key, but does not have the device's version."""
    older = maker.image(1)
    file = tmp_path / "manifest"
    file.write_bytes(older.manifest + older.signature)
    board.work_on_files(PLACE, "/image/a/manifest", str(file))
    assert fault(board) == ("version", 2)


def test_manifest_signed_by_another_key_does_not_start(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    other = maker.image(2, maker.key("somebody-else"))
    file = tmp_path / "manifest"
    file.write_bytes(other.manifest + other.signature)
    board.work_on_files(PLACE, "/image/a/manifest", str(file))
    assert fault(board)[0] == "unknown-key"


def test_device_stays_silent_with_both_copies_of_the_sealed_mode_damaged(
    board: FlashedBench,
) -> None:
    board.bench.cut_power()
    for slot in "ab":
        board.flip("start.mpy", 300, slot)
    board.bench.restore_power()
    assert board.bench.status()["power"] == "off"  # the bench stopped resetting it
    assert not board.answers()


def test_device_that_loses_its_counter_loses_its_key(board: FlashedBench) -> None:
    """Both are in one record: removing the version counter removes the key."""
    board.work_on_files(FLIP, "/cutcard/identity", "6")
    welcome = identify(board.bench.port)
    assert not welcome.provisioned
    with pytest.raises(DeviceError):
        provision(board.bench.port, board.keys, again=True)
    assert not identify(board.bench.port).provisioned
