"""An entire board, loaded after stand-ins for MicroPython's own modules were installed."""

import binascii  # noqa: F401  (loaded here, as main.py leaves CPython no path to load it from)
import gc
import sys
from array import array

from board_doubles import Pin, Registers, under_locked_heap
from doubles import raised

WIRING = {
    "link_tx": 0,
    "link_rx": 1,
    "turn_step": 2,
    "turn_direction": 3,
    "reader_tx": 4,
    "reader_rx": 5,
    "feed": 6,
    "eject": 7,
    "gate": 8,
    "light_ready": 9,
    "light_fault": 10,
    "tray": 11,
    "entry": 12,
    "home": 13,
    "exit": 14,
    "chute": 15,
    "mouth": 16,
    "face": 17,
    "cut": 18,
    "door": 19,
    "stall": 20,
    "turn_enable": 21,
}
OUTPUTS = (2, 3, 6, 7, 8, 9, 10, 21)


class Spec:
    KIND = "shuffler"
    PINS = WIRING
    LINK = "usb"
    CONSOLE = "locked"
    NOISE_MICROSECONDS = 10
    STEPS_BIN = 16
    TURN_BIN = 12
    LEGS = ()


class World:
    """Pins, clock and registers of one board; every stand-in below uses the latest one."""

    def __init__(self):
        self.pins = {}
        self.now = 5000
        self.samples = 0  # taken by the sampler
        self.reset = 0
        self.fed = 0
        self.watchdogs = []
        self.interrupts = []
        self.registers = Registers()
        self.keyboard = []
        self.mounted = []
        self.words = None

    def pin(self, gpio):
        if gpio not in self.pins:
            self.pins[gpio] = Pin()
        return self.pins[gpio]

    def sample(self, milliseconds=1):
        """Let time pass like the hardware: write a word a millisecond to the ring."""
        for _ in range(milliseconds):
            word = 0
            for gpio in self.pins:
                if gpio < 29 and self.pins[gpio].level:
                    word |= 1 << gpio
            self.words[self.samples % 1024] = word
            self.samples += 1
            self.now += 1


world = World()


class MachinePin:
    IN, OUT, PULL_UP, IRQ_RISING = 0, 1, 1, 8

    def __init__(self, gpio, mode=None, pull=None, value=None):
        self.gpio = gpio
        self.pin = world.pin(gpio)
        if value is not None:
            self.pin.value(value)

    def value(self, level=None):
        return self.pin.value() if level is None else self.pin.value(level)

    def irq(self, handler, trigger, hard=False):
        world.interrupts.append((self.gpio, handler, hard))


class Uart:
    def __init__(self, number, baud, tx, rx, txbuf, rxbuf):
        self.line = bytearray()
        self.written = b""

    def write(self, data):
        self.written += data

    def any(self):
        return len(self.line)

    def read(self, count):
        data = bytes(self.line[:count])
        self.line = self.line[count:]
        return data

    def readinto(self, buf):
        buf[:] = self.read(len(buf))


class Watchdog:
    def __init__(self, timeout):
        world.watchdogs.append(timeout)

    def feed(self):
        world.fed += 1


class Machine:
    __name__ = "machine"
    Pin = MachinePin
    UART = Uart
    WDT = Watchdog
    WDT_RESET = 3

    @property
    def mem32(self):
        return world.registers

    def unique_id(self):
        return b"\xe6\x61\x38\x52\x83\x12\x34\x56"

    def reset_cause(self):
        return 1

    def freq(self):
        return 125000000

    def disable_irq(self):
        return 1

    def enable_irq(self, state):
        pass

    def reset(self):
        world.reset += 1


class StateMachine:
    def __init__(self, number, program, freq, in_base=None, set_base=None, jmp_pin=None):
        self.number = number

    def active(self, value):
        pass

    def put(self, word):
        pass

    def irq(self, handler, hard=False):
        world.interrupts.append((self.number, handler, hard))


