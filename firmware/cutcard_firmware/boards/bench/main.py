"""The device on the bench, started from a folder on the host, for development.

There is no image, no signature, and nothing is checked. It ends when the bench does, and says on
stderr what went wrong."""

import gc
import sys

gc.threshold(32768)  # what a start leaves behind is swept up as it falls, and leaves no holes

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
except Gone:
    pass
except Exception as error:
    sys.print_exception(error, sys.stderr)
    sys.exit(1)
