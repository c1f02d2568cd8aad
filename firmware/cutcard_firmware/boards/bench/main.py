"""The device on the bench, started from a folder on the host, for development.

It has no image and no signature, so it checks no files. It ends with the bench, and prints errors
to stderr.
"""

import gc
import sys

gc.threshold(32768)  # frees the garbage of the start in small pieces, so that it leaves no holes

import machine_spec
from board import Board
from core.app import build, run
from pipe import Channel, Flash, Gone, mount

try:
    channel = Channel()
    flash = Flash(channel, sys.argv[1])
    mount(flash, "/flash", mtime=False)
    board = Board(channel, "/flash", flash, open(sys.argv[2], "rb"))  # noqa: SIM115
    device = build(machine_spec, board)
    board.ready()
    run(device, board)
    channel.add(b"X")  # as a board, it starts anew
    channel.ask(1)
except Gone:
    pass
except Exception as error:
    sys.print_exception(error, sys.stderr)
    sys.exit(1)