class Dma:
    """On a board two channels alternate; the model counts samples instead."""

    count = 0

    def __init__(self):
        self.channel = Dma.count
        Dma.count += 1

    def pack_ctrl(self, **fields):
        assert fields["chain_to"] != self.channel
        return fields

    def config(self, read, write, count, ctrl, trigger):
        assert count << 2 == 1 << ctrl["ring_size"]
        assert write % (4 * count) == 0
        self.base = write

    def active(self):
        return self.channel % 2 == world.samples // 1024 % 2

    @property
    def write(self):
        return self.base + world.samples % 1024 * 4


class Pio:
    OUT_LOW, SHIFT_LEFT, SHIFT_RIGHT, JOIN_TX, JOIN_RX = range(5)


class Rp2:
    PIO = Pio
    StateMachine = StateMachine

    @staticmethod
    def asm_pio(**settings):
        return lambda program: program

    Flash = object

    @staticmethod
    def DMA():  # noqa: N802
        Dma.count %= 2
        return Dma()


class Uctypes:
    @staticmethod
    def addressof(words):
        # An arbitrary alignment of memory: 16 bytes off, so the ring begins at word 1020.
        world.words = Shifted(words, 1020)
        return 0x20001010


class Shifted:
    def __init__(self, words, first):
        self.words = words
        self.first = first

    def __setitem__(self, at, word):
        self.words[self.first + at] = word


class Time:
    @staticmethod
    def ticks_ms():
        return world.now

    @staticmethod
    def sleep_ms(milliseconds):
        world.sample(milliseconds)

    @staticmethod
    def sleep_us(microseconds):
        pass


class Select:
    POLLIN, POLLOUT = 1, 4

    class poll:  # noqa: N801
        def register(self, stream, events):
            self.stream = stream

        def poll(self, milliseconds=0):
            world.sample(milliseconds)
            return []

        ipoll = poll


class Vfs:
    """Records each remount of the file system, with its options."""

    @staticmethod
    def VfsLfs2(flash, **settings):  # noqa: N802
        return settings

    @staticmethod
    def umount(where):
        world.mounted.append(where)

    @staticmethod
    def mount(files, where):
        world.mounted.append((files, where))


class Micropython:
    @staticmethod
    def kbd_intr(code):
        world.keyboard.append(code)

    @staticmethod
    def alloc_emergency_exception_buf(size):
        pass


class Oscillator:
    look = None


def stand_in():
    """Replace MicroPython's own modules for later imports. Collect garbage often while loading, as
    at a start with little memory."""
    if hasattr(gc, "threshold"):  # MicroPython
        gc.threshold(32768)
    else:
        gc.mem_free = lambda: 1 << 20
    for name, module in (
        ("machine", Machine()),
        ("rp2", Rp2),
        ("uctypes", Uctypes),
        ("time", Time),
        ("select", Select),
        ("vfs", Vfs),
        ("oscillator", Oscillator),
    ):
        sys.modules[name] = module
    import restart

    restart.chip = lambda: "Raspberry Pi Pico with RP2040"


def board(spec=Spec, watched=True):
    stand_in()
    import board as module

    return module.Board(spec, Watchdog(1) if watched else None)


def handler(source):
    for number, function, hard in world.interrupts:
        if number == source:
            assert hard
            return function
    raise AssertionError("no interrupt of " + str(source))


class Link:
    def __init__(self):
        self.heard = 0


class Device:
    link = Link()

    def receive(self, data):
        raise AssertionError("nothing was sent")


def test_it_starts_with_everything_off_and_its_own_serial():
    made = board()
    assert made.serial == b"\xe6\x61\x38\x52\x83\x12\x34\x56"
    assert made.cause == 0
    for gpio in OUTPUTS:
        assert world.pins[gpio].level == 0


def test_levels_are_the_pins_of_that_moment():
    made = board()
    world.pin(11).level = 1
    assert made.levels() == b"\x01" + bytes(9)


def test_a_wait_ends_with_the_edge_and_the_edge_has_its_time():
    made = board()
    made.levels()
    world.sample(3)
    world.pin(12).level = 1
    begun = world.now
    made.wait(4000, True, Device())
    assert world.now < begun + 10
    assert made.edges.pop() == (begun + 1, 1, 1)


