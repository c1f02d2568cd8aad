"""The order of claims to insurance that the owner of a wager does not take (Singapore 3.27.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cutcard.engine.state import Round


def claims_to_insure(
    round: Round, box: int, owner: str, others: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """Return the other players with a wager, in groups of equal claims, the strongest claim first.

    The order is: the same box, from front to back (3.27.4.1); then the nearest box, from front to
    back (3.27.4.2); and for two boxes at the same distance, the player with less insurance on boxes
    that the player does not control (3.27.4.3). `others` are players without a wager on the round,
    in the order in which the dealer saw them: they come last (3.27.4.5).
    """
    claims: dict[str, tuple[int, int, int]] = {}
    for number, lying in round.boxes.items():
        for place, main in enumerate(lying.mains):
            if main.player != owner:
                distance = abs(number - box)
                claim = (distance, place, _insured_elsewhere(round, main.player) if distance else 0)
                claims[main.player] = min(claim, claims.get(main.player, claim))
    ordered = sorted(claims, key=lambda player: claims[player])
    groups = [tuple(equal) for _, equal in groupby(ordered, key=lambda player: claims[player])]
    return groups + [(player,) for player in dict.fromkeys(others) if player not in claims]


def _insured_elsewhere(round: Round, player: str) -> int:
    """Return the cents that a player has insured on boxes that another player controls."""
    return sum(
        wager.amount
        for wager in round.wagers
        if wager.open
        and wager.key.bet == "insurance"
        and wager.key.player == player
        and round.boxes[wager.key.box].mains[0].player != player
    )
