"""Attackers with old keys, with a copy of the flash, or in control of the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.devices import Shuffler
from cutcard.devices.errors import AuthenticationFailedError, DeviceError, StateLostError
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.schema import messages as m
from hil_tests.conftest import loaded
from hil_tests.line import RawLine
from hil_tests.table import Table

TableAt = Callable[..., Table[Shuffler]]


def test_key_of_one_device_opens_no_other(
    benches: Benches, fresh_bench: Callable[..., Bench]
) -> None:
    bench = fresh_bench("carousel-38", 1)
    with benches.start("carousel-38", seed=2) as other:
        assert other.key != bench.key
        with pytest.raises(AuthenticationFailedError):
            Shuffler.open(other.port, key=bench.key)


def test_host_with_constant_entropy_does_not_choose_the_cards(
    table: TableAt,
) -> None:
    """Two devices get identical bytes from the host."""
    orders = []
    for seed in (1, 2):
        at = loaded(table("slots", seed=seed, entropy=0))
        orders.append([str(at.device.deal().card) for _ in range(20)])
    assert orders[0] != orders[1]


def test_recorded_session_cannot_be_decrypted_with_only_the_key(line: RawLine) -> None:
    """The attacker has every byte of the line and the device's key, but no secret number of the
    session."""
    assert line.key
    line.begin()
    line.write(line.seal("status"))
    while (body := line.body()) is not None and body[0] != m.REPLY:
        pass
    assert body is not None
    assert line.device.unseal(body) is not None
    crossed = (bytes(32), line.accept["public"], line.said_public, line.accept["proof"])
    secrets = [session_keys.session_secret(line.key, line.said, number) for number in crossed]
    for secret in (line.key, *secrets):
        assert session_keys.Session(secret, line.said, b"device").unseal(body) is None


def test_restored_flash_is_detected(shuffler: Table[Shuffler], tmp_path: Path) -> None:
    image = Path(shuffler.bench.folder) / "flash.img"
    shuffler.device.deal()
    shuffler.bench.settle()
    shuffler.bench.cut_power()
    copy = image.read_bytes()
    shuffler.bench.restore_power()
    for _ in range(3):
        shuffler.device.deal()
    shuffler.bench.settle()
    shuffler.bench.cut_power()
    image.write_bytes(copy)
    shuffler.bench.restore_power()
    with pytest.raises(DeviceError, match=r"set back or erased|another host"):
        shuffler.device.deal()


def test_erased_device_is_an_alarm_and_not_a_new_device(
    benches: Benches, fresh_bench: Callable[..., Bench]
) -> None:
    if benches.kind == CHIP:
        pytest.skip("a board's image is in the same flash: erased, it has only a prompt")
    bench = fresh_bench("carousel-38", 1)
    Shuffler.open(bench.port, key=bench.key).close()
    bench.cut_power()
    bench.do("flash", what="format")
    bench.restore_power()
    with pytest.raises(StateLostError, match="had a key and has none now"):
        Shuffler.open(bench.port, key=bench.key)
