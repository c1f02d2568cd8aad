"""The rules for offering side wagers: the set that a table may offer, and the places of wagers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cutcard.engine.state import Placed
from cutcard.rulebooks.side_wagers.catalogue import NotInTheRulebookError, SideWager


def refused_offers(
    known: Mapping[str, SideWager],
    offers: Mapping[str, str],
    variants: Iterable[str],
    decks: int,
    pack: int,
) -> list[str]:
    """Return the rules that forbid this set of side wagers at this table; "" for an unknown bet."""
    rules: list[str] = []
    for bet, choice in offers.items():
        wager = known.get(bet)
        if wager is None:
            rules.append("")
            continue
        others = set(offers) - {bet}
        if wager.not_with and others & wager.not_with[0]:
            rules.append(wager.not_with[1])
        if wager.only_with and others - wager.only_with[0]:
            rules.append(wager.only_with[1])
        if wager.variants and not wager.variants[0] & set(variants):
            rules.append(wager.variants[1])
        try:
            wager.column(choice, decks, pack)
        except NotInTheRulebookError as refusal:
            rules.append(refusal.rule)
            if wager.choice_rule and choice not in {column.choice for column in wager.columns}:
                rules.append(wager.choice_rule)
    return rules


def refused_pit(
    tables: Mapping[str, tuple[Mapping[str, SideWager], Mapping[str, str]]],
) -> list[str]:
    """Return what is wrong if tables of one pit offer a wager with different pay scales, by rule.

    Each table has the side wagers of its rulebook and its offers. A rulebook may require one scale
    for all tables that offer the wager (New Zealand 15B.8).
    """
    scales: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for table, (known, offers) in tables.items():
        for bet, choice in offers.items():
            side = known.get(bet)
            if side is not None and side.pit_rule:
                offered = scales.setdefault((bet, side.title, side.pit_rule), {})
                offered.setdefault(choice, []).append(table)
    return [
        f"{title}: tables of one pit must use the same pay scale, but "
        + "; ".join(f"{', '.join(names)} uses {choice}" for choice, names in sorted(used.items()))
        + f" [{rule}]"
        for (_, title, rule), used in scales.items()
        if len(used) > 1
    ]


def refused_placements(known: Mapping[str, SideWager], wagers: Sequence[Placed]) -> list[str]:
    """Return the rules that forbid the place of a side wager.

    A Blackpot wager carried from the round before is not checked here: without a main wager next to
    it, it is returned, not forbidden (Crown 23.5.1).
    """
    mains = [wager for wager in wagers if wager.bet == "main"]
    own = {(main.box, main.player) for main in mains}
    callers = {main.box: main.player for main in reversed(mains)}
    rules: list[str] = []
    for wager in wagers:
        if wager.bet not in known or wager.carried:
            continue
        placed = known[wager.bet].placed
        allowed = {
            "own-main": (wager.box, wager.player) in own,
            "controller": (wager.box, wager.player) in own,
            "box-main": wager.box in callers,
            "any-main": bool(mains),
        }[placed.where]
        if not allowed:
            rules.append(placed.rule)
        elif placed.where == "controller" and callers[wager.box] != wager.player:
            rules.append(placed.controller_rule)
    return rules + _too_many(known, wagers) + _more_than_one_each(known, wagers)


def _too_many(known: Mapping[str, SideWager], wagers: Sequence[Placed]) -> list[str]:
    counts = Counter((wager.box, wager.bet) for wager in wagers if wager.bet in known)
    return [
        known[bet].placed.most_rule
        for (_, bet), count in counts.items()
        if (most := known[bet].placed.most) is not None and count > most
    ]


def _more_than_one_each(known: Mapping[str, SideWager], wagers: Sequence[Placed]) -> list[str]:
    """Return the rules that allow a player one such wager for each main wager (Crown 16.3.2)."""
    counts = Counter(wager.key for wager in wagers if wager.bet in known)
    return [
        rule
        for key, count in counts.items()
        if count > 1 and (rule := known[key.bet].placed.once_rule)
    ]
