"""Run a checked image on the bench."""

import sys

import vfs


def run(verdict, loaded):
    """Run the image. Return when the board must restart.

    `verdict` is start.look's result, `loaded` is called when all modules are loaded.
    """
    import machine
    import machine_spec
    from board import Board
    from core.app import build
    from core.app import run as go_on
    from pipe import mount

    detail, name = verdict[1:]
    # As on a board: littlefs must not store times of writes.
    vfs.umount("/")
    mount(machine.flash, "/", mtime=False)
    board = Board(machine.channel, "", machine.flash, machine.micropython)
    try:
        if detail:
            from core.devices.sealed import Sealed

            device = Sealed(machine_spec, board, detail, name)
        else:
            device = build(machine_spec, board)
        loaded()
        board.ready()
        go_on(device, board)
    except Exception as error:
        if type(error).__name__ != "Gone":
            sys.print_exception(error, sys.stderr)
        raise
