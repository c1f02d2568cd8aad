"""From a machine's description and a board to a running device."""

from .sweep import sweep


def build(spec, board):
    """Only the code of the device that this is gets loaded: memory is short."""
    if spec.KIND == "shoe":
        from .shoe import Shoe

        return Shoe(spec, board)
    if spec.KIND == "controller":
        from .controller import Controller

        return Controller(spec, board)
    from .shuffler import Shuffler

    return Shuffler(spec, board)


def run(device, board):
    """The main loop, the same on every board. It ends when another image is to start."""
    sweep()  # of the seed, the key and the noise that the start has handled
    while not device.ended:
        wait = device.step(board.now())
        board.feed_watchdog()
        board.wait(wait, device.busy, device)
