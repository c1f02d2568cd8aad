"""A controller that draws prizes, in each interpreter: offers, presses, refusals, and a restart."""

import gc
import os
from hashlib import sha256

if hasattr(gc, "threshold"):
    gc.threshold(2048)  # collect the garbage of compiling often, to avoid holes in memory

from core.app import build
from core.devices.sensors import BUTTON, LAMP, LEVELS, METER, PANEL, Edges
from core.jackpot import prize_table
from core.jackpot.draws import COUNTER, DOMAIN, OFFERED, RECORD, SHOWN, Draws, fields
from core.schema import messages as m
from doubles import LAG_CUTOFF, PROPORTION_CUTOFF, REPETITION_CUTOFF, Noise
from folder_flash import FolderFlash

PRIZES = b"1 1000\n10 100\n25 50\n"
# A folder of this run only: another interpreter may run the same test at the same time on the same
# disk. WebAssembly has no getenv; each interpreter has its own file system there.
FOLDER = (os.getenv("SCRATCH") + "/" if hasattr(os, "getenv") else "") + "controller-"

OP = {row[0]: code for code, row in m.COMMANDS.items()}


class Spec:
    KIND = "controller"
    NAME = "controller-4"
    TABLES = 4
    DEBOUNCE, DISPLAY, HELD, CYCLE = 15, 500, 5000, 100
    RCT, APT, LAG, SAMPLES = REPETITION_CUTOFF, PROPORTION_CUTOFF, LAG_CUTOFF, 640


class Board:
    """Displays that show the amounts sent, and confirm them at the next step."""

    serial = b"script01"
    cause = 0

    def __init__(self, root, noise):
        self.root = root
        self.flash = FolderFlash(root)
        self.edges = Edges()
        self.time = 1000
        self.fill = noise.fill
        self.shown = {}
        self.lit = {}
        self.breaths = 0

    def now(self):
        return self.time

    def levels(self):
        return bytes(LEVELS)

    def drive(self, actuator, value):
        self.lit[actuator] = value

    def show(self, table, amount):
        self.shown[table] = amount
        for first in (METER, PANEL):
            for byte in amount.to_bytes(4, "little"):
                self.edges.push(self.time, first + table - 1, byte)

    def send(self, data):
        pass

    def breathe(self):
        self.breaths += 1


def remove(path):
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        try:
            os.remove(path + "/" + name)
        except OSError:
            remove(path + "/" + name)
    os.rmdir(path)


class Bench:
    """A provisioned controller in a folder; commands bypass the link and call `obey`."""

    def __init__(self, name):
        self.root = FOLDER + name
        remove(self.root)
        os.mkdir(self.root)
        self.noise = Noise(name)
        self.start()
        self.device.provisioned(bytes(32))
        self.device.link.key = bytes(32)

    def start(self):
        self.board = Board(self.root, self.noise)
        self.device = build(Spec, self.board)
        self.rest()

    def rest(self):
        for _ in range(4):
            self.board.time += 30
            self.device.step(self.board.time)

    def command(self, name, *arguments):
        """Return the error's name, or ok."""
        identity = self.device.cmd_status()[9] + 1
        head = identity.to_bytes(4, "little") + bytes((OP[name],)) + b"\xff\xff\xff\x7f"
        reply = self.device.obey(head + m.pack(m.COMMANDS[OP[name]][2], arguments))
        self.rest()
        return m.ERRORS[reply[4]].split()[0]

    def finger(self, table):
        for level in (1, 0):
            self.board.edges.push(self.board.time, BUTTON + table - 1, level)
            self.rest()

    def draws(self):
        return self.device.state.draws

    def end(self):
        self.device.state._record.close()
        remove(self.root)


def test_a_press_draws_the_offered_prize_and_its_record_is_verifiable():
    bench = Bench("finger")
    device = bench.device
    assert bench.command("prizes", 2, PRIZES) == "ok"
    assert bench.command("button", 2, 7, 3, 0, 0, 500) == "ok"
    assert bench.board.lit[LAMP + 1] == 1
    assert bench.board.shown[2] == m.BLANK
    bench.finger(2)
    [draw] = bench.draws()
    said = fields(draw)
    assert (said["table"], said["round"], said["box"], said["wager"]) == (2, 7, 3, 500)
    assert said["amount"] == prize_table.amount(PRIZES, said["prize"]) == bench.board.shown[2]
    assert said["digest"] == sha256(PRIZES).digest()
    public = device.cmd_signer()[0]
    from core.crypto.ed25519 import verify

    assert verify(public, DOMAIN + draw[:RECORD], draw[RECORD:])
    assert not verify(public, DOMAIN + draw[: RECORD - 1] + b"\xff", draw[RECORD:])
    assert bench.board.lit[LAMP + 1] == 0
    assert bench.board.breaths >= 64
    bench.end()


