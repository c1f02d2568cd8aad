"""Run a checked image on a board.

In production the prompt cannot be reached: no byte interrupts the image, and its end always resets
the board, which switches every motor off.
"""

import machine
import machine_spec
import micropython
import pins
import restart
import vfs
from flash import Flash

WATCHDOG = 8388  # milliseconds: the maximum of an RP2040


def run(verdict, loaded):
    """Run the image. Return when the board must restart.

    `verdict` is start.look's result, `loaded` is called when all modules are loaded.
    """
    locked, detail, name = verdict
    # The watchdog starts before any part of the board that may hang. It cannot be stopped, so it is
    # not started for a developer at the prompt.
    watchdog = machine.WDT(timeout=WATCHDOG) if locked else None
    pins.make_safe(machine_spec.PINS)
    try:
        if not locked:
            micropython.kbd_intr(3)
        micropython.alloc_emergency_exception_buf(100)
        # By default littlefs stores the time of each commit in microseconds, which reveals the
        # distance of the wheel's turn between two commits. So the files are mounted again without
        # it.
        vfs.umount("/")
        # All blocks are searched for free ones in one pass: with two passes, a full flash takes
        # long.
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
