"""Valid frames of the reader become READ reports; broken frames are dropped."""

from board_doubles import pending, under_locked_heap
from checksum import crc8
from core.devices.sensors import FOREIGN, READ, TOGETHER, UNREADABLE, Edges
from reader import AT_ONE_MOMENT, START, Reader


def frame(*codes, flags=0):
    body = bytes((len(codes) | flags,)) + bytes(codes)
    return bytes((START,)) + body + bytes((crc8(body, len(body)),))


def read(data):
    reader = Reader(Edges())
    for byte in data:
        reader.feed(byte)
    reader.report_all(500)
    return pending(reader.edges), reader.dropped


def test_a_card_is_one_report():
    assert read(frame(17)) == ([(500, READ, 17)], 0)


def test_a_frame_has_the_documented_bytes():
    # An example for builders of readers: the card of code 11.
    assert frame(11) == b"\xca\x01\x0b\x24"


def test_the_check_is_the_crc_8_of_the_catalogues():
    assert crc8(b"123456789", 9) == 0xF4


def test_cards_one_after_the_other_keep_their_order():
    assert read(frame(3) + frame(4))[0] == [(500, READ, 3), (500, READ, 4)]


def test_cards_seen_together_begin_with_a_mark():
    reports = read(frame(3, 4, flags=AT_ONE_MOMENT))[0]
    assert reports == [(500, READ, TOGETHER), (500, READ, 3), (500, READ, 4)]


def test_foreign_and_unreadable_cards_are_reported():
    assert [value for _, _, value in read(frame(FOREIGN, UNREADABLE))[0]] == [254, 255]


def test_noise_between_frames_is_skipped():
    assert read(b"\x00\xff\x13" + frame(8) + b"\x01")[0] == [(500, READ, 8)]


def test_any_wrong_bit_drops_the_frame():
    good = frame(17, 33)
    for at in range(1, len(good)):
        for bit in range(8):
            broken = bytearray(good)
            broken[at] ^= 1 << bit
            # A frame that seems longer waits for bytes, which the next frames give.
            reports, dropped = read(bytes(broken) + b"\x00" * 10)
            assert reports == []
            assert dropped == 1


def test_after_a_broken_frame_the_next_is_read():
    broken = bytearray(frame(17))
    broken[2] ^= 1
    assert read(bytes(broken) + frame(5)) == ([(500, READ, 5)], 1)


def test_stray_start_before_a_frame_costs_no_card():
    assert read(bytes((START,)) + frame(11)) == ([(500, READ, 11)], 1)


def test_stray_start_and_count_cost_no_card():
    for count in range(1, 9):
        data = bytes((START, count)) + frame(1) + frame(2) + frame(3)
        assert read(data) == ([(500, READ, 1), (500, READ, 2), (500, READ, 3)], 1)


def test_frame_with_a_crc_equal_to_start_is_read_once():
    codes = [code for code in range(52) if frame(code)[-1] == START]
    assert codes
    for code in codes:
        assert read(frame(code) + frame(7)) == ([(500, READ, code), (500, READ, 7)], 0)


def test_wrong_crc_equal_to_start_begins_the_next_frame():
    assert read(frame(17)[:-1] + frame(5)) == ([(500, READ, 5)], 1)


def test_incomplete_frame_is_forgotten_on_demand():
    reader = Reader(Edges())
    for byte in (START, 1):
        reader.feed(byte)
    under_locked_heap(Reader.forget, reader)
    assert (reader.filled, reader.dropped) == (-1, 1)
    reader.forget()
    assert reader.dropped == 1


def test_an_invalid_code_is_dropped():
    for code in (52, 100, TOGETHER):
        assert read(frame(code)) == ([], 1)


def test_a_frame_without_cards_or_with_too_many_is_dropped():
    assert read(bytes((START, 0)))[1] == 1
    assert read(bytes((START, 9)))[1] == 1


def test_frames_are_reported_one_by_one_with_the_given_time():
    reader = Reader(Edges())
    for byte in frame(3, 4, flags=AT_ONE_MOMENT) + frame(5):
        reader.feed(byte)
    reader.report(600)
    assert pending(reader.edges) == [(600, READ, TOGETHER), (600, READ, 3), (600, READ, 4)]
    reader.report(700)
    reader.report(800)
    assert pending(reader.edges) == [(700, READ, 5)]


def test_frames_beyond_the_buffer_are_dropped():
    assert len(read(frame(1) * 40)[0]) == 32
    assert read(frame(1) * 40)[1] == 8


def test_feeding_and_reporting_allocate_nothing():
    reader = Reader(Edges())
    data = frame(3, 4, flags=AT_ONE_MOMENT)
    for at in range(len(data)):
        under_locked_heap(reader.feed, data[at])
    under_locked_heap(reader.report, 500)
    assert len(pending(reader.edges)) == 3