def test_a_restart_loads_the_drawn_prize_and_shows_it():
    bench = Bench("start")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    assert bench.command("press", 1, 1, 1, 0, 0, 100) == "ok"
    kept, shown = bench.draws()[:], bench.board.shown[1]
    bench.start()
    assert bench.draws() == kept
    assert bench.board.shown[1] == shown
    assert bench.command("press", 1, 1, 1, 0, 0, 100) == "ok"
    assert bench.draws() == kept
    assert bench.device.state.get(COUNTER) == 1
    bench.end()


class LongDraws(Board):
    """As on a board, a draw takes some time, and a display's answer is read at the next step."""

    def __init__(self, root, noise):
        super().__init__(root, noise)
        self.unheard = Edges()

    def breathe(self):
        self.time += 10

    def show(self, table, amount):
        heard, self.edges = self.edges, self.unheard
        super().show(table, amount)
        self.edges = heard

    def look(self):
        while True:
            said = self.unheard.pop()
            if said is None:
                return
            self.edges.push(*said)


def test_a_display_that_answers_during_a_draw_of_another_table_has_not_failed():
    bench = Bench("meanwhile")
    for table in (1, 2):
        assert bench.command("prizes", table, PRIZES) == "ok"
        assert bench.command("button", table, 1, 1, 0, 0, 500) == "ok"
    quick, device = bench.board, bench.device
    slow = LongDraws(bench.root, bench.noise)
    slow.time, slow.edges = quick.time, device.edges
    bench.board = device.board = slow
    for table in (1, 2):  # two presses at the same time
        slow.edges.push(slow.time, BUTTON + table - 1, 1)
    began = slow.time
    slow.time += 30
    device.step(slow.time)
    assert slow.time - began > 2 * Spec.DISPLAY
    slow.look()
    device.step(slow.time)
    for table in (1, 2):
        fault, shown, drawn = [device.cmd_panel(table)[place] for place in (0, 12, 11)]
        assert not fault
        assert shown == drawn
    bench.end()


def test_answer_to_an_earlier_question_is_no_display_fault():
    """The lamp is lit and the displays are blank; the press precedes the displays' answers."""
    bench = Bench("late")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    quick, device = bench.board, bench.device
    slow = LongDraws(bench.root, bench.noise)
    slow.time, slow.edges = quick.time, device.edges
    bench.board = device.board = slow
    assert bench.command("button", 1, 1, 1, 0, 0, 500) == "ok"
    slow.edges.push(slow.time, BUTTON, 1)
    slow.time += 30
    device.step(slow.time)
    assert len(bench.draws()) == 1
    slow.look()
    device.step(slow.time)
    assert m.EVENT_CODE["readings"] not in [event[0] for event in device.state.events]
    slow.show(1, 77)  # without a request
    slow.look()
    device.step(slow.time)
    assert device.state.events[-1][0] == m.EVENT_CODE["readings"]
    bench.end()


def test_a_display_without_an_answer_fails_after_its_timeout():
    bench = Bench("dark")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    bench.board.show = lambda table, amount: None
    assert bench.command("press", 1, 1, 1, 0, 0, 500) == "ok"
    assert not bench.device.cmd_panel(1)[0]
    bench.board.time += Spec.DISPLAY
    bench.device.step(bench.board.time)
    assert m.FAULTS[bench.device.cmd_panel(1)[0]] == "display-failed"
    bench.end()


def test_a_press_without_an_offer_draws_no_prize():
    bench = Bench("idle")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    bench.finger(1)
    assert bench.device.state.events[-1][0] == m.EVENT_CODE["idle_press"]
    assert not bench.draws()
    bench.end()


def test_a_refused_command_changes_no_state():
    bench = Bench("refused")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    assert bench.command("prizes", 5, PRIZES) == "no-such-table"
    assert bench.command("prizes", 1, b"none") == "bad-prizes"
    assert bench.command("press", 2, 1, 1, 0, 0, 100) == "no-prizes"
    assert bench.command("press", 1, 1, 1, 0, 0, 0) == "no-wager"
    assert bench.command("press", 1, 2, 1, 0, 0, 100) == "ok"
    assert bench.command("press", 1, 1, 1, 0, 0, 100) == "old-round"
    assert bench.command("press", 1, 2, 1, 0, 0, 200) == "other-wager"
    assert bench.command("select", 1, 2, 0, 0, bytes(32)) == "nothing-to-select"
    assert bench.command("deal", 1) == "other-device"
    assert bench.device.state.get(COUNTER) == 1
    bench.end()


def test_draws_are_equal_after_encoding_and_decoding():
    bench = Bench("written")
    assert bench.command("prizes", 1, PRIZES) == "ok"
    for box in (1, 2, 3):
        assert bench.command("press", 1, 1, box, 0, 0, 100) == "ok"
    assert bench.command("button", 1, 1, 4, 0, 0, 100) == "ok"
    state = bench.device.state
    again = Draws(bench.root, bench.board.flash)
    again.load()
    assert again.draws == state.draws
    assert again.chain == state.chain == sha256(again.draws[-1][:RECORD]).digest()
    assert (again.of(1, OFFERED), again.of(1, SHOWN)) == (1, 0)
    bench.end()
