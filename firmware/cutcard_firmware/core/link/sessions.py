"""The device's end of the wire: sessions, and the validity of frames.

One host at a time has a session. A frame is accepted if its tag is valid and its counter is the
next one. An identical frame gets the identical reply, and is not executed again; older frames are
refused.

Until a proof has been verified, no data of a session is changed and no long computation starts: an
attacker without a key can neither end a session nor keep a device busy.
"""

import struct

from ..schema import messages as m
from ..crypto.session_keys import HEAD, TAG, Mac, Session, equal, proof, session_secret, transcript
from .frame import Splitter, close, encode, room
from ..random.health import NoiseFailure
from ..module_loading import AGREEMENT, forget
from ..storage.state import StorageFull
from ..sweep import sweep

_FRESH = 32  # bytes of the chip's own random bytes in a nonce
_FRESH_SECRET = 256  # and in a secret: eight reads of a biased oscillator make a byte


class Link:
    def __init__(self, device, send, key):
        self.device = device
        self.send = send
        self.key = key
        # stored once, because a stranger may ask for it any number of times
        self.schema = m.fingerprint()
        self.splitter = Splitter()
        self.nonces = 0
        self.offer = None  # payloads of the last hello and welcome, until auth arrives
        self.work = None  # a handshake being computed, piece by piece
        self.believed = b""  # payload of the last auth with a valid proof
        self.accepted = b""  # and the frame that answered it
        self.host = None  # session of each direction
        self.own = None
        self.only_updates = False  # the host may have another message schema
        self.heard = 0  # counters of the last frame, in both directions
        self.said = 0
        self.last_frame = b""
        self.last_reply = b""
        self.forged = 0
        self.replayed = 0
        self.malformed = 0
        self.untidy = False  # a secret was received or replaced, and copies of it remain in memory
        self.held: tuple = ()  # frame and payload of a command that came during a movement

    def wants(self):
        """Return whether work waits until all motors are at rest."""
        return self.held or self.untidy or self.work is not None

    def tidy(self):
        """Erase received bytes, once no caller uses them any more."""
        self.untidy = False
        self.splitter.wipe()
        sweep()

    def receive(self, data):
        for body in self.splitter.feed(data):
            if self.device.ended:
                return  # another image was chosen, and must start with the current state
            if body[0] == m.COMMAND:
                self._command(body)
            else:
                self._clear_frame(body)

    def push_event(self, number, payload):
        if self.own is not None:
            self._seal(m.EVENT, struct.pack("<I", number) + payload)

    def _clear_frame(self, body):
        kind = body[0]
        if len(body) < HEAD or kind not in (m.HELLO, m.AUTH, m.PROVISION):
            self.malformed += 1
        else:
            payload = body[HEAD:]
            try:
                fields = m.unpack(m.FRAMES[kind][1], payload)
            except ValueError:
                self.malformed += 1
                return self._refuse("malformed", kind)
            if kind == m.HELLO:
                self._hello(payload, fields)
            elif kind == m.AUTH:
                self._auth(payload, fields)
            else:
                self._provision(fields)

    def _hello(self, payload, fields):
        table = fields["table"]
        known = table == self.schema or table == m.ANY_SCHEMA or m.is_compatible(table)
        if fields["version"] != m.VERSION or not known:
            return self._refuse("wrong-table", m.VERSION)
        welcome = m.pack(
            m.FRAMES[m.WELCOME][1],
            (
                m.VERSION,
                self.schema,
                self._nonce(),
                m.KINDS.index(self.device.spec.KIND),
                1 if self.key else 0,
                self.device.board.serial,
                self.device.firmware,
                self.device.spec.NAME.encode(),
            ),
        )
        self.offer = (payload, welcome)
        self._clear(m.WELCOME, welcome)

    def _nonce(self):
        """Return a nonce that never repeats, even if stored state is lost or rolled back.

        It cannot be predicted without the device's key. The generator that decides cards is not
        used, so a stranger's hello does not advance it.
        """
        self.nonces += 1
        count = struct.pack("<II", self.nonces, self.device.board.now())
        mac = Mac(self.key or self.device.board.serial)
        nonce = mac.digest(b"nonce", self.device.board.fresh(_FRESH), count)[:16]
        mac.wipe()
        return nonce

    def _auth(self, payload, fields):
        if not self.key:
            return self._refuse("not-provisioned")
        if payload == self.believed:
            # The host missed the reply, or it is not ready: it gets the same reply when it is
            # ready.
            return self.send(self.accepted) if self.accepted else None
        if self.offer is None:
            return self._refuse("no-session", m.AUTH)  # the live session continues
        hello, welcome = self.offer
        self.offer = None
        said = transcript(hello, welcome, fields["entropy"], fields["public"])
        if not equal(proof(self.key, b"host", said), fields["proof"]):
            self.forged += 1
            return self._refuse("wrong-proof")
        self.believed = payload
        self.accepted = b""
        self.work = self._agree(said, fields, hello[1:9] == m.ANY_SCHEMA)
        return None

    def go_on(self):
        """Do a piece of a handshake's work; return True if there is more."""
        if self.work is None:
            return False
        try:
            next(self.work)
        except StopIteration:
            self.work = None
        except MemoryError:
            self.work = None
            self.believed = b""
            self._refuse("no-session", m.AUTH)  # the host sends hello again
        if self.work is None:
            self.untidy = True
            forget(*AGREEMENT)
        return self.work is not None

    def _agree(self, said, fields, only_updates):
        """Compute the numbers of this session, which are used only once.

        The old session continues until they are ready.
        """
        from ..crypto.x25519 import BASE, times

        mac = Mac(self.key)
        secret = mac.digest(b"secret", self.device.board.fresh(_FRESH_SECRET), said)
        mac.wipe()
        public = yield from times(secret, BASE)
        shared = yield from times(secret, fields["public"])
        said = transcript(said, public)
        key = session_secret(self.key, said, shared)
        host, own = Session(key, said, b"host"), Session(key, said, b"device")
        accept = public + proof(key, b"device", said)
        # From here on memory cannot run out: erased data is never in use.
        for over in (self.host, self.own):
            if over is not None:
                over.wipe()
        self.host, self.own = host, own
        self.only_updates = only_updates
        self.heard = self.said = 0
        self.last_frame = self.last_reply = b""
        self.held = ()
        self.accepted = self._clear(m.ACCEPT, accept)
        self.device.session_began(fields["entropy"])

    def _provision(self, fields):
        if self.key:
            if equal(fields["key"], self.key):
                # The host missed the reply, or it is not ready: storing a key takes time.
                return self._clear(m.PROVISIONED, self.device.board.serial)
            return self._refuse("already-provisioned")
        try:
            self.device.provisioned(fields["key"])
        except StorageFull:
            return self._refuse("storage-full")
        except NoiseFailure:
            return self._refuse("in-fault", m.FAULT["random-source"])
        self.key = fields["key"]
        self.untidy = True
        self._clear(m.PROVISIONED, self.device.board.serial)

    def _command(self, body):
        if self.host is None:
            return self._refuse("no-session", m.COMMAND)
        if body == self.last_frame:
            return self.send(self.last_reply)
        if self.held:
            return None  # a repetition, or too early: a host sends one at a time
        opened = self.host.unseal(body)
        if opened is None:
            self.forged += 1
            return None
        _, counter, payload = opened
        if counter != self.heard + 1:
            self.replayed += 1
            return self._refuse("old-frame", self.heard)
        self.heard = counter
        op = payload[4] if len(payload) > 4 else 0
        if self.device.may_write() or (m.is_question(op) and op != m.SIGNED):
            self._answer(body, payload)
        else:
            self.held = body, payload
        return None

    def answer_held(self):
        """Carry out the delayed command."""
        body, payload = self.held
        self.held = ()
        self._answer(body, payload)

    def _answer(self, body, payload):
        # The device replies after its work: during a flash write the line must be quiet.
        if self.only_updates and (len(payload) < 5 or payload[4] not in m.UPDATES):
            reply = payload[:4] + struct.pack("<BII", m.ERROR["wrong-table"], m.VERSION, 0)
        else:
            reply = self.device.obey(payload)
        self.last_frame = body
        self.last_reply = self._seal(m.REPLY, reply)
        self.host.look_ahead(self.heard + 1)
        self.own.look_ahead(self.said + 1)

    def _seal(self, kind, payload):
        self.said += 1
        frame, body = room(HEAD + len(payload) + TAG)
        body[0] = kind
        self.own.seal_into(body, self.said, payload)
        close(frame, body)
        self.send(frame)
        return frame

    def _clear(self, kind, payload):
        frame = encode(struct.pack("<BI", kind, 0) + payload)
        self.send(frame)
        return frame

    def _refuse(self, error, a=0, b=0):
        self._clear(m.REFUSE, struct.pack("<BII", m.ERROR[error], a, b))
