"""Print every frame in both directions while a shoe deals one card."""

from cutcard.devices import Frame, Shoe


def show(frame: Frame) -> None:
    if frame.name != "status":  # the driver's heartbeat
        print(frame)


with Shoe.open("bench:shoe-8?decks=1&seed=7", tap=show) as shoe:
    shoe.stack(decks=1)
    shoe.deal()
