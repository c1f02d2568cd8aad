"""Recover from a jam: the device stops, says what to do, counts itself, and deals again."""

from cutcard.bench import Bench
from cutcard.devices import InFaultError, Shuffler

with (
    Bench.start("carousel-38", seed=7, decks=1) as bench,
    Shuffler.open(bench.port, key=bench.key) as shuffler,
):
    bench.do("jam", where="entry", after=20)  # the person at the bench; on a board, bad luck
    try:
        shuffler.load(decks=1)
    except InFaultError as fault:
        print(f"Stopped: {fault.fault}")
        print(f"What to do: {fault.hint}")

    bench.do("clear")  # somebody opens the lid and frees the card
    in_the_tray = len(bench.cards()["tray"])  # and counts what is not inside
    recovered = shuffler.recover(outside=in_the_tray)
    print(f"Recovered: {recovered.inside} cards inside, {recovered.outside} outside.")
    print(recovered.next_step)

    bench.settle()  # the device goes on and takes in what lies in the tray
    print(f"Dealt {shuffler.deal().card}.")
