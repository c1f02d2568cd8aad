"""Recover from a jam: the device stops with a hint, counts its cards, and deals again."""

import warnings

from cutcard.bench import Bench
from cutcard.devices import InFaultError, Shuffler, UnloggedDeviceWarning

warnings.simplefilter("ignore", UnloggedDeviceWarning)  # no cards of a bench can be lost

with (
    Bench.start("carousel-60", seed=7, decks=6) as bench,
    Shuffler.open(bench.port, key=bench.key) as shuffler,
):
    bench.do("jam", where="entry", after=20)  # block the 20th card at the entry
    try:
        shuffler.load(decks=6)
    except InFaultError as fault:
        print(f"Stopped: {fault.fault}")
        print(f"Next step: {fault.hint}")

    bench.do("clear")  # the dealer opens the lid and frees the card
    in_the_tray = len(bench.cards()["tray"])  # the dealer counts the cards outside
    recovered = shuffler.recover(outside=in_the_tray)
    print(f"Recovered: {recovered.inside} cards inside, {recovered.outside} outside.")
    print(recovered.next_step)

    bench.settle()  # the device takes in the cards from the tray
    print(f"Dealt {shuffler.deal().card}.")
