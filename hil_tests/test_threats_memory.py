"""A copy of a device's memory contains no expired secrets.

The firmware's interpreter is a process here; its memory is read as a debug probe would read a
board's.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from cutcard.bench.client import Bench
from cutcard.bench.flash import operations_in
from cutcard_firmware.core.crypto.mac import Mac
from cutcard_firmware.core.random.source import SEED_BYTES
from cutcard_firmware.core.schema import messages as m
from hil_tests import read_out
from hil_tests.line import RawLine
from hil_tests.read_out import key_in

KEY = sha256(b"a key that stands nowhere else").digest()
LIVE_COPIES = 2  # the key itself, and littlefs's cache of the page that was written


@pytest.fixture
def line(request: pytest.FixtureRequest) -> Iterator[RawLine]:
    """Return a connection to a device that has just received its key."""
    if request.config.getoption("port") != "bench":
        pytest.skip("reads the memory of MicroPython's process, which only the bench has")
    if sys.platform != "linux":
        pytest.skip("a process's memory is read through /proc, which this system has not")
    with Bench.start("carousel-38", provision=False) as bench:
        there = RawLine(bench.port, KEY, bench)
        there.say(m.PROVISION, KEY)
        assert there.answer()[0] == "provisioned"
        yield there
        there.close()


def copies(line: RawLine, *wanted: bytes) -> int:
    """Count these byte strings in the memory of the firmware's process."""
    assert line.bench is not None
    line.bench.settle()
    pid = line.bench.status()["pid"]
    found = 0
    try:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for begin, end in re.findall(r"^([0-9a-f]+)-([0-9a-f]+) rw", maps.read(), re.M):
                memory.seek(int(begin, 16))
                data = memory.read(int(end, 16) - int(begin, 16))
                found += sum(data.count(each) for each in wanted)
    except PermissionError:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip("this system lets no process read another's memory")
    return found


def pads(key: bytes) -> list[bytes]:
    """Return the HMAC pads of a key."""
    return [bytes(byte ^ pad for byte in key) for pad in (0x36, 0x5C)]


def session_keys(line: RawLine) -> list[bytes]:
    """Return the secrets from which the session's keys are derived, and the four keys with their
    pads."""
    mac = Mac(line.secret)
    names = [(who, what) for who in (b"host", b"device") for what in (b" tag", b" cipher")]
    keys = [line.shared, line.secret, *(mac.digest(who, what, line.said) for who, what in names)]
    return [form for key in keys for form in (key, *pads(key))]


def test_provisioned_key_is_only_where_it_is_used(line: RawLine) -> None:
    """This holds once the first session has begun; until then, the interpreter's stack may have a
    copy."""
    line.begin()
    line.ask("status")
    assert 1 <= copies(line, KEY) <= LIVE_COPIES
    assert copies(line, *pads(KEY)) == 0


def test_keys_of_a_session_are_erased_when_another_begins(line: RawLine) -> None:
    line.begin()
    line.ask("status")
    first = session_keys(line)
    assert copies(line, *first) >= 8  # they are in use, so the scan must find them
    line.begin()
    line.ask("status")
    assert copies(line, *first) == 0


def test_host_entropy_is_erased_after_mixing(line: RawLine) -> None:
    entropy = sha256(b"the host's share").digest()
    line.hello()
    line.auth(KEY, entropy)
    assert line.answer()[0] == "accept"
    line.begin()
    line.ask("status")  # the board's buffer contains the last frame until the next one arrives
    assert copies(line, entropy) == 0


def test_carried_seed_is_in_the_flash_and_not_in_memory(line: RawLine) -> None:
    assert line.bench is not None
    line.bench.cycle_power()
    seeds = [contents for contents in on_flash(line.bench) if len(contents) == SEED_BYTES]
    assert len(seeds) == 1
    line.begin()
    assert copies(line, *seeds) == 0


def test_keys_of_replaced_states_are_not_in_memory(line: RawLine) -> None:
    """Otherwise, a reader of memory and flash could decrypt old states."""
    assert line.bench is not None
    log = Path(line.bench.do("flash", what="record")["log"])
    line.begin()
    line.bench.put(1)
    line.bench.settle()
    line.ask("load", 1, 52, identity=line.ask("status")["last_command"] + 1)
    line.bench.settle()
    written = [key_in(each) for each in operations_in(log.read_bytes())]
    keys = [each.key for each in written if each is not None]
    assert len(keys) > 52
    line.begin()
    line.ask("status")
    assert copies(line, *keys[:-1]) == 0


def on_flash(bench: Bench) -> list[bytes]:
    return read_out.legible((Path(bench.folder) / "flash.img").read_bytes())
