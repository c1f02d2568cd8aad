"""The images that a device trusts: newer keys, no revoked keys, no return to development."""

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
    """Return a separate store for rotations and revocations."""
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


def test_key_without_a_link_is_unknown(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    mine.make("lonely", "image", PASSPHRASE)
    assert judged(signed(mine, "lonely"), record) == "unknown-key"


def test_revoked_key_stays_revoked_with_any_history_of_an_image(
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
    """A device in production would never follow that history again."""
    rotated(mine, "bench", "production")
    with pytest.raises(KeyRevokedError, match="development"):
        rotated(mine, "bench", "bench-2", development=True)
    rotated(mine, "production", "production-2")


def test_report_key_has_no_history_and_cannot_affect_one(mine: SigningKeyStore) -> None:
    """Numbers count up within a purpose: report key 1 is not image key 1."""
    rotated(mine, "bench", "bench-2", development=True)
    before = KeyHistories(mine).of(mine.public("bench"))
    mine.make("report", "report", PASSPHRASE)
    with pytest.raises(NoSuchKeyError, match="signs reports"):
        rotated(mine, "report", "report-2")
    assert KeyHistories(mine).of(mine.public("bench")) == before


def test_key_only_named_in_a_history_does_not_count_as_signer(mine: SigningKeyStore) -> None:
    """Any owner of a key can vouch for a public half in another history."""
    rotated(mine, "bench", "bench-2", development=True)
    image = signed(mine, "bench")
    assert image.comes_from(mine.public("bench").raw)
    assert not image.comes_from(mine.public("bench-2").raw)
    assert signed(mine, "bench-2").comes_from(mine.public("bench").raw)
    assert not image.comes_from(mine.public("factory").raw)


def test_link_that_devices_skip_does_not_prove_a_signer(mine: SigningKeyStore) -> None:
    """A second link 0, which is not checked, gives the number of the thief's key to another."""
    thief, wanted = signer(mine, "bench"), mine.public("factory")
    forged = mf.pack_link(0, mf.ADD, 0, thief.public.number, wanted.raw, 0) + bytes(64)
    image = build("rp2", MACHINE, 1, Signer(thief.private, thief.public, (*thief.history, forged)))
    with pytest.raises(ImageError) as refused:
        image.comes_from(wanted.raw)
    assert refused.value.reason == "link"


def test_link_signed_by_another_key_is_refused(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    rotated(mine, "factory", "second")
    image = signed(mine, "second")
    data = bytearray(image.data)
    data[56 + 106 + 50] ^= 1  # within the signature of the second link
    changed = Image(bytes(data), image.head, image.files)
    assert judged(changed, record) == "link"
    assert record.history == 0


def test_device_in_production_refuses_development_keys(mine: SigningKeyStore) -> None:
    record = signed(mine, "bench").new_identity()
    assert record.production == 0
    record.production = 1
    assert judged(signed(mine, "bench"), record) == "development-key"


def test_device_flashed_first_with_a_production_key_is_in_production(mine: SigningKeyStore) -> None:
    assert signed(mine, "factory").new_identity().production == 1


def test_identity_record_is_parsed_exactly_or_rejected(mine: SigningKeyStore) -> None:
    record = signed(mine, "factory").new_identity()
    record.key = bytes(range(32))
    data = record.packed()
    again = ident.unpacked(data)
    assert (again.version, again.key, again.keys) == (record.version, record.key, record.keys)
    for at in range(len(data)):
        with pytest.raises(mf.Refused):
            ident.unpacked(data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :])


def test_both_verifiers_agree(image: Image) -> None:
    """The verifiers of this computer and of the device agree."""
    message, public = mf.message(image.manifest, image.head), image.signing_key()
    for signature in (image.signature, bytes(64), image.signature[:63] + b"\x00"):
        assert verify(public, message, signature) == ed25519.verify(public, message, signature)


def first_format(record: ident.Identity) -> bytes:
    """Return the record in the old format without digests, which bench folders may still have."""
    packed: bytes = record.packed()
    data = packed[:1] + packed[65:-4]
    return data + struct.pack("<I", crc32(data))


def test_a_record_without_digests_is_read_and_written_with_them(store: SigningKeyStore) -> None:
    record = signed(store, "factory").new_identity()
    record.key = b"k" * 32
    found = ident.unpacked(first_format(record))
    assert found.digests == [bytes(32), bytes(32)]  # no manifest has this digest: no slot starts
    found.digests = record.digests
    assert vars(found) == vars(record)
    assert vars(ident.unpacked(found.packed())) == vars(record)


def test_change_of_any_byte_of_a_record_is_detected(store: SigningKeyStore) -> None:
    packed = signed(store, "factory").new_identity().packed()
    for record in (packed, first_format(ident.unpacked(packed))):
        for at in range(len(record)):
            changed = record[:at] + bytes((record[at] ^ 1,)) + record[at + 1 :]
            with pytest.raises(mf.Refused):
                ident.unpacked(changed)
        with pytest.raises(mf.Refused):
            ident.unpacked(record[:-1])


def test_new_device_stores_the_digest_of_its_manifest(store: SigningKeyStore) -> None:
    image = signed(store, "factory")
    assert image.new_identity().digests == [sha256(image.manifest).digest()] * 2
