"""Who has the first claim to an insurance that its owner does not take (Singapore 3.27.4)."""

from __future__ import annotations

from itertools import groupby

from cutcard.engine.state import Round


def claims_to_insure(round: Round, box: int, owner: str) -> list[tuple[str, ...]]:
    """Everybody else with a wager in the round, the first claim first; equal ones together.

    On the same box from front to back (3.27.4.1), then on the nearest one, from front to back
    (3.27.4.2), and of two that are equally near, whoever has the lower insurance on boxes that
    he does not control (3.27.4.3).
    """
    claims: dict[str, tuple[int, int, int]] = {}
    for number, lying in round.boxes.items():
        for place, main in enumerate(lying.mains):
            if main.player != owner:
                distance = abs(number - box)
                claim = (distance, place, _insured_elsewhere(round, main.player) if distance else 0)
                claims[main.player] = min(claim, claims.get(main.player, claim))
    ordered = sorted(claims, key=lambda player: claims[player])
    return [tuple(equal) for _, equal in groupby(ordered, key=lambda player: claims[player])]


def _insured_elsewhere(round: Round, player: str) -> int:
    """What a player has insured on boxes that somebody else controls."""
    return sum(
        wager.amount
        for wager in round.wagers
        if wager.open
        and wager.key.bet == "insurance"
        and wager.key.player == player
        and round.boxes[wager.key.box].mains[0].player != player
    )
