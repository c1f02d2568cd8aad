"""The parts on the pins of a controller: buttons, lamps, and a line to meters and panel.

All displays share one line, at 115200 baud, 8 bits, no parity. It sends to them, each time:

    0xD5   table   amount (four bytes, least first)   crc

Every display of that table shows the amount (0xFFFFFFFF: blank) and then reports it. It also
reports any other change of its amount:

    0xD6   table, plus 0x10 for the control panel   amount   crc

`crc` is CRC-8 (polynomial 0x07, start 0) over table and amount. A frame with a wrong byte is
dropped and counted; the core then misses a reading and reports `display-failed`. After a wrong
frame, the search for the next one starts after its 0xD6, so a stray 0xD6 costs no reading.
"""

import pins
from checksum import crc8
from core.devices.sensors import LAMP, LIGHT, METER, PANEL, TABLES
from machine import Pin

# In the order of core.devices.sensors: the index is the sensor's number.
SENSORS = ("button_1", "button_2", "button_3", "button_4", "", "", "", "", "door", "")
LINE = "display"
TO_DISPLAY = 0xD5
FROM_DISPLAY = 0xD6
OF_PANEL = 0x10
_SIZE = 6  # table, amount, crc


def reader(edges):
    return Displays(edges)


def motors(spec, now):
    made = Lamps(pins.outputs(spec.PINS))
    for guard in pins.guards(spec.PINS):
        guard.irq(made.cut, Pin.IRQ_RISING, hard=True)
    return made


class Displays:
    def __init__(self, edges):
        self.edges = edges
        self.frame = bytearray(_SIZE)
        self.filled = -1  # bytes of a frame so far; -1 before its first
        self.kept = []  # readings not reported yet: (sensor, bytes of the amount)
        self.dropped = 0

    def frame_to(self, table, amount):
        body = bytes((table,)) + amount.to_bytes(4, "little")
        return bytes((TO_DISPLAY,)) + body + bytes((crc8(body, len(body)),))

    def feed(self, byte):
        """Take one byte of the line."""
        if self.filled >= 0:
            self.frame[self.filled] = byte
            self.filled += 1
            if self.filled == _SIZE and not self._whole():
                self._find_start()
        elif byte == FROM_DISPLAY:
            self.filled = 0

    def forget(self):
        """Drop an incomplete frame."""
        if self.filled >= 0:
            self.filled = -1
            self.dropped += 1

    def report_all(self, time):
        """Report all readings, as of `time`."""
        while self.kept:
            sensor, amount = self.kept.pop(0)
            for byte in amount:
                self.edges.push(time, sensor, byte)

    def report(self, time):
        """Do nothing: only a card reader reports at the end of a passage."""

    def _whole(self):
        """Store the reading of a valid frame; return whether it is one."""
        frame = self.frame
        table = frame[0] & 0x0F
        if crc8(frame, _SIZE - 1) != frame[-1] or not 1 <= table <= TABLES:
            return False
        first = PANEL if frame[0] & OF_PANEL else METER
        self.kept.append((first + table - 1, bytes(frame[1:5])))
        self.filled = -1
        return True

    def _find_start(self):
        """Drop a wrong frame, up to the next FROM_DISPLAY in it."""
        self.dropped += 1
        self.filled = -1
        for byte in bytes(self.frame):
            self.feed(byte)


class Lamps:
    """The lamps in the buttons, and the two lights of the cabinet."""

    def __init__(self, outputs):
        self.lamps = [outputs.get("lamp_" + str(table)) for table in range(1, TABLES + 1)]
        self.ready = outputs["light_ready"]
        self.trouble = outputs["light_fault"]

    def drive(self, actuator, value):
        if actuator == LIGHT:
            self.ready.value(value & 1)
            self.trouble.value(value >> 1)
        elif LAMP <= actuator < LAMP + TABLES and self.lamps[actuator - LAMP] is not None:
            self.lamps[actuator - LAMP].value(value)

    def report(self, edges):
        """Do nothing: this machine has no turns."""

    def rest(self):
        """Do nothing: this machine has no current to switch off."""

    def cut(self, guard=None):
        """Switch all button lamps off, because the cabinet was opened. Allocates no memory."""
        for lamp in self.lamps:
            if lamp is not None:
                lamp.value(0)
