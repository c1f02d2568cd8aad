"""Which image a device believes: keys go forward, revoked ones stay so, development ends."""

from __future__ import annotations

import shutil
import struct
from binascii import crc32
from hashlib import sha256
from pathlib import Path

import pytest

from cutcard.image.build import Signer, build
from cutcard.image.image import Image, ImageError, verify
from cutcard.keys import KeyRevokedError, NoSuchKeyError, SigningKeyStore
from cutcard.keys.history import KeyHistories
from cutcard.machines import find
from cutcard_firmware.core.crypto import ed25519
from cutcard_firmware.core.image import identity as ident
from cutcard_firmware.core.image import manifest as mf
from tests.image.conftest import PASSPHRASE, signer

MACHINE = find("shoe-8")


@pytest.fixture
def mine(store: SigningKeyStore, tmp_path: Path) -> SigningKeyStore:
    """A store that may be rotated and revoked in."""
    shutil.copytree(store.home, tmp_path / "home")
    return SigningKeyStore(tmp_path / "home")


def rotated(store: SigningKeyStore, old: str, new: str, development: bool = False) -> None:
    made = store.make(new, "image", PASSPHRASE, development)
    KeyHistories(store).rotate(store.public(old), store.open(old, PASSPHRASE), made)


def signed(store: SigningKeyStore, name: str, version: int = 1) -> Image:
    return build("rp2", MACHINE, version, signer(store, name))


def judged(image: Image, record: ident.Identity) -> str:
    try:
        image.check_signature(record)
    except ImageError as error:
        return error.reason
    return ""


