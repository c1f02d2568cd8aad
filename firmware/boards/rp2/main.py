"""The device on a board. In production its prompt cannot be reached: no byte interrupts it,
and whatever ends it resets the board, which leaves every motor off."""

import micropython

micropython.kbd_intr(-1)

import machine

locked = True
try:
    import machine_spec
    import pins

    try:
        locked = machine_spec.CONSOLE != "open"
        if not locked:
            micropython.kbd_intr(3)
        micropython.alloc_emergency_exception_buf(100)

        from board import Board
        from core.app import build, run

        board = Board(machine_spec)
        run(build(machine_spec, board), board)
    finally:
        pins.make_safe(machine_spec.PINS)
finally:
    if locked:
        try:
            import restart

            restart.note_crash(machine)
        finally:
            machine.reset()
