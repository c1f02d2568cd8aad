"""Moving money for a wager: each function closes the settled part and cites the rule."""

from __future__ import annotations

from fractions import Fraction

from cutcard.engine.ledger import HOUSE, LAYOUT, METERS, NEXT_ROUND, Key, Posting, player_account
from cutcard.engine.state import Round
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


def place(round: Round, key: Key, cents: int) -> None:
    """Move money from the player to the layout."""
    if cents:
        _post(round, key, player_account(key.player), LAYOUT, cents)


def win(
    round: Round, key: Key, odds: Fraction, rules: Rules, *, money: int, tokens: int = 0
) -> None:
    """Return the stake and pay winnings; free bets win like money and are collected."""
    pay(round, key, odds * (money + tokens), rules)
    _post(round, key, LAYOUT, player_account(key.player), money)
    settle_part(round, key, "win", rules)


def pay(round: Round, key: Key, cents: Fraction, rules: Rules, source: str = HOUSE) -> int:
    """Pay an amount, rounded up to a payable one, and return it. The stake is not moved."""
    paid = _payable(round, key, cents)
    _post(round, key, source, player_account(key.player), paid)
    cite(round, key, rules)
    if paid != cents:
        entry = round.book.get("limits.payable")
        cite(round, key, (*(entry.rules if entry else ()), reading("paid-up")))
    return paid


def pay_from_meter(round: Round, key: Key, cents: Fraction, rules: Rules) -> None:
    pay(round, key, cents, rules, source=METERS)


def lose(round: Round, key: Key, rules: Rules, *, money: int) -> None:
    _post(round, key, LAYOUT, HOUSE, money)
    settle_part(round, key, "lose", rules)


def hand_back(round: Round, key: Key, part: str, rules: Rules, *, money: int) -> None:
    """Return the stake: a stand-off, a void wager, the stake of a prize."""
    _post(round, key, LAYOUT, player_account(key.player), money)
    settle_part(round, key, part, rules)


def give_up(round: Round, key: Key, rules: Rules, *, lost: int, back: int) -> None:
    """Settle a surrender: part of the stake is lost, the rest is returned."""
    _post(round, key, LAYOUT, HOUSE, lost)
    _post(round, key, LAYOUT, player_account(key.player), back)
    settle_part(round, key, "surrendered", rules)


def leave_for_next_round(round: Round, key: Key, rules: Rules, *, money: int) -> None:
    _post(round, key, LAYOUT, NEXT_ROUND, money)
    settle_part(round, key, "carried", rules)


def settle_part(round: Round, key: Key, part: str, rules: Rules) -> None:
    round.parts[key] = (*round.parts.get(key, ()), part)
    cite(round, key, rules)


def cite(round: Round, key: Key, rules: Rules) -> None:
    known = round.cited.get(key, ())
    round.cited[key] = known + tuple(rule for rule in dict.fromkeys(rules) if rule not in known)


def _payable(round: Round, key: Key, cents: Fraction) -> int:
    unit = round.table.chip or _missed_increment(round, key) or 1
    return int(-(-cents // unit) * unit)


def _missed_increment(round: Round, key: Key) -> int | None:
    """Return the sign's increment if a main wager over the minimum is not a multiple of it."""
    table, box = round.table, round.boxes.get(key.box)
    if key.bet != "main" or box is None or not round.book.flag("limits.multiples"):
        return None
    over = box.originals[key.player] - (table.minimum or 0)
    return table.increment if table.increment and over > 0 and over % table.increment else None


def _post(round: Round, key: Key, source: str, target: str, cents: int) -> None:
    if cents:
        round.postings.append(Posting(key, source, target, cents))
