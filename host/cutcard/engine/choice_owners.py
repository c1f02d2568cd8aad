"""The owners of open choices: a choice passes on, or lapses, when its owner cannot make it.

An official is always present. A player is present while he has an undecided wager and was not
found absent.
"""

from __future__ import annotations

from dataclasses import replace

from cutcard.engine.choices import PLAYER, Choice, Option, answer
from cutcard.engine.state import Round


def pass_on(round: Round) -> bool:
    """Give each open choice to its present owner; drop it without one.

    Return whether any choice changed.
    """
    before, round.choices = round.choices, []
    changed = False
    for choice in before if not round.over else ():
        now = _for_present_owner(round, choice)
        changed = changed or now is not choice
        if now is not None:
            round.choices.append(now)
        elif choice.required or choice.default is not None:
            text = f"{choice.irregularity.kind}: no player is left to decide."
            answer(round, choice.irregularity, choice.rules, text)
    if round.over:
        round.choices = before
    return changed


def has_undecided_wager(round: Round, player: str) -> bool:
    """Return whether anything that the player wagered is still on the layout."""
    return player in _players(round)


def is_present(round: Round, player: str) -> bool:
    """Return whether the player has an undecided wager and was not found absent."""
    absent = any(player in box.away for box in round.boxes.values())
    return not absent and has_undecided_wager(round, player)


def _for_present_owner(round: Round, choice: Choice) -> Choice | None:
    """Return the choice as now open; None if no person can make it any more."""
    if choice.anew is not None:
        now = choice.anew(round)
        if now is None:
            return None
        choice = choice if _owners(now) == _owners(choice) else now
    if not any(_can_be_made(round, choice, option) for option in choice.options):
        return None
    if choice.must_be_made and _all_returned(round):
        # An official may still rule, but there is no result left that the ruling could change.
        return replace(
            choice, required=False, holds=False, default=choice.default or "no wager is left"
        )
    return choice


def _can_be_made(round: Round, choice: Choice, option: Option) -> bool:
    if option.by != PLAYER:
        return True
    players = option.players or tuple(_players(round))
    if choice.must_be_made:
        return any(is_present(round, player) for player in players)
    return any(has_undecided_wager(round, player) for player in players)


def _owners(choice: Choice) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(option.ruling, option.by, option.players) for option in choice.options]


def _players(round: Round) -> dict[str, None]:
    """The players with an undecided wager, in the order in which they placed them."""
    players = [wager.key.player for wager in round.wagers if wager.open]
    for box in round.boxes.values():
        for hand in box.hands:
            players += [stake.player for stake in hand.stakes if stake.open]
    return dict.fromkeys(players)


def _all_returned(round: Round) -> bool:
    """Return whether every wager of the round went back to its owner."""
    keys = {placed.key for placed in round.placed} | {wager.key for wager in round.wagers}
    returned = all(set(round.parts.get(key, ())) == {"void"} for key in keys)
    return bool(keys) and returned and not _players(round)