def test_a_wait_without_an_edge_ends_in_time():
    made = board()
    made.levels()
    begun = world.now
    made.wait(250, True, Device())
    assert 250 <= world.now - begun < 255


def test_the_watchdog_is_fed_while_samples_come():
    made = board()
    made.levels()
    for _ in range(100):
        made.wait(50, False, Device())
        made.feed_watchdog()
    assert world.fed == 100


def test_a_dead_sampler_starves_the_watchdog_and_stops_the_motors():
    made = board()
    made.levels()
    made.drive(0, 1)
    assert world.pins[6].level == 1
    for _ in range(20):
        world.now += 4
        made._look()
    made.feed_watchdog()
    assert world.fed == 0
    assert world.pins[6].level == 0


def test_lost_samples_stop_the_motors_and_are_reported_to_the_core():
    made = board()
    made.levels()
    made.drive(0, 1)
    world.sample(1500)
    made._look()
    made.feed_watchdog()
    assert made.edges.unseen == 1
    assert world.pins[6].level == 0
    assert world.fed == 1


def test_edges_without_room_starve_the_watchdog():
    made = board()
    made.levels()
    made.edges.lost = 1
    made.feed_watchdog()
    assert world.fed == 0


def test_a_door_that_opens_stops_the_feed_under_a_locked_heap():
    made = board()
    made.drive(0, 1)
    assert world.pins[6].level == 1
    for guard in (19, 20):
        made.drive(0, 1)
        under_locked_heap(handler(guard), MachinePin(guard))
        assert world.pins[6].level == 0


def test_a_turn_is_reported_through_its_interrupt():
    made = board()
    made.levels()
    made.drive(1, 7)
    under_locked_heap(handler(1), StateMachine(1, None, 0))
    made.wait(1000, True, Device())
    assert made.edges.pop()[1:] == (10, 7)


def test_sensor_edges_of_a_turn_are_reported_before_its_end():
    """A turn by one of 416 slots takes four milliseconds, and ends before the next read."""
    made = board()
    world.pin(13).level = 1
    made.levels()
    made.drive(1, 1)
    world.pin(13).level = 0
    world.sample(4)
    under_locked_heap(handler(1), StateMachine(1, None, 0))
    made.wait(1000, True, Device())
    assert made.edges.pop()[1:] == (2, 0)
    assert made.edges.pop()[1:] == (10, 1)


def test_a_card_that_passed_while_a_block_was_erased_has_its_face_before_its_end():
    made = board()
    made.levels()
    import flash

    world.pin(16).level = 1
    world.sample(60)
    made.reader_line.line.extend(b"\xca\x01\x0b\x24")
    world.pin(16).level = 0
    world.sample(60)
    flash.Flash.look()
    assert [made.edges.pop()[1:] for _ in range(3)] == [(5, 1), (11, 11), (5, 0)]


def test_a_card_that_the_reader_saw_comes_within_its_passage():
    made = board()
    made.levels()
    world.pin(16).level = 1
    world.sample(60)
    made.reader_line.line.extend(b"\xca\x01\x0b\x24")
    made.wait(1000, True, Device())
    assert made.edges.pop()[1:] == (5, 1)
    assert made.edges.pop()[1:] == (11, 11)


def test_new_command_shows_that_the_host_has_read_all_before_it():
    class Answers:
        link = Link()

        def receive(self, data):
            made.cable.unread += 50
            if data == b"new":
                self.link.heard += 1

    made = board()
    made.levels()
    made.cable.unread = 100
    for data, unread in ((b"hello", 150), (b"new", 50), (b"again", 100)):
        made.cable.read = lambda data=data: data
        made.wait(1000, True, Answers())
        assert made.cable.unread == unread


def test_part_of_a_readers_frame_is_forgotten_after_a_pause():
    made = board()
    made.levels()
    for pause, left in ((4, 1), (1, 1), (1, -1)):  # milliseconds, and bytes that remain
        if not world.pin(16).level:
            world.pin(16).level = 1
            made.reader_line.line.extend(b"\xca\x01")
            made.breathe()
        world.sample(pause)
        made.breathe()
        assert made.reader.filled == left
    assert made.reader.dropped == 1


