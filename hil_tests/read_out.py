"""An attacker with a copy of a device's entire flash, its source code, and a month of time.

The attacker parses littlefs by hand, including replaced commits and blocks without a file, and
tries every key found anywhere on the chip on every record that was ever written.
"""

from __future__ import annotations

import struct
from binascii import crc32
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from cutcard.bench.flash import BLOCK, OPERATION, FlashImage
from cutcard_firmware.core.cards.shuffler import EJECTING, FEEDING
from cutcard_firmware.core.storage import state as st
from cutcard_firmware.core.storage.erasable_record import _HEAD_SIZE as _HEAD
from cutcard_firmware.core.storage.erasable_record import _PAGE, _SMALL, _opened

KEY = 16
_STREAM = 32  # bytes of one hash
_INLINE, _TIMES, _END = 0x201, 0x3, 0x500  # tags of littlefs: a small file, an attribute, a CRC


@dataclass(frozen=True)
class Tag:
    kind: int
    data: bytes


def tags(block: bytes) -> Iterator[Tag]:
    """Return the tags that littlefs wrote into a block, commit by commit; empty for other
    blocks."""
    at, last = 4, 0xFFFFFFFF
    while at + 4 <= BLOCK:
        tag = struct.unpack_from(">I", block, at)[0] ^ last
        kind, size = tag >> 20 & 0x7FF, tag & 0x3FF
        size = 0 if size == 0x3FF else size
        if tag >> 31 or at + 4 + size > BLOCK:
            return
        yield Tag(kind, block[at + 4 : at + 4 + size])
        at += 4 + size
        last = tag ^ (kind & 1) << 31 if kind & 0x780 == _END else tag


def committed(block: bytes) -> list[Tag]:
    """Return the tags of commits with a valid CRC. A block of keys or noise may look like tags."""
    whole: list[Tag] = []
    commit: list[Tag] = []
    at, crc = 4, crc32(block[:4])
    for tag in tags(block):
        crc = crc32(block[at : at + 4], crc)
        at += 4 + len(tag.data)
        if tag.kind & 0x780 != _END:
            crc = crc32(tag.data, crc)
            commit.append(tag)
            continue
        if tag.data[:4] != struct.pack("<I", crc ^ 0xFFFFFFFF):
            break
        whole += commit
        commit, crc = [], 0
    return whole


def blocks(chip: bytes) -> list[bytes]:
    return [chip[at : at + BLOCK] for at in range(0, len(chip), BLOCK)]


def records(chip: bytes) -> list[bytes]:
    """Return all possible records: every small file ever written, and the start of every block."""
    small = [tag.data for block in blocks(chip) for tag in tags(block) if tag.kind == _INLINE]
    return small + [block for block in blocks(chip) if len(set(block)) > 1]


def small_files(chip: bytes) -> list[bytes]:
    """Return the contents of small files in complete commits."""
    return [tag.data for block in blocks(chip) for tag in committed(block) if tag.kind == _INLINE]


def times(chip: bytes) -> list[bytes]:
    """Return the times of writes to files that littlefs noted."""
    return [
        tag.data for block in blocks(chip) for tag in committed(block) if tag.kind >> 8 == _TIMES
    ]


def keys(chip: bytes) -> list[bytes]:
    """Return all possible keys: slots that are not blank and not destroyed."""
    slots = {chip[at : at + KEY] for at in range(0, len(chip), KEY)}
    return [slot for slot in slots if len(set(slot)) > 1]


def legible(chip: bytes) -> list[bytes]:
    """Return the contents of every record that can still be read, without duplicates."""
    found = set()
    tried = keys(chip)
    sizes = np.frombuffer(b"".join(_stream(key, 0)[_HEAD - 2 : _HEAD] for key in tried), "<u2")
    for record in set(records(chip)):
        plain = _plain(record)
        if plain is not None:
            found.add(plain)
        for key in _that_may_fit(record, tried, sizes):
            if (contents := _opened(record, key)) is not None:
                found.add(contents)
    return sorted(found)


def _that_may_fit(
    record: bytes, tried: Sequence[bytes], sizes: npt.NDArray[np.uint16]
) -> Iterator[bytes]:
    """Yield keys that decrypt the record to a valid length and zero padding.

    These are a few of the forty thousand keys on a chip with its program, so only these are tried.
    """
    if len(record) < _SMALL:
        return
    said = sizes ^ struct.unpack_from("<H", record, _HEAD - 2)[0]
    for place in np.flatnonzero(said <= len(record) - _HEAD).tolist():
        end = _HEAD + int(said[place])
        padded = record[end : min(end + (_SMALL - end) % _PAGE, end // _STREAM * _STREAM + _STREAM)]
        if _stream(tried[place], end // _STREAM)[end % _STREAM :].startswith(padded):
            yield tried[place]


def _stream(key: bytes, block: int) -> bytes:
    """Return one block of the key stream of a record."""
    return sha256(key + struct.pack("<H", block)).digest()


def _plain(record: bytes) -> bytes | None:
    """Return the content of an unencrypted record, or None."""
    if len(record) < 6:
        return None
    crc, size = struct.unpack("<IH", record[:6])
    contents = record[6 : 6 + size]
    return contents if size and len(contents) == size and crc32(contents) == crc else None


def states(chip: bytes) -> list[st.State]:
    """Return the states of a shuffler among the legible records."""
    found = []
    for contents in legible(chip):
        state = object.__new__(st.State)
        state.of_any_machine, state.events = True, []
        try:
            state._unpack(contents)
        except (IndexError, OverflowError, st.StateLost):
            continue
        if len(state.numbers) >= st.BIN:
            found.append(state)
    return found


def bins_of_returned(found: list[st.State]) -> dict[int, int]:
    """Return the bin of each returned card, by the number of cards still outside at its return."""
    return {
        state.get(st.OUTSIDE): state.get(st.INTENT) - FEEDING
        for state in found
        if FEEDING <= state.get(st.INTENT) < EJECTING and state.get(st.DEALT)
    }


@dataclass(frozen=True)
class WrittenKey:
    block: int
    offset: int
    key: bytes

    def is_legible(self, chip: FlashImage) -> bool:
        """Return whether a part of the key is legible: not blank and not zeros."""
        return bool(chip.read(self.block, self.offset, KEY).strip(b"\xff").strip(b"\0"))


def block_of(operation: bytes) -> int:
    return int(OPERATION.unpack_from(operation)[0])


def key_in(operation: bytes) -> WrittenKey | None:
    """Return the key that a program operation writes, or None.

    The page is blank except for one slot, which is not zero.
    """
    block, offset = OPERATION.unpack_from(operation)
    page = operation[OPERATION.size :]
    slots = [page[at : at + KEY] for at in range(0, len(page), KEY)]
    used = [at for at, slot in enumerate(slots) if slot.strip(b"\xff")]
    if len(used) != 1 or not any(slots[used[0]]):
        return None
    place = offset + used[0] * KEY
    # A block of keys begins with its marker.
    return WrittenKey(block, place, slots[used[0]]) if place else None
