"""The device on the bench. It ends when the bench does, and says on stderr what went wrong."""

import gc
import sys

gc.threshold(2048)  # importing leaves much behind: swept up as it falls, it leaves no holes

import machine_spec
from board import Board, Gone
from core.app import build, run

try:
    board = Board(sys.argv[1], sys.argv[2])
    device = build(machine_spec, board)
    gc.threshold(-1)
    board.ready()
    run(device, board)
except Gone:
    pass
except Exception as error:
    sys.print_exception(error, sys.stderr)
    sys.exit(1)