def test_frame_that_arrives_in_two_parts_is_read():
    made = board()
    made.levels()
    for part in (b"\xca\x01", b"\x0b\x24"):
        world.sample(30)  # without a read
        made.reader_line.line.extend(part)
        made.breathe()
    assert made.edges.pop()[1:] == (11, 11)


def test_reader_is_read_after_a_reply_before_its_frames_are_late():
    class Answering:
        link = Link()

        def receive(self, data):
            world.sample(60)
            made.reader_line.line.extend(b"\xca\x01\x0b\x24")

    made = board()
    made.levels()
    world.pin(16).level = 1
    made.cable.read = lambda: b"a frame"
    made.wait(1000, True, Answering())
    assert made.edges.pop()[1:] == (5, 1)
    assert made.edges.pop()[1:] == (11, 11)


def test_a_long_computation_reads_the_reader_at_each_breath():
    made = board()
    made.levels()
    world.pin(16).level = 1
    world.sample(60)
    made.reader_line.line.extend(b"\xca\x01\x0b\x24")
    made.breathe()
    assert made.edges.pop()[1:] == (5, 1)
    assert made.edges.pop()[1:] == (11, 11)


def collections(made, pauses, free=0, busy=False, silent=True):
    """Return the number of garbage collections during a host's requests and pauses."""
    import board as module

    class Collector:
        count = 0

        @staticmethod
        def collect():
            Collector.count += 1

        @staticmethod
        def mem_free():
            return free

    class Answering:
        link = Link()

        def receive(self, data):
            assert data == b"a frame"
            world.sample(10)

    said = [b"", b"", b"a frame"]

    def read():
        said.append(said.pop(0))
        return said[-1]

    made.levels()
    made.cable.read = read
    made.cable.wait = lambda milliseconds: silent
    module.gc = Collector
    try:
        for _ in range(pauses):
            made.wait(1000, busy, Answering())
    finally:
        module.gc = gc
    return Collector.count


def test_garbage_is_collected_in_a_pause_of_the_host_if_memory_is_short():
    made = board()
    assert collections(made, 16) == 0  # the free memory was measured in the last pause
    assert collections(made, 1) == 1
    assert collections(made, 34) == 2


def test_no_garbage_is_collected_while_there_is_room():
    assert collections(board(), 50, free=41000) == 0


def test_a_host_that_never_pauses_does_not_wait_for_garbage_to_be_collected():
    assert collections(board(), 50, silent=False) == 0


def test_garbage_is_not_collected_during_a_movement():
    assert collections(board(), 50, busy=True) == 0


def test_an_open_console_has_no_watchdog():
    class Open(Spec):
        LINK = "uart"
        CONSOLE = "open"

    made = board(Open, watched=False)
    made.levels()
    made.feed_watchdog()
    world.watchdogs.clear()
    run(Open, locked=False)
    assert world.watchdogs == []


def test_watchdog_runs_before_the_board_is_built():
    """So it also resets a board that hangs during construction."""
    found = []

    class Parts:
        @staticmethod
        def Board(spec, watchdog):  # noqa: N802
            found.extend((watchdog, list(world.watchdogs)))
            raise Crash

    stand_in()
    sys.modules["micropython"] = Micropython
    sys.modules["machine_spec"] = Spec
    sys.modules["board"] = Parts
    import running

    world.watchdogs.clear()
    raised(Crash, running.run, (True, 0, ""), lambda: None)
    del sys.modules["board"]
    assert isinstance(found[0], Watchdog)
    assert found[1] == [running.WATCHDOG] == [8388]


class Crash(Exception):
    pass


def run(spec, locked=True):
    """Run an image after its check, on a device that crashes with a motor on."""
    stand_in()
    import board  # noqa: F401  (its ring wants memory in one piece, and it is compiled here)

    gc.collect()

    class App:
        @staticmethod
        def build(spec, made):
            made.drive(0, 1)
            assert world.pins[6].level == 1
            raise Crash

        run = None

    sys.modules["core.app"] = App
    sys.modules["micropython"] = Micropython
    sys.modules["machine_spec"] = spec
    world.keyboard.clear()
    for gpio in OUTPUTS:
        world.pin(gpio).level = 1
    import running

    try:
        running.run((locked, 0, ""), lambda: None)
    except Crash:
        return
    raise AssertionError("it did not crash")


