"""A controller's pins: the line to meters and panel, byte by byte, and the lamps."""

import sys


class Machine:
    class Pin:
        pass


sys.modules["machine"] = Machine

from board_doubles import Pin
from checksum import crc8
from core.devices.sensors import LAMP, LIGHT, METER, PANEL, Edges
from panel_wiring import FROM_DISPLAY, OF_PANEL, TO_DISPLAY, Displays, Lamps


def said(table, amount, of_panel=0):
    body = bytes((table | of_panel,)) + amount.to_bytes(4, "little")
    return bytes((FROM_DISPLAY,)) + body + bytes((crc8(body, 5),))


def heard(line):
    """Return (sensor, amount) of each reading that reached the core."""
    edges = Edges()
    displays = Displays(edges)
    for byte in line:
        displays.feed(byte)
    displays.report_all(77)
    found = []
    while True:
        edge = edges.pop()
        if edge is None:
            return found, displays.dropped
        time, sensor, value = edge
        amount = [value] + [edges.pop()[2] for _ in range(3)]
        assert time == 77
        found.append((sensor, int.from_bytes(bytes(amount), "little")))


def test_a_reading_reaches_the_core_as_four_bytes():
    assert heard(said(1, 1000)) == ([(METER, 1000)], 0)
    assert heard(said(4, 250000, OF_PANEL)) == ([(PANEL + 3, 250000)], 0)
    both = said(2, 5) + b"\x00\x11" + said(2, 5, OF_PANEL)
    assert heard(both) == ([(METER + 1, 5), (PANEL + 1, 5)], 0)


def test_an_invalid_frame_is_dropped_and_counted():
    frame = bytearray(said(1, 1000))
    frame[3] ^= 1
    assert heard(frame) == ([], 1)
    assert heard(bytes(frame) + said(1, 1000)) == ([(METER, 1000)], 1)
    assert heard(said(5, 1)) == ([], 1)
    assert heard(said(0, 1)) == ([], 1)


def test_stray_start_and_any_part_of_a_frame_cost_no_reading():
    frame = said(2, 500)
    for size in range(1, len(frame)):
        readings, dropped = heard(frame[:size] + frame + frame)
        assert readings == heard(frame + frame)[0]
        assert dropped == 1


def test_incomplete_frame_of_a_display_is_forgotten_on_demand():
    displays = Displays(Edges())
    for byte in said(2, 500)[:4]:
        displays.feed(byte)
    displays.forget()
    assert (displays.filled, displays.dropped) == (-1, 1)
    displays.forget()
    assert displays.dropped == 1


def test_every_changed_bit_of_a_frame_is_found():
    whole = said(3, 1234)
    for at in range(1, len(whole)):
        for bit in range(8):
            frame = bytearray(whole)
            frame[at] ^= 1 << bit
            assert heard(frame)[0] == []


def test_an_amount_is_sent_with_its_checksum():
    frame = Displays(Edges()).frame_to(3, 0xFFFFFFFF)
    assert frame[:6] == bytes((TO_DISPLAY, 3, 255, 255, 255, 255))
    assert frame[6] == crc8(frame[1:6], 5)


def test_an_open_cabinet_switches_lamps_and_lights_off():
    outputs = {name: Pin() for name in ("lamp_1", "lamp_2", "light_ready", "light_fault")}
    lamps = Lamps(outputs)
    lamps.drive(LAMP, 1)
    lamps.drive(LAMP + 1, 1)
    lamps.drive(LAMP + 3, 1)  # a machine with two tables has no such lamp
    lamps.drive(LIGHT, 1)
    levels = [outputs[name].level for name in ("lamp_1", "lamp_2", "light_ready", "light_fault")]
    assert levels == [1, 1, 1, 0]
    lamps.cut()
    assert [outputs[name].level for name in ("lamp_1", "lamp_2")] == [0, 0]
    lamps.drive(LIGHT, 2)
    assert (outputs["light_ready"].level, outputs["light_fault"].level) == (0, 1)
