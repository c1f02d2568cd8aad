"""Builds a device from a machine's description and a board, and runs its main loop."""

from .module_loading import sweep_often
from .sweep import sweep


def build(spec, board):
    """Build the device; only the code of its kind is loaded, because memory is scarce."""
    if spec.KIND == "shoe":
        from .cards.shoe import Shoe

        return Shoe(spec, board)
    if spec.KIND == "controller":
        from .jackpot.controller import Controller

        return Controller(spec, board)
    from .cards.shuffler import Shuffler

    return Shuffler(spec, board)


def run(device, board):
    """Run the main loop, the same on every board. It ends when another image must start."""
    sweep_often(False)
    board.breathe()
    sweep()  # overwrites the seed, the key and the noise of the start
    board.breathe()  # time spent until now must not count as a delay
    while not device.ended:
        wait = device.step(board.now())
        board.feed_watchdog()
        board.wait(wait, device.busy, device)
