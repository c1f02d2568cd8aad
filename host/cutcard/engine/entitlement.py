"""The order of players that contest the place of a side wager, before the first card.

Singapore 3.17.2 prefers the players nearest to the playing area, Crown 23.3.4 and 30.3.3 those with
a main wager on the area. An equal claim is a group of players that must agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from cutcard.engine.refusal import BadValueError
from cutcard.engine.state import Placed
from cutcard.rulebooks.book import Rulebook, Rules

Groups = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Entitlement:
    """The players that may place, the players refused, and the rules.

    `undecided` are players with equal claims that did not agree: no further wager is accepted.
    """

    accepted: tuple[str, ...]
    refused: tuple[str, ...]
    undecided: tuple[str, ...]
    rules: Rules


def claims_to_wager(
    book: Rulebook,
    bet: str,
    box: int,
    placed: Sequence[Placed],
    asking: Sequence[str],
    boxes: int,
    most: int | None = None,
) -> Groups:
    """Return the players asking for a place on the area of `bet` at `box`, the strongest first.

    `placed` are the wagers of the round: main wagers in the order of the betting area, front to
    back, side wagers placed so far, and wagers carried from the round before. `asking` is in the
    order in which the dealer saw the players, `boxes` the number of boxes of the table, `most` the
    number of such wagers on an area if an official has restricted it. Raises BadValueError for a
    wager without an order of claims.
    """
    side = book.side_wagers.get(bet)
    if side is None or side.placed.claims is None:
        ordered = [name for name, each in book.side_wagers.items() if each.placed.claims]
        known = ", ".join(ordered) or "none"
        raise BadValueError(
            f"{book.name} has no order of claims to {bet}; wagers with one: {known}"
        )
    players = list(dict.fromkeys(asking))
    if side.placed.claims == "nearest":
        return _nearest(book, box, placed, players)
    return _own_area_first(bet, box, placed, players, boxes=boxes, most=most)


def entitled(
    book: Rulebook, bet: str, claims: Groups, places: int, agreed: Sequence[str] = ()
) -> Entitlement:
    """Return the players that get the free places; `agreed` orders players with equal claims.

    If more players with equal claims are left than places and they do not agree, no wager of them
    or of any weaker claim is accepted (Singapore 3.17.2.4, 3.27.4.4).
    """
    rules = book.side_wagers[bet].placed.claims_rules
    accepted: list[str] = []
    everybody = [player for group in claims for player in group]
    for group in claims:
        chosen = [player for player in agreed if player in group]
        left = places - len(accepted)
        if len(group) <= left:
            accepted += group
        elif left and len(chosen) < left:
            refused = tuple(player for player in everybody if player not in accepted)
            return Entitlement(tuple(accepted), refused, group, rules)
        else:
            accepted += chosen[:left]
    refused = tuple(player for player in everybody if player not in accepted)
    return Entitlement(tuple(accepted), refused, (), rules)


def _nearest(book: Rulebook, box: int, placed: Sequence[Placed], asking: list[str]) -> Groups:
    """Order the claims to an area: its own players, then by distance (Singapore 3.16, 3.17.2)."""
    mains = [wager for wager in placed if wager.bet == "main"]
    kinds = {name for name, side in book.side_wagers.items() if side.placed.claims == "nearest"}
    here = [main.player for main in mains if main.box == box]
    staked = {
        player: sum(each.amount for each in placed if each.player == player and each.bet in kinds)
        for player in asking
    }
    strength: dict[str, tuple[int, int, int]] = {}
    for player in asking:
        distances = [abs(main.box - box) for main in mains if main.player == player]
        if player in here:
            strength[player] = (0, here.index(player), 0)  # 3.17.2.1: front to back
        elif distances:
            strength[player] = (1, min(distances), staked[player])  # 3.17.2.2, 3.17.2.3
        else:
            strength[player] = (2, asking.index(player), 0)  # 3.17.2.5: as the dealer saw them
    return _in_groups(strength)


def _own_area_first(
    bet: str,
    box: int,
    placed: Sequence[Placed],
    asking: list[str],
    *,
    boxes: int,
    most: int | None,
) -> Groups:
    """Order the claims by the area's own players, then clockwise (Crown 23.3.4, 23.5.2)."""
    mains = [wager for wager in placed if wager.bet == "main"]
    here = [main.player for main in mains if main.box == box]
    carried = {
        each.player for each in placed if each.carried and (each.bet, each.box) == (bet, box)
    }
    strength: dict[str, tuple[int, int, int]] = {}
    for player in asking:
        clockwise = [(main.box - box) % boxes for main in mains if main.player == player]
        if player in carried:
            strength[player] = (0, 0, 0)  # 23.5.2
        elif player in here:
            strength[player] = (1, here.index(player) if most == 1 else 0, 0)  # 23.3.4, (b)
        elif clockwise:
            strength[player] = (2, min(clockwise), _place_on_box(mains, box, boxes, player))
        else:
            strength[player] = (3, asking.index(player), 0)
    return _in_groups(strength)


def _place_on_box(mains: Sequence[Placed], box: int, boxes: int, player: str) -> int:
    """Return the player's place, front to back, on the first of his boxes clockwise."""
    own = [(main.box - box) % boxes for main in mains if main.player == player]
    there = [main.player for main in mains if (main.box - box) % boxes == min(own)]
    return there.index(player)


def _in_groups(strength: Mapping[str, tuple[int, int, int]]) -> Groups:
    ordered = sorted(strength, key=lambda player: strength[player])
    return [tuple(equal) for _, equal in groupby(ordered, key=lambda player: strength[player])]