def test_a_device_follows_the_history_to_a_newer_key(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    rotated(mine, "factory", "second")
    rotated(mine, "second", "third")
    assert judged(signed(mine, "third"), record) == ""
    assert (record.history, sorted(record.keys)) == (2, [2, 3, 4])


def test_a_key_that_nobody_vouched_for_is_unknown(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    mine.make("lonely", "image", PASSPHRASE)
    assert judged(signed(mine, "lonely"), record) == "unknown-key"


def test_a_revoked_key_stays_revoked_whatever_history_an_image_brings(
    mine: SigningKeyStore,
) -> None:
    before = signed(mine, "factory", 9)
    record = before.new_identity()
    rotated(mine, "factory", "second")
    histories = KeyHistories(mine)
    histories.revoke(mine.public("factory"), mine.public("second"), mine.open("second", PASSPHRASE))
    assert judged(signed(mine, "second"), record) == ""
    assert judged(before, record) == "revoked-key"
    with pytest.raises(KeyRevokedError):
        histories.check_not_revoked(mine.public("factory"))


def test_an_older_key_cannot_revoke_a_newer(mine: SigningKeyStore) -> None:
    rotated(mine, "factory", "second")
    private = mine.open("factory", PASSPHRASE)
    with pytest.raises(NoSuchKeyError):
        KeyHistories(mine).revoke(mine.public("second"), mine.public("factory"), private)


def test_a_development_key_signs_no_link_after_a_production_key(mine: SigningKeyStore) -> None:
    """A device that left development would follow the history no further, for ever."""
    rotated(mine, "bench", "production")
    with pytest.raises(KeyRevokedError, match="development"):
        rotated(mine, "bench", "bench-2", development=True)
    rotated(mine, "production", "production-2")


def test_a_key_for_reports_has_no_history_and_harms_none(mine: SigningKeyStore) -> None:
    """Numbers count up within a purpose: report key 1 is not image key 1."""
    rotated(mine, "bench", "bench-2", development=True)
    before = KeyHistories(mine).of(mine.public("bench"))
    mine.make("report", "report", PASSPHRASE)
    with pytest.raises(NoSuchKeyError, match="signs reports"):
        rotated(mine, "report", "report-2")
    assert KeyHistories(mine).of(mine.public("bench")) == before


def test_a_key_that_was_only_named_in_a_history_did_not_sign(mine: SigningKeyStore) -> None:
    """Whoever has a public half can vouch for it in a history of his own."""
    rotated(mine, "bench", "bench-2", development=True)
    image = signed(mine, "bench")
    assert image.comes_from(mine.public("bench").raw)
    assert not image.comes_from(mine.public("bench-2").raw)
    assert signed(mine, "bench-2").comes_from(mine.public("bench").raw)
    assert not image.comes_from(mine.public("factory").raw)


def test_a_link_that_devices_pass_over_says_nothing_of_who_signed(mine: SigningKeyStore) -> None:
    """A second link 0, which nobody checks, gives the number of the thief's key to another."""
    thief, wanted = signer(mine, "bench"), mine.public("factory")
    forged = mf.pack_link(0, mf.ADD, 0, thief.public.number, wanted.raw, 0) + bytes(64)
    image = build("rp2", MACHINE, 1, Signer(thief.private, thief.public, (*thief.history, forged)))
    with pytest.raises(ImageError) as refused:
        image.comes_from(wanted.raw)
    assert refused.value.reason == "link"


def test_a_link_that_somebody_else_signed_is_refused(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    rotated(mine, "factory", "second")
    image = signed(mine, "second")
    data = bytearray(image.data)
    data[56 + 106 + 50] ^= 1  # within the signature of the second link
    changed = Image(bytes(data), image.head, image.files)
    assert judged(changed, record) == "link"
    assert record.history == 0


def test_a_device_that_has_left_development_refuses_its_keys(mine: SigningKeyStore) -> None:
    record = signed(mine, "bench").new_identity()
    assert record.production == 0
    record.production = 1
    assert judged(signed(mine, "bench"), record) == "development-key"


def test_a_production_key_flashed_first_is_production_at_once(mine: SigningKeyStore) -> None:
    assert signed(mine, "factory").new_identity().production == 1


def test_the_record_is_read_as_it_was_written_or_not_at_all(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    record.key = bytes(range(32))
    data = record.packed()
    again = ident.unpacked(data)
    assert (again.version, again.key, again.keys) == (record.version, record.key, record.keys)
    for at in range(len(data)):
        with pytest.raises(mf.Refused):
            ident.unpacked(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :])


def test_both_verifiers_agree(image: Image) -> None:
    """That of this computer and that of the device."""
    message, public = mf.message(image.manifest, image.head), image.signing_key()
    for signature in (image.signature, bytes(64), image.signature[:63] + b"\x00"):
        assert verify(public, message, signature) == ed25519.verify(public, message, signature)


def first_format(record: ident.Identity) -> bytes:
    """The record as it was written before it had digests: as bench folders may still hold it."""
    packed: bytes = record.packed()
    data = packed[:1] + packed[65:-4]
    return data + struct.pack("<I", crc32(data))


def test_a_record_without_digests_is_read_and_written_with_them(store: SigningKeyStore) -> None:
    record = signed(store, "factory").new_identity()
    record.key = b"k" * 32
    found = ident.unpacked(first_format(record))
    assert found.digests == [bytes(32), bytes(32)]  # no manifest has that: no slot starts
    found.digests = record.digests
    assert vars(found) == vars(record)
    assert vars(ident.unpacked(found.packed())) == vars(record)


def test_no_byte_of_a_record_can_change_unseen(store: SigningKeyStore) -> None:
    packed = signed(store, "factory").new_identity().packed()
    for record in (packed, first_format(ident.unpacked(packed))):
        for at in range(len(record)):
            changed = record[:at] + bytes((record[at] ^ 1,)) + record[at + 1 :]
            with pytest.raises(mf.Refused):
                ident.unpacked(changed)
        with pytest.raises(mf.Refused):
            ident.unpacked(record[:-1])


def test_a_new_device_knows_the_manifest_that_it_was_given(store: SigningKeyStore) -> None:
    image = signed(store, "factory")
    assert image.new_identity().digests == [sha256(image.manifest).digest()] * 2
