"""Stock MicroPython on the bench, like a new board.

It mounts the flash at a board's place, runs boot.py and main.py if they exist, and otherwise offers
its prompt on the cable: MicroPython's own, because it is started with -i. The module `machine` has
only the parts that a start needs. The image never contains this file.
"""

import sys

import pipe
import vfs

gone = False


class Watchdog:
    def __init__(self, timeout):
        pass

    def feed(self):
        machine.channel.add(b"F")


class machine:  # noqa: N801 (it replaces a module)
    WDT = Watchdog
    channel = pipe.Channel(open(int(sys.argv[3]), "rb"), open(int(sys.argv[4]), "wb"))  # noqa: SIM115

    @staticmethod
    def reset():
        """Let the bench switch the power off and on."""
        machine.channel.add(b"X")
        machine.channel.ask(1)


machine.flash = pipe.Flash(machine.channel, sys.argv[1])
machine.micropython = open(sys.argv[2], "rb")  # noqa: SIM115 (its own part of the chip)
sys.modules["machine"] = machine
vfs.umount("/")
pipe.mount(machine.flash, "/")
sys.path[:] = ["", ".frozen", "/lib"]

try:
    for script in ("boot.py", "main.py"):
        try:
            with open(script) as file:
                text = file.read()
        except OSError:
            continue
        exec(compile(text, script, "exec"), {"__name__": "__main__"})
except pipe.Gone:
    gone = True
if gone:
    sys.exit(0)
machine.channel.add(b"C")
machine.channel.flush()
