"""A device with a changed image: it only reports the fault and accepts a new image.

It uses no motor, no random source and no card.
"""

import struct

from ..schema import messages as m
from ..storage import state as st
from ..link.sessions import Link
from ..module_loading import forget, load_update

IDLE_STEP = 4000  # the watchdog must be fed at least this often
_ANSWERED = ("status", "acknowledge", "resend")


class Sealed:
    busy = False
    job = None

    def __init__(self, spec, board, detail, name):
        from ..image import identity

        self.spec = spec
        self.board = board
        self.detail = detail
        self.changed = name  # the file that differs from the signed image
        self.update = None
        self.ended = False
        self.state = st.State(board.root, 0, board.flash)
        self.state.of_any_machine = True
        try:
            if spec.KIND != "controller":  # a controller has no cards, and another record
                self.state.load()
        except st.StateLost:
            pass  # then the number of cards inside is also unknown
        key, self.firmware = identity.key_and_version(board.root)
        self.link = Link(self, board.send, key)
        forget("image.identity", "image.refused")

    def step(self, now):
        if self.link.untidy:
            self.link.tidy()
        return 0 if self.link.go_on() else IDLE_STEP

    def receive(self, data):
        self.link.receive(data)

    def may_write(self):
        return True

    def inside(self):
        return self.state.get(st.PACK) - self.state.get(st.OUTSIDE)

    def provisioned(self, key):
        raise st.StorageFull("sealed")  # it accepts no key, because changed code could misuse it

    def session_began(self, entropy):
        self._send_after(0)

    def obey(self, payload):
        identity = op = 0
        refusal = ("in-fault", m.FAULT["image-changed"], self.detail)
        try:
            identity, op, _ = m.unpack_command(payload)
            row = m.COMMANDS.get(op)
            if row is not None:
                result = self._answer(op, row, m.unpack(row[2], payload, m.ARGUMENTS))
                if result is not None and result[:1] != ("refused",):
                    return m.pack_reply(identity, m.layout(row[3]), result)
                refusal = result[1:] if result else refusal
        except ValueError:
            refusal = ("malformed", op, 0)
        return struct.pack("<IBII", identity, m.ERROR[refusal[0]], refusal[1], refusal[2])

    def _answer(self, op, row, arguments):
        """Return the result, ("refused", error, a, b), or None for an unsupported command."""
        if op in m.UPDATES:
            return load_update(self.board.breathe).obey(self, row[0], arguments)
        if self.spec.KIND not in row[1] or row[0] not in _ANSWERED:
            return None
        if row[0] == "status":
            return self._status(row[3])
        if row[0] == "resend":
            self._send_after(arguments["after"])
        return ()

    def _status(self, fields):
        known = {
            "mode": m.MODES.index("fault"),
            "fault": m.FAULT["image-changed"],
            "detail": self.detail,
            "pack": self.state.get(st.PACK),
            "inside": self.inside(),
            "outside": self.state.get(st.OUTSIDE),
            "last_event": self.state.get(st.LAST_EVENT),
            "last_command": self.state.get(st.LAST_COMMAND),
            "boots": self.state.get(st.BOOTS),
        }
        return [known.get(name, 0) for name, _ in m.fields(fields)]

    def _send_after(self, last):
        number = self.state.get(st.LAST_EVENT) - len(self.state.events)
        for payload in self.state.events:
            number += 1
            if number > last:
                self.link.push_event(number, payload)
