"""A device proves the content of its flash in response to a new challenge."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.attestation.reference import from_read_out, load, save
from cutcard.attestation.verify import Answer, agrees, challenge, scrub
from cutcard.bench.chip import MICROPYTHON_BLOCKS
from cutcard.bench.client import Bench
from cutcard.cli.main import app
from cutcard.devices import Shuffler
from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import CommandRefusedError, InFaultError
from cutcard.devices.keys import DeviceKey, KeyStore
from cutcard.devices.ports import parse
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.image.attest import BLOCK, DONE, WALKING
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.line import RawLine
from hil_tests.table import Table

BenchAt = Callable[..., Bench]
FILLER_BLOCKS = 40  # of a file that represents the modules of an image


def asked(bench: Bench, key: bytes | None = None) -> Answer:
    port = parse(bench.port)
    port.key = DeviceKey(key or bench.key)
    connection = Connection(port, None, KeyStore())
    connection.open(10)
    try:
        return challenge(connection, Deadline(30))
    finally:
        connection.close()


def read_out(bench: Bench, folder: Path) -> bytes:
    """Return the content of the chip, read by a flash reader with the power off."""
    file = folder / "chip.bin"
    bench.do("chip", what="read", to=str(file))
    return file.read_bytes()


@pytest.fixture
def known(fresh_bench: BenchAt, benches: Benches, tmp_path: Path) -> tuple[Bench, bytes]:
    """Return a carousel with files in its flash, and a reference of the entire chip."""
    bench = fresh_bench("carousel-38", 1)
    bench.cut_power()
    if benches.kind != CHIP:  # their files are the image: the start finds other files
        bench.do("flash", what="fill", leave=352 - 8 - FILLER_BLOCKS, folder="")
    reference = from_read_out(read_out(bench, tmp_path))
    bench.restore_power()
    return bench, reference


@pytest.mark.parametrize("machine", ["carousel-38", "drum-60", "shoe-8", "controller-4"])
def test_unchanged_device_agrees_with_its_reference(
    fresh_bench: BenchAt, tmp_path: Path, machine: str
) -> None:
    bench = fresh_bench(machine, 1)
    bench.cut_power()
    reference = from_read_out(read_out(bench, tmp_path))
    bench.restore_power()
    answer = asked(bench)
    assert agrees(bench.key, answer, reference)
    assert answer.blocks == 512
    assert 0 < len(answer.spared_blocks) <= 8


def places() -> list[tuple[str, int]]:
    random = Random(7)
    last = MICROPYTHON_BLOCKS * BLOCK - 1
    rows = [("MicroPython's first byte", 0), ("MicroPython's last byte", last)]
    rows += [(f"MicroPython {at:#x}", at) for at in random.sample(range(last), 3)]
    return rows


@pytest.mark.parametrize(("where", "at"), places())
def test_changed_byte_of_micropython_is_found(
    known: tuple[Bench, bytes], benches: Benches, where: str, at: int
) -> None:
    bench, reference = known
    if benches.kind == CHIP and reference[at] != 0xFF:
        # On a board this code runs, and a board that does not start does not answer.
        at = reference.index(b'Type "help()"') + at % 8
    bench.cut_power()
    bench.do("chip", what="change", block=at // BLOCK, offset=at % BLOCK)
    bench.restore_power()
    assert not agrees(bench.key, asked(bench), reference), where


def file_blocks(reference: bytes, spared: list[int]) -> list[int]:
    """Return blocks of the chip that contain the file, and no older copy of a part of it."""
    return [
        block
        for block in range(MICROPYTHON_BLOCKS, len(reference) // BLOCK)
        if b"xxxx" in reference[block * BLOCK : (block + 1) * BLOCK] and block not in spared
    ]


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_changed_byte_of_a_file_is_found(
    known: tuple[Bench, bytes], benches: Benches, share: float
) -> None:
    if benches.kind == CHIP:
        pytest.skip("a board's files are its image: the next test changes both slots of one")
    bench, reference = known
    blocks = file_blocks(reference, asked(bench).spared_blocks)
    assert len(blocks) > FILLER_BLOCKS // 2
    bench.cut_power()
    bench.do("chip", what="change", block=blocks[int(share * len(blocks))], offset=77)
    bench.restore_power()
    assert not agrees(bench.key, asked(bench), reference)


def test_flashed_board_agrees_until_a_byte_of_its_image_changes(
    benches: Benches, tmp_path: Path
) -> None:
    """The start detects a change in the running slot; only a challenge detects one in the other
    slot."""
    image = Maker(tmp_path / "keys", benches.board).image(1)
    board = FlashedBench(tmp_path, image, benches.start)
    bench = board.bench
    try:
        reference = from_read_out(read_out(bench, tmp_path))
        bench.restore_power()
        key = board.keys.get(bench.serial)
        assert key is not None
        assert agrees(key, asked(bench, key), reference)
        module = next(file.data for file in board.image.files if file.name == "core/source.mpy")
        places = [reference.find(module[:64]), reference.rfind(module[:64])]
        assert 0 < places[0] < places[1]
        faults = []
        for at in places:
            board.restore()
            bench.cut_power()
            bench.do("chip", what="change", block=at // BLOCK, offset=at % BLOCK + 40)
            bench.restore_power()
            with board.shuffler() as device:
                faults.append(device.status().fault)
            if faults[-1] is None:
                assert not agrees(key, asked(bench, key), reference)
        assert set(faults) == {None, "image-changed"}
    finally:
        board.close()


def test_data_in_spare_flash_is_left_out_of_the_digest_and_counted(
    known: tuple[Bench, bytes],
) -> None:
    """Free blocks with data are no alarm: the firmware's own leftovers look the same.

    The device reports their number, and the verifier sets the limit.
    """
    bench, reference = known
    before = asked(bench)
    free = leave_something(bench, reference, before)
    after = asked(bench)
    assert set(free) <= set(after.spared_blocks) - set(before.spared_blocks)
    assert agrees(bench.key, after, reference)


def leave_something(bench: Bench, reference: bytes, before: Answer) -> list[int]:
    """Write into blocks that are free, and blank in the reference."""
    bench.cut_power()
    free = [
        block
        for block in range(200, 512)
        if blank(reference, block) and block not in before.spared_blocks
    ][20:40]
    assert len(free) == 20
    for block in free:
        bench.do("chip", what="change", block=block, offset=5)
    bench.restore_power()
    return free


def blank(reference: bytes, block: int) -> bool:
    return reference[block * BLOCK : (block + 1) * BLOCK] == b"\xff" * BLOCK


def test_blocks_in_the_digest_contain_no_secret(known: tuple[Bench, bytes], tmp_path: Path) -> None:
    """Otherwise the holder of the session key could guess and verify secrets."""
    bench, _ = known
    for _ in range(3):
        bench.cycle_power()  # old seeds remain in littlefs's leftovers
    answer = asked(bench)
    bench.cut_power()
    chip = read_out(bench, tmp_path)
    bench.restore_power()
    holding = {at // BLOCK for at in found(chip, bench.key)}
    assert holding
    assert holding <= set(answer.spared_blocks)


def found(data: bytes, wanted: bytes) -> list[int]:
    out, at = [], data.find(wanted)
    while at >= 0:
        out.append(at)
        at = data.find(wanted, at + 1)
    return out


def test_device_still_agrees_after_work(known: tuple[Bench, bytes]) -> None:
    """Its state has moved about in the flash."""
    bench, reference = known
    before = asked(bench)
    bench.put(2)
    bench.settle()
    with Shuffler.open(bench.port, key=bench.key) as device:
        device.load(2)
        for _ in range(6):
            for _ in range(40):
                device.deal()
            bench.return_cards()
            bench.settle()
    answer = asked(bench)
    assert agrees(bench.key, answer, reference)
    assert len(answer.spared_blocks) <= len(before.spared_blocks) + 8


def test_scrub_restores_all_but_a_few_blocks_to_the_reference(
    known: tuple[Bench, bytes],
) -> None:
    """Only blocks without a file are erased, and the device continues to work."""
    bench, reference = known
    left = leave_something(bench, reference, asked(bench))
    spared = asked(bench).spared_blocks
    assert set(left) <= set(spared)
    assert len(spared) > 16
    bench.put(1)
    bench.settle()
    with Shuffler.open(bench.port, key=bench.key) as device:
        device.load(1)
        scrub(device._connection, Deadline(30))
        device.deal()
        bench.settle()  # the chute is full again, and the last card has passed
        device.unload()
    bench.cycle_power()
    answer = asked(bench)
    assert len(answer.spared_blocks) <= 8
    assert agrees(bench.key, answer, reference)


def test_scrub_is_refused_while_a_card_is_called(shuffler: Table[Shuffler]) -> None:
    shuffler.do("hand", on=False)
    shuffler.device.call_for(1)
    with pytest.raises(CommandRefusedError, match="still"):
        scrub(shuffler.device._connection, Deadline(5))
    shuffler.device.disarm()


def test_reference_contains_no_secret_of_the_device(fresh_bench: BenchAt, tmp_path: Path) -> None:
    bench = fresh_bench("carousel-38", 1)
    bench.cut_power()
    whole = read_out(bench, tmp_path)
    bench.restore_power()
    assert bench.key in whole
    made = from_read_out(whole)
    assert bench.key not in made
    assert load(save(made)) == load(whole) == made


def test_replayed_answer_is_rejected(known: tuple[Bench, bytes]) -> None:
    bench, reference = known
    first, second = asked(bench), asked(bench)
    assert first.digest != second.digest
    assert not agrees(bench.key, replace(first, nonce=second.nonce), reference)


def test_answer_under_another_key_is_rejected(known: tuple[Bench, bytes]) -> None:
    bench, reference = known
    assert not agrees(bytes(32), asked(bench), reference)


def test_answer_that_hides_a_spared_block_is_rejected(known: tuple[Bench, bytes]) -> None:
    """The digest covers the map of blocks left out."""
    bench, reference = known
    answer = asked(bench)
    fewer = bytearray(answer.spared)
    fewer[answer.spared_blocks[0] >> 3] = 0
    assert not agrees(bench.key, replace(answer, spared=bytes(fewer)), reference)


def walked(line: RawLine, nonce: bytes) -> dict[str, Any]:
    line.ask("challenge", nonce)
    while True:
        said = line.ask("attested")
        if said["progress"] != WALKING:
            return said


def test_digest_depends_only_on_the_challenge_number(line: RawLine) -> None:
    line.begin()
    one, two, again = (walked(line, n * 16)["digest"] for n in (b"1", b"2", b"1"))
    assert one == again
    assert one != two


def test_no_secret_is_sent_before_every_block_was_read(line: RawLine) -> None:
    line.begin()
    blocks = line.ask("challenge", b"n" * 16)["blocks"]
    said = line.ask("attested")
    while said["progress"] == WALKING:
        assert said["digest"] == bytes(32)
        said = line.ask("attested")
    assert (said["progress"], said["walked"]) == (DONE, blocks)
    assert any(line.ask("spared", 0)["map"])


def test_cards_are_dealt_during_an_attestation(shuffler: Table[Shuffler]) -> None:
    connection = shuffler.device._connection
    connection.ask("challenge", b"n" * 16, deadline=Deadline(5))
    shuffler.device.deal()
    shuffler.check_counts()
    assert challenge(connection, Deadline(30)).blocks == 512


def test_device_in_a_fault_accepts_a_challenge(shuffler: Table[Shuffler]) -> None:
    shuffler.do("door", how="open")
    shuffler.expect_fault("door-open")
    with pytest.raises(InFaultError):
        shuffler.device.deal()
    assert challenge(shuffler.device._connection, Deadline(30)).blocks == 512


def test_attest_command_reports_agreement_and_difference(
    known: tuple[Bench, bytes], tmp_path: Path
) -> None:
    bench, reference = known
    good, bad, key = tmp_path / "good.bin", tmp_path / "bad.bin", tmp_path / "key"
    good.write_bytes(save(reference))
    bad.write_bytes(save(b"?" + reference[1:]))
    key.write_text(bench.key.hex())

    def run(file: Path, *more: str) -> tuple[int, dict[str, Any]]:
        arguments = ["attest", bench.port, "--reference", str(file), "--key-file", str(key)]
        done = CliRunner().invoke(app, [*arguments, *more, "--json"])
        return done.exit_code, json.loads(done.stdout)

    code, result = run(good)
    assert (code, result["agrees"], result["blocks"]) == (0, True, 512)
    code, result = run(bad)
    assert code == 1
    assert "differs from the reference" in result["reasons"][0]
    assert run(good, "--most-spared", "0")[0] == 1
    assert run(good, "--at-most", "0")[0] == 1
