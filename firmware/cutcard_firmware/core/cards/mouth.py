"""The mouth: the only exit, and the reader that sees each card as it leaves.

A continuous shuffler has the same mouth as a shoe, and both use this code. One passage is the time
that the sensor is covered without a gap. One card read in it is a card dealt; two are a
simultaneous draw, and their order is known if the reader saw them one after the other.
"""

from ..storage import state as st
from ..devices.sensors import CUT, FACE, MOUTH, READ, TOGETHER, UNREADABLE, since


class Mouth:
    def __init__(self, device):
        self.device = device
        self.covered = False
        self.covered_at = 0
        self.faces = bytearray()
        self.together = False
        self.cutting = False
        self.stuck = False  # covered so long that it was reported as a fault

    def takes(self, sensor):
        return sensor in (MOUTH, FACE, CUT, READ)

    def read(self, value):
        if value == TOGETHER:
            self.together = True
        else:
            self.faces.append(value)
            levels = self.device.levels
            if not levels.raw[MOUTH] and not levels.stable[MOUTH]:
                self._passed()
                self.device.fault("sensor-stuck", MOUTH)

    def changed(self, time, sensor, level):
        if sensor == MOUTH and level:
            self.covered = True
            self.covered_at = time
        elif sensor == MOUTH:
            self._passed()
        elif sensor == CUT and level:
            self.cutting = True
        elif sensor == FACE and level and self.device.state.get(st.PACK):
            self.device.fault("face-up-card")

    def due(self, now):
        """Return the milliseconds until a covered mouth is a fault, or None."""
        if not self.covered:
            return None
        return self.device.spec.MOUTH_CLEAR - since(now, self.covered_at)

    def timeout(self, now):
        left = self.due(now)
        if left is not None and left <= 0:
            self.device.may_have_left(len(self.faces))
            self.device.fault("jam-on-exit" if self.faces else "sensor-stuck", MOUTH)
            # The fault is reported once; a card that was read is counted when it is out.
            self.covered = False
            self.stuck = True

    def _passed(self):
        """Evaluate the passage that has just ended."""
        faces, together, cutting = bytes(self.faces), self.together, self.cutting
        was_stuck = self.stuck
        self.covered = False
        self.faces = bytearray()
        self.together = self.cutting = self.stuck = False
        if cutting:
            self.device.on_cutting_card()
        if not faces and (cutting or was_stuck):
            return
        self.device.on_cards_dealt(faces or bytes((UNREADABLE,)), together)
