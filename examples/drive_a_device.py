"""Drive a shuffler: load it, deal three cards, empty it.

python examples/drive_a_device.py [PORT]      the serial port of a board; default: a bench
"""

import sys

from cutcard.devices import DeviceError, Shuffler

PORT = sys.argv[1] if len(sys.argv) > 1 else "bench:carousel-60?decks=6&seed=7"

try:
    with Shuffler.open(PORT) as shuffler:
        print(f"{shuffler.machine}, serial {shuffler.serial}")
        print(f"loaded {shuffler.load(decks=6).cards} cards")
        for _ in range(3):
            print(f"dealt {shuffler.deal().card}")
        status = shuffler.status()
        print(f"{status.inside} cards inside, {status.outside} outside")
        print(f"unloaded {shuffler.unload().cards} cards")
except DeviceError as error:
    sys.exit(f"{error.problem}\nNext step: {error.hint}")
