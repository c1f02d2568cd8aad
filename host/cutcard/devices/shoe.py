"""The driver of a dealing shoe."""

from __future__ import annotations

from cutcard.devices.card_device import CardDevice
from cutcard.devices.deadline import Deadline
from cutcard.devices.device import HAND_SECONDS, TALK_SECONDS
from cutcard.devices.events import Burned, Loaded, Returned


class Shoe(CardDevice):
    """A dealing shoe: holds a shuffled stack that is cut, marked with cutting cards, and dealt."""

    KIND = "shoe"

    def stack(self, decks: int, pack: int = 52, deadline: float = TALK_SECONDS) -> Loaded:
        """Report the stack that was put into the shoe."""
        return self._work("stack", (decks, pack), Loaded, deadline, 0)

    def cut(self, depth: int, low: int, high: int, deadline: float = TALK_SECONDS) -> None:
        """Cut after `depth` cards. The shoe refuses a cut outside the rulebook's bounds."""
        self._connection.command("cut", depth, low, high, deadline=Deadline(deadline))

    def refill(self, cards: int, outside: int, deadline: float = TALK_SECONDS) -> Returned:
        """Report the number of discards put into an unloaded shoe, to complete a round.

        `outside` is the number of cards of its pack that stay out: with `cards` they make complete
        decks.
        """
        return self._work("refill", (cards, outside), Returned, deadline, 0)

    def burn(self, cards: int = 1, deadline: float = HAND_SECONDS) -> list[Burned]:
        """Have cards removed unread before the first round: one event for each card."""
        allowed = Deadline(deadline)
        burned = [self._work("burn", (cards,), Burned, deadline, cards)]
        while len(burned) < cards:
            burned.append(self._outcome("burn", Burned, allowed, burned[-1].number))
        return burned
