"""Settling the stakes on a hand: immediately, or against the dealer's finished hand."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from cutcard.engine import bonuses
from cutcard.engine.dealers_hand import rules_of_dealers_ace
from cutcard.engine.hands import Total, count, is_two_card_blackjack
from cutcard.engine.ledger import Key, collected
from cutcard.engine.payments import cite, give_up, hand_back, lose, win
from cutcard.engine.state import Box, Hand, Round, Stake, Wager
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading
from cutcard.rulebooks.side_wagers.pay_table import parse_odds

EVEN = Fraction(1)


class Verdict(NamedTuple):
    """The result of a hand against the dealer's: win, lose or stand-off, at these odds."""

    result: str
    odds: Fraction
    rules: Rules
    by_dealers_blackjack: bool = False


def blackjack_odds(round: Round) -> Fraction:
    layout = round.book.get("blackjack.layout")
    if layout is not None and round.table.blackjack is not None:
        return parse_odds(round.table.blackjack)
    return round.book["blackjack.odds"].odds


def settle_blackjack(round: Round, box: Box, hand: Hand, rules: Rules) -> None:
    """Pay a Blackjack before further cards are dealt, and remove its cards."""
    verdict = Verdict("win", blackjack_odds(round), _rules_of_blackjack(round) + rules)
    for stake in hand.stakes:
        if stake.open:
            settle_stake(round, box, hand, stake, verdict)
    hand.gone = True


def settle_bust(round: Round, box: Box, hand: Hand) -> None:
    rules = round.book.rules("settle.bust")
    entry = round.book.get("split.bust")
    if hand.from_split and entry:
        rules += entry.rules
    for stake in hand.stakes:
        if stake.open:
            settle_stake(round, box, hand, stake, Verdict("lose", EVEN, rules))


def settle_at_once(round: Round, box: Box, hand: Hand) -> None:
    """Pay 21, or Five and Under, before the dealer draws (Pontoon, Blackjack Plus)."""
    book = round.book
    points = hand.total.points
    if points == 21 and book.flag("settle.at_once_21") and not hand.is_blackjack:
        odds, rules = bonuses.odds_of_21(round, hand)
        verdict = Verdict("win", odds, book.rules("settle.at_once_21") + rules)
    elif points < 21 and len(hand.cards) == 5 and book.flag("settle.five_and_under"):
        verdict = Verdict("win", EVEN, book.rules("settle.five_and_under"))
    else:
        return
    super_bonus = bonuses.is_super_bonus(round, hand)
    for stake in hand.stakes:
        if not stake.open:
            continue
        returned = stake.player in box.returned
        settle_stake(round, box, hand, stake, _without_bonus(round, hand, stake, verdict))
        if super_bonus and not returned:
            bonuses.pay_super_bonus(round, box, stake)


def settle_hands(round: Round) -> None:
    """Settle everything that is still open on the boxes."""
    for number in sorted(round.boxes):
        box = round.boxes[number]
        for hand in box.hands:
            for stake in hand.stakes:
                if stake.open:
                    _settle_against_dealer(round, box, hand, stake)
            if hand.is_blackjack and round.dealer_blackjack:
                _cite_prizes_beside_dealers(round, box)


def settle_stake(round: Round, box: Box, hand: Hand, stake: Stake, verdict: Verdict) -> None:
    """Settle one player's stake on one hand, and the money that rides with it."""
    key = Key(box.number, stake.player, "main")
    stake.open = False
    if stake.player in box.returned:
        hand_back(round, key, "void", (), money=stake.money)
        return
    rules = verdict.rules + _of_doubles_and_splits(round, hand, stake, verdict)
    if verdict.result == "win":
        win(round, key, verdict.odds, rules, money=stake.money, tokens=stake.tokens)
    elif verdict.result == "lose":
        _lose(round, box, stake, rules, verdict)
    else:
        hand_back(round, key, "stand-off", rules, money=stake.money)
    if hand is box.first_hand_of(stake.player):
        _settle_riding(round, box, hand, stake.player, verdict)


def verdict_on(round: Round, hand: Hand) -> Verdict:
    """Compare a hand that did not bust with the dealer's finished hand."""
    book = round.book
    points, dealer = hand.total.points, round.dealer_total.points
    if hand.is_blackjack:
        if round.dealer_blackjack:
            both = _verdict(round, "settle.both_blackjack")
            return both._replace(rules=both.rules + book.rules("blackjack.waits"))
        return Verdict("win", blackjack_odds(round), _rules_of_blackjack(round))
    if round.dealer_blackjack:
        row = "settle.dealers_blackjack_on_21" if points == 21 else "settle.dealers_blackjack"
        return _verdict(round, row)._replace(by_dealers_blackjack=True)
    if dealer == 22 and book.says("settle.dealer_22", "stand-off"):
        return _verdict(round, "settle.dealer_22")
    if dealer > 21:
        return _verdict(round, "settle.dealer_bust")
    if points == dealer:
        return _verdict(round, "settle.equal")
    return _verdict(round, "settle.higher" if points > dealer else "settle.lower")


