"""Runs a checked image on a board.

In production the prompt cannot be reached: no byte interrupts it, and whatever ends it resets the
board, which leaves every motor off."""

import machine
import machine_spec
import micropython
import pins
import restart
import vfs
from flash import Flash

WATCHDOG = 8388  # milliseconds: the most that an RP2040 can count


def run(verdict, loaded):
    """`verdict` is what start.look said; `loaded` is called when all that it takes is loaded. Comes
    back when the board is to start anew."""
    locked, detail, name = verdict
    # It runs before anything that may hang, as a board's parts may. It cannot be stopped, so a
    # developer at the prompt has none.
    watchdog = machine.WDT(timeout=WATCHDOG) if locked else None
    pins.make_safe(machine_spec.PINS)
    try:
        if not locked:
            micropython.kbd_intr(3)
        micropython.alloc_emergency_exception_buf(100)
        # By default littlefs notes with each commit when it was, to the microsecond: that tells
        # how far the wheel turned from one to the next. So the files are mounted anew.
        vfs.umount("/")
        # All blocks are looked through at once for free ones: in two goes a full flash takes long.
        files = vfs.VfsLfs2(Flash(), progsize=256, lookahead=48, mtime=False)  # type: ignore[abstract]
        vfs.mount(files, "/")
        if detail:
            answer(detail, name, loaded, watchdog)
        else:
            work(loaded, watchdog)
    finally:
        pins.make_safe(machine_spec.PINS)
        if locked:
            restart.note_crash(machine)


def work(loaded, watchdog):
    from board import Board
    from core.app import build, run

    board = Board(machine_spec, watchdog)
    device = build(machine_spec, board)
    loaded()
    run(device, board)
    board.cable.drain()


def answer(detail, name, loaded, watchdog):
    from answering import Answering
    from core.app import run
    from core.devices.sealed import Sealed

    board = Answering(machine_spec, watchdog)
    device = Sealed(machine_spec, board, detail, name)
    loaded()
    run(device, board)
    board.cable.drain()