def test_a_crash_stops_the_motors_and_is_noted_before_the_reset():
    run(Spec)
    assert world.pins[6].level == 0
    assert world.registers[0x4005800C] == 0xCA4D


def test_the_file_system_does_not_note_when_a_card_was_drawn():
    world.mounted.clear()
    run(Spec)
    assert world.mounted == ["/", ({"progsize": 256, "lookahead": 48, "mtime": False}, "/")]


def test_every_output_is_made_safe_before_anything_else_is_loaded():
    class Broken:
        PINS = WIRING

    raised(AttributeError, run, Broken)
    for gpio in OUTPUTS:
        assert world.pins[gpio].level == 0
    assert world.keyboard == []


def test_an_open_console_gets_the_crash_and_its_interrupt_key():
    class Open(Spec):
        LINK = "uart"
        CONSOLE = "open"

    run(Open, locked=False)
    assert world.pins[6].level == 0
    assert world.registers[0x4005800C] == 0
    assert world.keyboard == [3]


def test_a_sealed_board_drives_no_output():
    board()
    world.pins.clear()
    from answering import Answering

    heard = []

    class Device:
        receive = heard.append

    made = Answering(Spec, Watchdog(1))
    made.wait(20, False, Device)
    made.feed_watchdog()
    assert heard == [b""]
    assert world.pins == {}
    assert world.fed == 1


def test_without_an_image_main_resets_and_opens_nothing():
    board()
    sys.modules["micropython"] = Micropython
    if not hasattr(gc, "threshold"):  # CPython
        gc.threshold = lambda size: None
    for script in ("start/boot.py", "start/main.py"):
        with open(script) as file:
            exec(file.read(), {"__name__": "__main__"})
    assert world.reset == 1
    assert world.keyboard == [-1, -1]
    assert "" not in sys.path


def test_the_ring_is_at_the_address_of_the_hardware():
    made = board()
    assert isinstance(made.sampler.words, array)
    assert made.sampler.base % 4096 == 0
    assert made.sampler.first == 1020


# A controller


PANEL_WIRING = {
    "link_tx": 0,
    "link_rx": 1,
    "display_tx": 4,
    "display_rx": 5,
    "light_ready": 9,
    "light_fault": 10,
    "button_1": 11,
    "button_2": 12,
    "lamp_1": 16,
    "lamp_2": 17,
    "door": 20,
}


class PanelSpec:
    KIND = "controller"
    PINS = PANEL_WIRING
    LINK = "usb"
    CONSOLE = "locked"
    NOISE_MICROSECONDS = 10


def test_a_controllers_button_is_an_edge_and_its_lamp_a_pin():
    made = board(PanelSpec)
    made.levels()
    world.sample(3)
    world.pin(12).level = 1
    begun = world.now
    made.wait(4000, True, Device())
    assert made.edges.pop() == (begun + 1, 1, 1)
    made.drive(8, 1)
    assert world.pins[16].level == 1
    handler(20)()
    assert world.pins[16].level == 0


def test_controller_sends_amounts_to_displays_and_receives_readings():
    made = board(PanelSpec)
    made.levels()
    made.show(2, 1000)
    body = bytes((2, 0xE8, 3, 0, 0))
    from checksum import crc8

    body += bytes((crc8(body, 5),))
    assert made.reader_line.written == b"\xd5" + body
    made.reader_line.line.extend(b"\xd6" + body)
    made.wait(100, True, Device())
    assert [made.edges.pop()[1:] for _ in range(4)] == [(17, 0xE8), (17, 3), (17, 0), (17, 0)]


def test_a_long_computation_drains_the_samples_and_feeds_the_watchdog():
    made = board(PanelSpec)
    made.levels()
    fed = world.fed
    for _ in range(60):
        world.sample(40)
        made.breathe()
    assert world.fed == fed + 60
    assert made.edges.lost == 0
