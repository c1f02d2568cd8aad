"""What becomes of the stakes on a hand: at once, or against the dealer's finished hand."""

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
    """How a hand stands against the dealer's: win, lose or stand-off, at these odds."""

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
    """A Blackjack is paid before further cards are dealt, and its cards go."""
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
    """Where 21, or Five and Under, wins before the dealer draws (Pontoon, Blackjack Plus)."""
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
    """The final settlement of everything that still lies on the boxes."""
    for number in sorted(round.boxes):
        box = round.boxes[number]
        for hand in box.hands:
            for stake in hand.stakes:
                if stake.open:
                    _settle_against_dealer(round, box, hand, stake)
            if hand.is_blackjack and round.dealer_blackjack:
                _cite_prizes_beside_dealers(round, box)


def settle_stake(round: Round, box: Box, hand: Hand, stake: Stake, verdict: Verdict) -> None:
    """One player's stake on one hand, and what rides with it."""
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
    """A hand that did not bust against the dealer's finished hand."""
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
    """A prize for a Blackjack is valid although the hand stands off (New Zealand 15A.8)."""
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side and side.beside_stand_off and wager.key[:2] == (box.number, stake.player):
            for key in (wager.key, Key(box.number, stake.player, "main")):
                cite(round, key, side.beside_stand_off)


def _cite_prizes_beside_dealers(round: Round, box: Box) -> None:
    """A prize for a Pontoon is won although the dealer makes one too (Crown 11.4.4(b))."""
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side and side.beside_dealers and wager.key.box == box.number:
            cite(round, wager.key, side.beside_dealers)


def _of_soft_17(round: Round) -> Rules:
    """Where the dealer had a soft 17, the outcome rests on what the variant does with it."""
    had = any(
        count(round.dealer[:cards]) == Total(17, True) for cards in range(2, len(round.dealer) + 1)
    )
    return (round.book.rules("dealer.soft_17") if had else ()) + rules_of_dealers_ace(round)


def _cite_beside_a_surrender(round: Round, box: Box, hand: Hand, stake: Stake) -> None:
    """Who calls the box has surrendered: the others did so after him, or stand with him."""
    gave_up = [other.player for other in hand.stakes if other.surrendered]
    called = next(main.player for main in box.mains if main.player in gave_up)
    if stake.player != called:
        key = Key(box.number, stake.player, "main")
        cite(round, key, round.book.rules("surrender.others"))


def _settle_surrender(round: Round, box: Box, hand: Hand, stake: Stake) -> None:
    """Half is collected at the end, unless the dealer's Blackjack takes it whole."""
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
    """The dealer's Blackjack takes no more on a box than the original wager, where rules say so."""
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
    """The player has lost another hand on the box by going over 21; a void one is not lost."""
    hands = [hand for hand in box.hands if hand.stake_of(player) is not None and not hand.gone]
    return any(hand.total.points > 21 for hand in hands)


def _of_doubles_and_splits(round: Round, hand: Hand, stake: Stake, verdict: Verdict) -> Rules:
    """What the rulebook adds for a hand that was doubled, split or played with free bets."""
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
    """A doubled hand wins even money, and so does who did not double along (10.5.2(d))."""
    if not hand.doubled:
        return verdict
    rules = round.book.rules("settle.at_once_21")
    rules += round.book.rules("double.pays") if stake.followed else ()
    return verdict._replace(odds=EVEN, rules=rules)


def pays_even(round: Round) -> bool:
    """Who does not double along wins even money where the hand might have paid more."""
    return round.book.says("double.not_followed", "1:1")


def _settle_riding(round: Round, box: Box, hand: Hand, player: str, verdict: Verdict) -> None:
    for wager in round.wagers:
        chosen = wager.open and wager.riding and not wager.may_ride
        if chosen and wager.key[:2] == (box.number, player):
            settle_riding(round, wager.key, verdict, round.dealer_blackjack)


def settle_riding(round: Round, key: Key, verdict: Verdict, dealer_blackjack: bool) -> None:
    """House Money or Let It Ride left on the layout goes with its hand (15D.10, 15E.9)."""
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
    """Decided by the dealer's second card alone, as soon as it lies there."""
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
    """Every hand of a wager that this insurance covers is over 21."""
    box = round.boxes[insurance.key.box]
    return any(
        all(hand.total.points > 21 for hand in box.hands if hand.stake_of(owner) is not None)
        for owner in insurance.covers
    )


def collect_ante(round: Round, key: Key, amount: int) -> None:
    lose(round, key, round.book.rules("ante.collected"), money=amount)