def _rules_of_blackjack(round: Round) -> Rules:
    book = round.book
    rules = book.rules("settle.blackjack") + book.rules("blackjack.odds")
    if len(round.dealer) > 1:
        rules += book.rules("blackjack.waits")
        special = book.get(f"settle.blackjack_against_{round.dealer_total.points}")
        rules += special.rules if special else ()
    return rules


def _verdict(round: Round, row: str) -> Verdict:
    entry = round.book[row]
    return Verdict(entry.value, EVEN, entry.rules)


def _settle_against_dealer(round: Round, box: Box, hand: Hand, stake: Stake) -> None:
    if any(other.surrendered for other in hand.stakes):
        _cite_beside_a_surrender(round, box, hand, stake)
    if stake.surrendered and stake.player not in box.returned:
        _settle_surrender(round, box, hand, stake)
    else:
        verdict = verdict_on(round, hand)
        rules = verdict.rules + _of_soft_17(round)
        settle_stake(round, box, hand, stake, verdict._replace(rules=rules))
        if hand.is_blackjack and round.dealer_blackjack:
            _cite_prizes_that_stay(round, box, stake)


def _cite_prizes_that_stay(round: Round, box: Box, stake: Stake) -> None:
    """Cite the rule by which a Blackjack's prize stays valid in a stand-off (New Zealand 15A.8)."""
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side and side.beside_stand_off and wager.key[:2] == (box.number, stake.player):
            for key in (wager.key, Key(box.number, stake.player, "main")):
                cite(round, key, side.beside_stand_off)


def _cite_prizes_beside_dealers(round: Round, box: Box) -> None:
    """Cite the rule for a Pontoon's prize against the dealer's Pontoon (Crown 11.4.4(b))."""
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side and side.beside_dealers and wager.key.box == box.number:
            cite(round, wager.key, side.beside_dealers)


def _of_soft_17(round: Round) -> Rules:
    """Return the rule for a soft 17 if the dealer had one, since the outcome depends on it."""
    had = any(
        count(round.dealer[:cards]) == Total(17, True) for cards in range(2, len(round.dealer) + 1)
    )
    return (round.book.rules("dealer.soft_17") if had else ()) + rules_of_dealers_ace(round)


def _cite_beside_a_surrender(round: Round, box: Box, hand: Hand, stake: Stake) -> None:
    """Cite the rule for co-players after the caller surrendered: each surrenders or stands."""
    gave_up = [other.player for other in hand.stakes if other.surrendered]
    called = next(main.player for main in box.mains if main.player in gave_up)
    if stake.player != called:
        key = Key(box.number, stake.player, "main")
        cite(round, key, round.book.rules("surrender.others"))


def _settle_surrender(round: Round, box: Box, hand: Hand, stake: Stake) -> None:
    """Collect half at the end; the dealer's Blackjack takes the full stake."""
    book, key = round.book, Key(box.number, stake.player, "main")
    if round.dealer_blackjack:
        stake.open = False
        lose(round, key, book.rules("surrender.void"), money=stake.money)
    else:
        give_up_half(round, box, hand, stake, book.rules("surrender.collected"))


