"""Builds a device from a machine's description and a board, and runs its main loop."""

from .module_loading import sweep_often
from .sweep import sweep


def build(spec, board):
    """Build the device; only the code of its kind is loaded, as memory is short."""
    if spec.KIND == "shoe":
        from .cards.shoe import Shoe

        return Shoe(spec, board)
    if spec.KIND == "controller":
        from .jackpot.controller import Controller

        return Controller(spec, board)
    from .cards.shuffler import Shuffler

    return Shuffler(spec, board)


def run(device, board):
    """The main loop, the same on every board. It ends when another image is to start."""
    sweep_often(False)
    board.breathe()
    sweep()  # of the seed, the key and the noise that the start has handled
    board.breathe()  # what was said meanwhile is not late
    while not device.ended:
        wait = device.step(board.now())
        board.feed_watchdog()
        board.wait(wait, device.busy, device)
