"""The device's end of the wire: who may speak, and which frame counts.

One host at a time holds a session. A frame is believed when its tag holds and its
counter is the next one. The very same frame again gets the very same reply, and
nothing is done twice; anything older is refused.
"""

import struct

from . import messages as m
from .crypto import Session, equal, proof, transcript
from .frame import Splitter, encode
from .health import NoiseFailure
from .state import StorageFull
from .sweep import sweep

_CLEAR_HEAD = 5  # kind and a counter of nought


class Link:
    def __init__(self, device, send, key):
        self.device = device
        self.send = send
        self.key = key
        self.splitter = Splitter()
        self.offer = None  # payloads of the last hello and welcome, until auth comes
        self.host = None  # session of each direction
        self.own = None
        self.only_updates = False  # the host knows another table of messages, perhaps
        self.heard = 0  # counters of the last frame, either way
        self.said = 0
        self.last_frame = b""
        self.last_reply = b""
        self.forged = 0
        self.replayed = 0
        self.malformed = 0
        self.untidy = False  # a secret was heard or replaced, and copies of it lie about

    def tidy(self):
        """To be called when nothing that was heard is in anybody's hands any more."""
        self.untidy = False
        self.splitter.wipe()
        sweep()

    def receive(self, data):
        for body in self.splitter.feed(data):
            self._frame(body)

    def push_event(self, number, payload):
        if self.own is not None:
            self._seal(m.EVENT, struct.pack("<I", number) + payload)

    def _frame(self, body):
        kind = body[0]
        if kind == m.COMMAND:
            self._command(body)
        elif len(body) < _CLEAR_HEAD or kind not in (m.HELLO, m.AUTH, m.PROVISION):
            self.malformed += 1
        else:
            payload = body[_CLEAR_HEAD:]
            try:
                fields = m.unpack(m.FRAMES[kind][1], payload)
            except ValueError:
                self.malformed += 1
                return self._refuse("malformed", kind)
            if kind == m.HELLO:
                self._hello(payload, fields)
            elif kind == m.AUTH:
                self._auth(fields)
            else:
                self._provision(fields)

    def _hello(self, payload, fields):
        own = m.fingerprint()
        if fields["version"] != m.VERSION or fields["table"] not in (own, m.ANY_TABLE):
            return self._refuse("wrong-table", m.VERSION)
        welcome = m.pack(
            m.FRAMES[m.WELCOME][1],
            (
                m.VERSION,
                own,
                self.device.nonce(),
                m.KINDS.index(self.device.spec.KIND),
                1 if self.key else 0,
                self.device.board.serial,
                self.device.firmware,
                self.device.spec.NAME.encode(),
            ),
        )
        self.offer = (payload, welcome)
        self._clear(m.WELCOME, welcome)

    def _auth(self, fields):
        if not self.key:
            return self._refuse("not-provisioned")
        if self.offer is None:
            return self._refuse("no-session")
        said = transcript(self.offer[0], self.offer[1], fields["entropy"])
        self.only_updates = self.offer[0][1:9] == m.ANY_TABLE
        self.offer = None
        if not equal(proof(self.key, b"host", said), fields["proof"]):
            self.forged += 1
            return self._refuse("wrong-proof")
        for over in (self.host, self.own):
            if over is not None:
                over.wipe()
        self.host = Session(self.key, said, b"host")
        self.own = Session(self.key, said, b"device")
        self.heard = self.said = 0
        self.last_frame = self.last_reply = b""
        self._clear(m.ACCEPT, proof(self.key, b"device", said))
        self.device.session_began(fields["entropy"])
        self.untidy = True

    def _provision(self, fields):
        if self.key:
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
            return self._refuse("no-session")
        if body == self.last_frame:
            return self.send(self.last_reply)
        opened = self.host.unseal(body)
        if opened is None:
            self.forged += 1
            return None
        _, counter, payload = opened
        if counter != self.heard + 1:
            self.replayed += 1
            return self._refuse("old-frame", self.heard)
        self.heard = counter
        # The device answers in its own time: while it writes to flash the line must be quiet.
        if self.only_updates and (len(payload) < 5 or payload[4] not in m.UPDATES):
            reply = payload[:4] + struct.pack("<BII", m.ERROR["wrong-table"], m.VERSION, 0)
        else:
            reply = self.device.obey(payload)
        self.last_frame = body
        self.last_reply = self._seal(m.REPLY, reply)
        return None

    def _seal(self, kind, payload):
        self.said += 1
        frame = encode(self.own.seal(kind, self.said, payload))
        self.send(frame)
        return frame

    def _clear(self, kind, payload):
        self.send(encode(struct.pack("<BI", kind, 0) + payload))

    def _refuse(self, error, a=0, b=0):
        self._clear(m.REFUSE, struct.pack("<BII", m.ERROR[error], a, b))