def give_up_half(round: Round, box: Box, hand: Hand, stake: Stake, rules: Rules) -> None:
    key = Key(box.number, stake.player, "main")
    stake.open = False
    if stake.player in box.returned:
        hand_back(round, key, "void", (), money=stake.money)
        return
    unit = round.table.chip or 1
    original = box.originals[stake.player]
    lost = int(original - -(-Fraction(original, 2) // unit) * unit)
    rules = round.book.rules("surrender.kind") + rules
    give_up(round, key, rules, lost=lost, back=stake.money - lost)


def _lose(round: Round, box: Box, stake: Stake, rules: Rules, verdict: Verdict) -> None:
    """Take the stake; a dealer's Blackjack takes only the original wager if the rules limit it."""
    key, taken = Key(box.number, stake.player, "main"), stake.money
    if verdict.by_dealers_blackjack and round.book.says(
        "double.dealers_blackjack", "original-only"
    ):
        lost = collected(round.postings, key)
        taken = min(stake.money, max(0, box.originals[stake.player] - lost))
        if _busted_before(box, stake.player):
            rules += (reading("busted-before-dealers-blackjack"),)
    lose(round, key, rules, money=taken)
    if taken < stake.money:
        hand_back(round, key, "stand-off", (), money=stake.money - taken)


def _busted_before(box: Box, player: str) -> bool:
    """Return whether the player lost another hand on the box by exceeding 21; not a void one."""
    hands = [hand for hand in box.hands if hand.stake_of(player) is not None and not hand.gone]
    return any(hand.total.points > 21 for hand in hands)


def _of_doubles_and_splits(round: Round, hand: Hand, stake: Stake, verdict: Verdict) -> Rules:
    """Return the rules to add for a hand that was doubled, split or played with free bets."""
    book = round.book
    topics: list[str] = []
    if stake.followed:
        topics.append("double.settles")
    if hand.from_split:
        topics.append("split.settles")
    if verdict.by_dealers_blackjack and verdict.result == "lose":
        topics += ["double.dealers_blackjack"] if stake.followed else []
        topics += ["split.dealers_blackjack"] if hand.from_split else []
    elif verdict.result == "win":
        topics += ["double.pays"] if stake.followed else []
        not_along = hand.doubled and not stake.followed
        topics += ["double.not_followed"] if not_along and pays_even(round) else []
        topics += ["split.pays"] if hand.from_split else []
    if hand.from_split and is_two_card_blackjack(hand.cards):
        topics.append("split.no_blackjack")
    if hand.hard_aces_in and any(card.rank == "A" for card in hand.cards[:2]):
        topics.append("double.hard_aces")
    if stake.tokens:
        topics.append("tokens.worth")
    return tuple(rule for topic in topics if (entry := book.get(topic)) for rule in entry.rules)


def _without_bonus(round: Round, hand: Hand, stake: Stake, verdict: Verdict) -> Verdict:
    """Return even money for a doubled hand, also for a player that did not follow (10.5.2(d))."""
    if not hand.doubled:
        return verdict
    rules = round.book.rules("settle.at_once_21")
    rules += round.book.rules("double.pays") if stake.followed else ()
    return verdict._replace(odds=EVEN, rules=rules)


def pays_even(round: Round) -> bool:
    """Return whether a player that does not follow a double wins only even money."""
    return round.book.says("double.not_followed", "1:1")


def _settle_riding(round: Round, box: Box, hand: Hand, player: str, verdict: Verdict) -> None:
    for wager in round.wagers:
        chosen = wager.open and wager.riding and not wager.may_ride
        if chosen and wager.key[:2] == (box.number, player):
            settle_riding(round, wager.key, verdict, round.dealer_blackjack)


def settle_riding(round: Round, key: Key, verdict: Verdict, dealer_blackjack: bool) -> None:
    """Settle House Money or Let It Ride on the layout with its hand (15D.10, 15E.9)."""
    wager = next(wager for wager in round.wagers if wager.key == key)
    rules = round.book.side_wagers[key.bet].riding
    riding, wager.riding, wager.open = wager.riding, 0, False
    if dealer_blackjack:
        hand_back(round, key, "stand-off", rules["dealer_blackjack"], money=riding)
    elif verdict.result == "win":
        win(round, key, verdict.odds, rules["hand"], money=riding)
    elif verdict.result == "lose":
        lose(round, key, rules["hand"], money=riding)
    else:
        hand_back(round, key, "stand-off", rules["hand"], money=riding)


def settle_insurance(round: Round) -> None:
    """Settle insurance by the dealer's second card only, as soon as it is dealt."""
    won = round.dealer[1].points == 10
    book = round.book
    for wager in round.wagers:
        if not wager.open or wager.key.bet != "insurance":
            continue
        wager.open = False
        if _has_busted(round, wager):
            cite(round, wager.key, (reading("insurance-outlives-the-hand"),))
        if won:
            entry = book["insurance.wins"]
            win(round, wager.key, entry.odds, entry.rules, money=wager.amount)
        else:
            lose(round, wager.key, book.rules("insurance.loses"), money=wager.amount)


def _has_busted(round: Round, insurance: Wager) -> bool:
    """Return whether every hand of one wager that this insurance covers exceeds 21."""
    box = round.boxes[insurance.key.box]
    return any(
        all(hand.total.points > 21 for hand in box.hands if hand.stake_of(owner) is not None)
        for owner in insurance.covers
    )


def collect_ante(round: Round, key: Key, amount: int) -> None:
    lose(round, key, round.book.rules("ante.collected"), money=amount)
