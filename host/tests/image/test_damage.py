"""Every kind of damage has a distinct reason, and a change of any byte has one."""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.image.image import Image, ImageError
from cutcard.image.reasons import REASONS
from cutcard.keys.store import SigningKeyStore
from cutcard_firmware.core.devices.commands import NO_MEMORY
from cutcard_firmware.core.image import manifest as mf


def read(data: bytes) -> str:
    """Return "" if the image is valid and signed, otherwise the reason."""
    try:
        Image.parse(data).new_identity()
    except ImageError as error:
        return error.reason
    return ""


def patched(image: Image, at: int, to: bytes) -> bytes:
    return image.data[:at] + to + image.data[at + len(to) :]


def first_file(image: Image) -> int:
    return int(mf.HEAD + image.head.links * mf.LINK)


def test_unchanged_image_is_valid(image: Image) -> None:
    assert read(image.data) == ""


def test_every_kind_of_damage_has_a_distinct_reason(image: Image) -> None:
    size = image.head.size
    files = first_file(image)
    assert read(b"") == "length"
    assert read(b"something else entirely") == "magic"
    assert read(image.data[:20]) == "length"
    assert read(image.data[: size - 1]) == "length"
    assert read(image.data[:-1]) == "length"
    assert read(image.data + b"x") == "length"
    assert read(patched(image, 8, b"\x02")) == "format"
    assert read(patched(image, 24, struct.pack("<I", 9))) == "malformed"
    assert read(patched(image, 28, struct.pack("<I", 9))) == "malformed"
    assert read(patched(image, files + 37, b"../")) == "name"
    assert read(patched(image, len(image.data) - 1, b"\xff")) == "changed"
    assert read(patched(image, size, bytes(64))) == "unsigned"
    assert read(patched(image, size, b"\x01" * 64)) == "signature"
    assert read(patched(image, 12, b"\x08")) == "signature"
    assert read(patched(image, 20, struct.pack("<H", 9))) == "unknown-key"


def test_replaced_file_with_its_hash_breaks_the_signature(
    image: Image,
) -> None:
    file = image.files[0]
    other = bytes(len(file.data))
    at = first_file(image) + 5
    data = patched(image, at, sha256(other).digest())
    data = data.replace(file.data, other, 1)
    assert read(data) == "signature"


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_change_of_any_byte_is_detected(image: Image, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(image.data) - 1))
    bit = data.draw(st.integers(0, 7))
    assert read(patched(image, at, bytes((image.data[at] ^ 1 << bit,)))) != ""


@settings(max_examples=200, deadline=None)
@given(garbage=st.binary(max_size=400))
def test_garbage_is_refused_with_a_reason(garbage: bytes) -> None:
    assert read(garbage) in mf.REASONS
    assert read(mf.MAGIC + b"\x01" + garbage) in mf.REASONS


def test_out_of_memory_is_explained_without_the_table() -> None:
    assert mf.REASONS[NO_MEMORY] == "memory"


def test_every_reason_has_an_explanation() -> None:
    assert set(REASONS) == set(mf.REASONS)


class TestVerify:
    def call(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["image", "verify", *words])
        return done.exit_code, done.stdout or done.stderr

    @pytest.fixture
    def file(self, image: Image, tmp_path: Path) -> Path:
        made = tmp_path / "an-image"
        made.write_bytes(image.data)
        return made

    def test_verify_describes_a_valid_image(self, file: Path, image: Image) -> None:
        code, said = self.call(str(file), "--json")
        assert code == 0
        facts = json.loads(said)
        assert facts["ok"]
        assert (facts["machine"], facts["version"]) == ("shoe-8", 7)
        assert len(facts["files"]) == len(image.files)

    def test_verify_of_a_changed_byte_exits_1_and_names_the_file(
        self, file: Path, image: Image
    ) -> None:
        file.write_bytes(patched(image, len(image.data) - 1, b"\xff"))
        code, said = self.call(str(file))
        assert code == 1
        assert "/main.py" in said

    def test_verify_with_another_key_exits_1(self, file: Path, store: SigningKeyStore) -> None:
        right, wrong = store.public("factory").raw.hex(), store.public("bench").raw.hex()
        assert self.call(str(file), "--public-key", right)[0] == 0
        code, said = self.call(str(file), "--public-key", wrong)
        assert code == 1
        assert "another maker" in said

    def test_verify_with_an_invalid_key_or_file_exits_2(self, file: Path) -> None:
        assert self.call(str(file), "--public-key", "12")[0] == 2
        assert (
            self.call(str(file), "--public-key", "")[0] == 2
        )  # an empty shell variable is not a key
        assert self.call(str(file) + ".not")[0] == 2
