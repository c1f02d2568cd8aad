"""Committed state survives a restart, and other changes do not."""

import os
import time
from hashlib import sha256

import core.storage.state as st
from doubles import raised
from folder_flash import FolderFlash


def folder():
    """Return a new empty folder in this interpreter's file system; other tests do not use it."""
    root = "/tmp/" if "tmp" in os.listdir("/") else "/"
    root += "cutcard-" + str(time.time_ns())
    os.mkdir(root)
    return root


def forget(root):
    for name in os.listdir(root):
        path = root + "/" + name
        try:
            os.remove(path)
        except OSError:
            forget(path)
    os.rmdir(root)


def reopened(root, bins=10):
    state = st.State(root, bins, FolderFlash(root))
    state.load()
    return state


def test_missing_state_is_a_lost_state():
    root = folder()
    raised(st.StateLost, st.State(root, 10, FolderFlash(root)).load)
    forget(root)


def test_numbers_and_events_survive():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    state.set(st.BOOTS, 0xFFFFFFFF)
    state.set(st.PACK, 416)
    state.set(st.BIN + 9, st.UNSURE + 7)
    state.add_event(b"\x01first")
    state.add_event(b"\x02")
    state.commit()
    again = reopened(root)
    assert list(again.numbers) == list(state.numbers)
    assert again.events == [b"\x01first", b"\x02"]
    assert again.get(st.LAST_EVENT) == 2
    forget(root)


def test_uncommitted_changes_are_lost_at_a_restart():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    state.set(st.PACK, 52)
    state.commit()
    state.set(st.PACK, 104)
    state.add_event(b"\x01")
    again = reopened(root)
    assert (again.get(st.PACK), again.events) == (52, [])
    forget(root)


def test_the_last_of_a_hundred_commits_is_loaded():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    for number in range(100):
        state.set(st.DEALT, number * 1000)
        state.add_event(bytes((number,)))
        state.acknowledge(state.get(st.LAST_EVENT) - 3)
        state.commit()
    again = reopened(root)
    assert again.get(st.DEALT) == 99000
    assert again.get(st.LAST_EVENT) == 100
    assert [event[0] for event in again.events] == [97, 98, 99]
    forget(root)


def test_rollback_undoes_numbers_and_events():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    state.set(st.PACK, 52)
    state.add_event(b"\x01")
    mark = state.mark()
    state.set(st.PACK, 104)
    state.add_event(b"\x02")
    state.back(mark)
    state.commit()
    again = reopened(root)
    assert (again.get(st.PACK), again.events, again.get(st.LAST_EVENT)) == (52, [b"\x01"], 1)
    forget(root)


def test_a_witness_survives_and_a_state_without_one_is_read_too():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    state.add_event(b"\x01first")
    state.commit()
    assert reopened(root).witness == bytes(32)
    state.bear_witness(b"h" * 32)
    state.bear_witness(b"i" * 32)
    state.commit()
    again = reopened(root)
    first = sha256(bytes(32) + b"h" * 32).digest()
    assert again.witness == sha256(first + b"i" * 32).digest()
    assert (again.get(st.WITNESSED), again.events) == (2, [b"\x01first"])
    forget(root)


def test_rollback_undoes_a_witness_that_was_not_written():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    mark = state.mark()
    state.bear_witness(b"h" * 32)
    state.back(mark)
    assert (state.get(st.WITNESSED), state.witness) == (0, bytes(32))
    forget(root)


def test_the_event_store_is_full_at_its_limit():
    root = folder()
    state = st.State(root, 1, FolderFlash(root))
    for number in range(st.EVENT_STORE):
        assert not state.full
        state.add_event(bytes((number,)))
    assert state.full
    state.acknowledge(1)
    assert not state.full
    forget(root)


def test_small_files_are_replaced_atomically():
    root = folder()
    state = st.State(root, 1, FolderFlash(root))
    seed = st.Seed(state)
    assert seed.read() is None
    for value in (b"a" * 32, b"b" * 32):
        seed.write(value)
        assert seed.read() == value
    forget(root)


def test_a_state_with_a_wrong_byte_is_lost():
    root = folder()
    state = st.State(root, 10, FolderFlash(root))
    state.set(st.PACK, 52)
    state.commit()
    path = state.folder + st._FILE
    with open(path, "rb") as file:
        whole = file.read()
    for at in range(len(whole)):
        with open(path, "wb") as file:
            file.write(whole[:at] + bytes((whole[at] ^ 1,)) + whole[at + 1 :])
        raised(st.StateLost, st.State(root, 10, FolderFlash(root)).load)
    forget(root)


def chained(root):
    state = st.State(root, 10, FolderFlash(root))
    state.chains_events = True
    return state


def test_an_event_is_in_the_chain_when_it_is_committed():
    root = folder()
    state = chained(root)
    for payload in (b"\x01first", b"\x02"):
        state.add_event(payload)
    assert (state.last_chained(), state.sent) == (0, bytes(32))
    state.commit()
    first = sha256(bytes(32) + b"\x01first").digest()
    both = sha256(first + b"\x02").digest()
    assert (state.last_chained(), state.sent) == (2, both)
    again = chained(root)
    again.load()
    assert (again.sent, again.events) == (both, [b"\x01first", b"\x02"])
    state.add_event(b"\x03")
    state.acknowledge(3)
    state.commit()
    assert state.sent == sha256(both + b"\x03").digest()
    forget(root)


def test_an_event_that_was_rolled_back_or_not_written_is_not_in_the_chain():
    root = folder()
    state = chained(root)
    mark = state.mark()
    state.add_event(b"\x01")
    state.back(mark)
    state.add_event(b"\x02")
    store = st._store

    def full(record, parts):
        raise st.StorageFull

    st._store = full
    raised(st.StorageFull, state.commit)
    st._store = store
    assert (state.last_chained(), state.sent) == (0, bytes(32))
    state.commit()
    assert state.sent == sha256(bytes(32) + b"\x02").digest()
    forget(root)
