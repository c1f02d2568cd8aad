"""What an image does on a board once it was looked at. In production the prompt cannot be
reached: no byte interrupts it, and whatever ends it resets the board, which leaves every motor
off."""

import machine
import machine_spec
import micropython
import pins
import restart


def run(verdict):
    """`verdict` is what start.look said. Comes back when the board is to start anew."""
    locked, detail, name = verdict
    pins.make_safe(machine_spec.PINS)
    try:
        if not locked:
            micropython.kbd_intr(3)
        micropython.alloc_emergency_exception_buf(100)
        if detail:
            answer(detail, name)
        else:
            work()
    finally:
        pins.make_safe(machine_spec.PINS)
        if locked:
            restart.note_crash(machine)


def work():
    from board import Board
    from core.app import build, run

    board = Board(machine_spec)
    run(build(machine_spec, board), board)
    board.cable.drain()


def answer(detail, name):
    from answering import Answering
    from core.app import run
    from core.sealed import Sealed

    board = Answering(machine_spec)
    run(Sealed(machine_spec, board, detail, name), board)
    board.cable.drain()
