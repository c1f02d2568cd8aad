"""docs/reference/wire-protocol.md agrees with the code."""

from __future__ import annotations

import re
from binascii import crc32

import pytest

from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from docs.site.sections import between
from docs.site.wire_protocol import PAGE


def test_cobs_examples_on_the_page_are_correct() -> None:
    examples = re.findall(r"^([0-9a-f ]+?) +becomes +([0-9a-f ]+)$", PAGE.read_text(), re.M)
    assert len(examples) == 2
    for plain, stuffed in examples:
        runs = bytes.fromhex(plain).split(b"\0")
        assert b"".join(bytes((len(run) + 1,)) + run for run in runs) == bytes.fromhex(stuffed)


def test_encoder_on_the_page_makes_the_first_key_frame_of_the_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(code) == 1
    exec(code[0], {})
    session = between(PAGE.read_text(), "session")
    frame_of_the_key = re.search(r"host ──► provision\n    ([0-9a-f]+)\n", session)
    assert frame_of_the_key
    assert capsys.readouterr().out.strip() == frame_of_the_key[1]


def test_crc_check_value_on_the_page_is_correct() -> None:
    assert f"0x{crc32(b'123456789'):08X}" in PAGE.read_text()


def test_sizes_on_the_page_are_correct() -> None:
    text = PAGE.read_text()
    assert f"A body has at most {frame.MAX_BODY} bytes" in text
    assert f"at most {frame.MAX_BODY - 5} outside and {frame.MAX_BODY - 5 - m.TAG} in" in text
    assert f"kept until a host acknowledges them with `ack`, at most {m.EVENT_STORE}" in text
