"""Authentication: keys, proofs, schemas, and forged frames."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.devices import provisioning
from cutcard.devices.channel import clear
from cutcard.devices.errors import (
    AuthenticationFailedError,
    CommandRefusedError,
    InFaultError,
    KeyMissingError,
    NoAnswerError,
    NotProvisionedError,
    SchemaMismatchError,
    StateLostError,
    WrongDeviceError,
)
from cutcard.devices.events import FaultRaised
from cutcard.devices.keys import KeyStore
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.schema import messages as m
from tests.devices.conftest import Opener
from tests.devices.peer import KEY, SERIAL, Memory, SocketPeer, kind_of


@pytest.fixture
def blank() -> Iterator[SocketPeer]:
    peer = SocketPeer(Memory(key=None))
    yield peer
    peer.close()


@pytest.fixture
def empty(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "empty")


def test_device_without_a_stored_key_is_reported(peer: SocketPeer, empty: KeyStore) -> None:
    with pytest.raises(KeyMissingError, match="Copy the key file"):
        Shuffler.open(peer.port, keys=empty)


@pytest.mark.parametrize("name", ["\x1b[2Jpeer", "peer\n", "p\x7f", "péer"])
def test_device_name_cannot_send_control_codes_to_the_terminal(
    peer: SocketPeer, keys: KeyStore, name: str
) -> None:
    """`cutcard devices` shows the identity of any device, before authentication."""
    peer.spec.NAME = name
    with pytest.raises(SchemaMismatchError, match="cannot be read"):
        Shuffler.open(peer.port, keys=keys)


def test_wrong_key_opens_no_session(peer: SocketPeer, empty: KeyStore) -> None:
    empty.create(SERIAL)
    empty.confirm(SERIAL)
    with pytest.raises(AuthenticationFailedError, match="did not accept this computer's key"):
        Shuffler.open(peer.port, keys=empty)
    assert peer.link.forged > 0
    assert peer.commands == []


def test_device_that_cannot_prove_its_key_is_rejected(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutcard_firmware.core.link.sessions.equal", lambda a, b: True)
    monkeypatch.setattr(peer.link, "key", bytes(32))
    with pytest.raises(AuthenticationFailedError, match="did not prove that it knows its key"):
        opened(peer.port)


def test_last_of_two_welcomes_counts(peer: SocketPeer, opened: Opener) -> None:
    """A repeated hello gets a second welcome; the proof over the first one is invalid."""
    peer.stutter = 1
    assert opened(peer.port).deal().number == 2
    assert peer.link.forged == 1


def test_other_message_schema_is_reported(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutcard.devices.handshake._schema", lambda: bytes(8))
    with pytest.raises(SchemaMismatchError, match="Flash the firmware that came with this driver"):
        opened(peer.port)


def test_shuffler_is_not_opened_as_a_shoe(peer: SocketPeer, keys: KeyStore) -> None:
    with pytest.raises(WrongDeviceError, match="this is a shuffler"):
        Shoe.open(peer.port, keys=keys)


def test_silence_ends_at_the_deadline(keys: KeyStore) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(NoAnswerError, match=r"no welcome within 0.2 s"),
    ):
        Shuffler.open(f"socket://127.0.0.1:{server.getsockname()[1]}", keys=keys, deadline=0.2)


def test_new_device_is_provisioned_once(blank: SocketPeer, empty: KeyStore) -> None:
    with pytest.raises(NotProvisionedError, match="cutcard provision"):
        Shuffler.open(blank.port, keys=empty)
    provisioning.provision(blank.port, empty)
    with Shuffler.open(blank.port, keys=empty) as shuffler:
        assert shuffler.deal().card is not None
    with pytest.raises(CommandRefusedError, match="holds a key already"):
        provisioning.provision(blank.port, empty)


def test_key_arrives_even_if_the_reply_is_lost(blank: SocketPeer, empty: KeyStore) -> None:
    blank.lose[m.PROVISIONED] = 1
    provisioning.provision(blank.port, empty)
    assert blank.memory.key == empty.get(SERIAL)


def test_key_given_before_a_crash_is_found_again(blank: SocketPeer, empty: KeyStore) -> None:
    """The device has it; this computer had stored it only as pending at the power cut."""
    blank.link.key = blank.memory.key = bytes(empty.create(SERIAL))
    Shuffler.open(blank.port, keys=empty).close()
    assert empty.get(SERIAL) == blank.memory.key


def test_key_sent_to_an_impostor_is_never_used(blank: SocketPeer, empty: KeyStore) -> None:
    """An impostor sends that device's identity, takes the key and does not reply; then the real
    device does."""
    keys: list[bytes] = []
    swindler = SocketPeer(Memory(key=None))
    swindler.link._provision = lambda fields: keys.append(fields["key"])
    while not keys:  # on a busy computer, one of these may not reach the key
        with pytest.raises(NoAnswerError):
            provisioning.provision(swindler.port, empty, deadline=0.3)
    swindler.close()
    provisioning.provision(blank.port, empty)
    assert blank.memory.key not in keys
    assert blank.memory.key == empty.get(SERIAL)


def test_device_that_changes_its_serial_number_confirms_no_key(
    blank: SocketPeer, empty: KeyStore
) -> None:
    other = b"peer0002"
    waiting = empty.create(other)
    blank.provisioned = lambda key: setattr(blank.board, "serial", other)  # type: ignore[method-assign]
    with pytest.raises(WrongDeviceError, match="it was"):
        provisioning.provision(blank.port, empty)
    assert (empty.get(other), empty.pending(other)) == (None, waiting)


def test_known_device_without_a_key_has_lost_its_state(blank: SocketPeer, keys: KeyStore) -> None:
    with pytest.raises(StateLostError, match="count them by hand"):
        Shuffler.open(blank.port, keys=keys)
    with pytest.raises(StateLostError, match="--again"):
        provisioning.provision(blank.port, keys)
    provisioning.provision(blank.port, keys, again=True)
    Shuffler.open(blank.port, keys=keys).close()


def test_provisioned_device_is_not_provisioned_again(blank: SocketPeer) -> None:
    with pytest.raises(StateLostError, match="its storage was erased"):
        Shuffler.open(blank.port, key=KEY)
    assert blank.memory.key is None


def test_device_erased_during_a_session_has_lost_its_state(
    peer: SocketPeer, opened: Opener
) -> None:
    shuffler = opened(peer.port)
    with peer.lock:
        peer.memory = Memory(key=None)
        peer.start()
    with pytest.raises(StateLostError, match="its storage was erased"):
        shuffler.status()


def test_forged_event_is_rejected(peer: SocketPeer, opened: Opener) -> None:
    """One event frame has an invalid tag, and one is replayed."""
    shuffler = opened(peer.port)
    dealt = shuffler.deal()
    replayed = peer.sent[-1]
    forged = bytearray(frame.decode(replayed.strip(b"\0")))
    forged[-1] ^= 1
    for data in (frame.encode(bytes(forged)), replayed, replayed):
        peer.write(data)
    assert shuffler.deal().number == dealt.number + 1
    assert [event.number for event in shuffler.events(deadline=0)] == [1]


def test_forged_refusal_only_costs_a_handshake(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.link._refuse("no-session", m.COMMAND)
    shuffler.deal()
    assert (peer.memory.dealt, shuffler.reconnections) == (1, 1)


def test_frames_of_a_stranger_end_no_session(peer: SocketPeer, opened: Opener) -> None:
    """The device refuses them unencrypted, and the host in the session receives the refusal."""
    shuffler = opened(peer.port)
    shuffler.deal()
    hello = bytes((m.VERSION,)) + b"othertab" + bytes(16)
    for kind, payload in (
        (m.AUTH, bytes(96)),
        (m.AUTH, b""),
        (m.HELLO, hello),
        (m.PROVISION, bytes(32)),
        (m.COMMAND, bytes(40)),
    ):
        with peer.lock:
            peer.link.receive(frame.encode(clear(kind, payload)))
        shuffler.status()
    assert shuffler.reconnections == 0


def test_replayed_frame_of_a_session_does_not_end_it(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[bytes] = []
    heard = peer.link.receive

    def recorded(data: bytes) -> None:
        said.append(data)
        heard(data)

    monkeypatch.setattr(peer.link, "receive", recorded)
    shuffler = opened(peer.port)
    shuffler.status()
    shuffler.deal()
    for old in said[:-1]:
        with peer.lock:
            heard(old)
        shuffler.status()
    assert shuffler.reconnections == 0
    assert peer.link.replayed > 0


@pytest.mark.parametrize(("kind", "payload"), [(m.PROVISION, bytes(32)), (m.HELLO, b"")])
def test_refusal_to_a_stranger_during_a_handshake_does_not_end_it(
    peer: SocketPeer, keys: KeyStore, kind: int, payload: bytes
) -> None:
    """The refusal arrives together with the reply to hello."""
    heard = peer.link.receive

    def beside(data: bytes) -> None:
        if kind_of(data) == m.AUTH:
            heard(frame.encode(clear(kind, payload)))
        heard(data)

    peer.link.receive = beside
    Shuffler.open(peer.port, keys=keys).close()


def test_refusal_is_raised_with_its_numbers(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.refuse_with = ("bad-decks", 9, 7)
    with pytest.raises(CommandRefusedError, match="9 decks were asked for") as refused:
        shuffler.load(9)
    assert (refused.value.error, refused.value.a, refused.value.b) == ("bad-decks", 9, 7)
    peer.refuse_with = None
    assert shuffler.load(6).cards == 312  # the number of the refused command is used again


def test_unknown_refusal_is_reported_by_its_number(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.refuse_with = (99, 9, 7)
    with pytest.raises(CommandRefusedError, match="unknown refusal 99: update cutcard") as refused:
        shuffler.load(9)
    found = refused.value
    assert (found.error, found.a, found.b) == ("unknown-refusal-99", 9, 7)
    assert "9 and 7" in found.hint
    peer.refuse_with = None
    assert shuffler.load(6).cards == 312  # the number of the refused command is used again


@pytest.mark.parametrize("kind", [m.HELLO, m.AUTH])
def test_unknown_refusal_in_a_handshake_is_reported_by_its_number(
    peer: SocketPeer, keys: KeyStore, kind: int
) -> None:
    answer = peer.link.receive

    def refuse(data: bytes) -> None:
        if kind_of(data) == kind:
            peer.send(frame.encode(clear(m.REFUSE, m.pack(m.FRAMES[m.REFUSE][1], (99, 9, 7)))))
        else:
            answer(data)

    peer.link.receive = refuse
    with pytest.raises(CommandRefusedError, match="unknown refusal 99: update cutcard"):
        Shuffler.open(peer.port, keys=keys)


def test_status_rejects_a_mode_outside_the_schema(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.mode = len(m.MODES)
    with pytest.raises(SchemaMismatchError, match="reply to status"):
        shuffler.status()


def test_command_in_a_fault_raises_the_fault(peer: SocketPeer, opened: Opener) -> None:
    peer.refuse_with = ("in-fault", m.FAULT["door-open"], 0)
    with pytest.raises(InFaultError, match="Close the door") as raised:
        opened(peer.port).deal()
    assert raised.value.fault == "door-open"


def test_fault_instead_of_a_card_is_raised_with_its_event(peer: SocketPeer, opened: Opener) -> None:
    def two_cards() -> None:
        peer.event("fault", m.FAULT["simultaneous-draw"], 2, bytes((35, 0)))

    peer.after_deal = two_cards
    with pytest.raises(InFaultError) as raised:
        opened(peer.port).deal()
    event = raised.value.event
    assert isinstance(event, FaultRaised)
    assert [str(card) for card in event.cards] == ["Th", "Ac"]
    assert not event.order_known


def test_uncalled_card_is_not_the_card_of_a_call(peer: SocketPeer, opened: Opener) -> None:
    def uncalled_first() -> None:
        peer.event("card", 51, m.UNCALLED)
        peer.event("card", 7, 0)

    peer.after_deal = uncalled_first
    shuffler = opened(peer.port)
    assert str(shuffler.deal().card) == "8c"
    assert [event.number for event in shuffler.events(deadline=0)] == [1, 2]


def test_card_of_an_earlier_call_is_not_the_card_of_this_one(
    peer: SocketPeer, opened: Opener
) -> None:
    shuffler = opened(peer.port)
    shuffler.call_for(1)
    assert shuffler.deal().number == 3


def test_command_line_asks_and_provisions(
    blank: SocketPeer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUTCARD_KEYS", str(tmp_path / "cli"))
    run = CliRunner().invoke

    def ask() -> object:
        found = json.loads(run(app, ["devices", "--ask", blank.port, "--json"]).stdout)
        return found["devices"][-1]["provisioned"]

    assert ask() is False
    done = run(app, ["provision", blank.port])
    assert done.exit_code == 0
    assert SERIAL.hex() in done.stdout
    assert blank.memory.key
    assert blank.memory.key.hex() not in done.output
    assert ask() is True
    assert run(app, ["provision", blank.port]).exit_code == 1
    assert run(app, ["provision", "nowhere"]).exit_code == 2


def test_host_that_repeats_its_proof_during_the_computation_gets_one_session(
    peer: SocketPeer, opened: Opener
) -> None:
    """Repetitions get no reply at first, and then the same accept."""
    peer.thinks = 4
    shuffler = opened(peer.port)
    assert shuffler.deal().number == 2
    assert shuffler.reconnections == 0
    assert len({said for said in peer.sent if kind_of(said) == m.ACCEPT}) == 1


def test_lost_accept_is_recovered_by_the_same_proof(peer: SocketPeer, opened: Opener) -> None:
    peer.lose[m.ACCEPT] = 1
    shuffler = opened(peer.port)
    shuffler.deal()
    accepted = [said for said in peer.sent if kind_of(said) == m.ACCEPT]
    assert len(accepted) > len(set(accepted)) == 1


def test_invalid_proof_costs_the_device_no_computation(peer: SocketPeer) -> None:
    with peer.lock:
        peer.thinks = 100
        hello = bytes((m.VERSION,)) + m.fingerprint() + bytes(16)
        for kind, payload in ((m.HELLO, hello), (m.AUTH, bytes(96))):
            peer.receive(frame.encode(clear(kind, payload)))
        assert kind_of(peer.sent[-1]) == m.REFUSE
        assert not peer.link.go_on()


def test_device_about_to_start_another_image_ignores_further_frames(
    peer: SocketPeer,
) -> None:
    with peer.lock:
        hello = frame.encode(clear(m.HELLO, bytes((m.VERSION,)) + m.fingerprint() + bytes(16)))
        peer.receive(hello)
        assert len(peer.sent) == 1
        peer.ended = True
        peer.receive(hello)
        assert len(peer.sent) == 1


@pytest.mark.parametrize("public", [bytes(32), b"\1" + bytes(31)], ids=["zero", "one"])
def test_device_without_a_shared_secret_is_rejected(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch, public: bytes
) -> None:
    """With a point of small order, the session keys depend only on the device's key."""

    def agree(said: bytes, fields: dict[str, bytes], only_updates: bool) -> Iterator[None]:
        said = session_keys.transcript(said, public)
        secret = session_keys.session_secret(KEY, said, bytes(32))
        peer.link._clear(m.ACCEPT, public + session_keys.proof(secret, b"device", said))
        yield

    monkeypatch.setattr(peer.link, "_agree", agree)
    with pytest.raises(AuthenticationFailedError, match="did not prove"):
        opened(peer.port)


def test_device_that_can_only_be_updated_by_cable_is_reported_as_such(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(payload: bytes, fields: dict[str, bytes]) -> None:
        peer.link._refuse("wrong-table", m.VERSION - 1)

    monkeypatch.setattr(peer.link, "_hello", older)
    with pytest.raises(SchemaMismatchError, match=r"docs/how-to/flashing.md, A new main.py"):
        opened(peer.port)
