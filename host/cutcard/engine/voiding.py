"""Returning wagers: of a round, a hand, or a player. The rulings define the entitled roles."""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.engine.bonuses import cite_bonus_not_paid
from cutcard.engine.choices import answer, lapse
from cutcard.engine.ledger import HOUSE, LAYOUT, Key, Posting, collected
from cutcard.engine.payments import cite, hand_back
from cutcard.engine.state import Box, Hand, Phase, Round, Stake, Wager
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import is_reading, reading


def void_round(round: Round, rules: Rules, *, settled_stands: bool) -> None:
    """Return every wager; an earlier settlement stands only if a rule keeps it.

    The readings among `rules` are about settled wagers and are cited only for those.
    """
    _close_choices(round, rules)
    if settled_stands:
        laid_back = _lay_busts_back(round)
        _cite_standing_settlement(round, rules)
        for key in open_keys(round):
            return_open(round, key, _of_the_open(round, rules))
            cite(round, key, laid_back.get(key, ()))
        rules += tuple(dict.fromkeys(rule for found in laid_back.values() for rule in found))
    else:
        for key in _all_keys(round):
            if not _keep_ante(round, key):
                why = rules_of_settled(round, key, rules)
                undo(round, key, _void_with_its_hand(round, key.bet) + why)
    cite_bonus_not_paid(round)
    round.following = None
    round.phase = Phase.VOID
    round.note("The round is void.", rules)


def _close_choices(round: Round, rules: Rules) -> None:
    """Record the irregularities that still wait for a ruling: the void round answers them."""
    for choice in [choice for choice in round.choices if choice.must_be_made]:
        round.choices.remove(choice)
        kind = choice.irregularity.kind
        answer(round, choice.irregularity, rules, f"The void round answers {kind} as well.")
    lapse(round)
    round.choices.clear()


def _keep_ante(round: Round, key: Key) -> bool:
    """Return whether the ante was collected: it then stays with the house (New Zealand 18.6)."""
    kept = key.bet == "ante" and "lose" in round.parts.get(key, ())
    if kept:
        cite(round, key, (reading("ante-kept"),))
    return kept


def _of_the_open(round: Round, rules: Rules) -> Rules:
    """Leave out the readings and rules that apply only to settled wagers."""
    entry = round.book.get("rulings.interim_stands")
    stands = entry.rules if entry is not None else ()
    return tuple(rule for rule in rules if rule not in stands and not is_reading(rule))


def rules_of_settled(round: Round, key: Key, rules: Rules) -> Rules:
    """Return the rules to cite: for an open wager, without the readings about settled wagers."""
    return rules if _is_settled(round, key) else _of_the_open(round, rules)


def _is_settled(round: Round, key: Key) -> bool:
    return not {"win", "lose", "surrendered"}.isdisjoint(round.parts.get(key, ()))


def _cite_standing_settlement(round: Round, rules: Rules) -> None:
    """Cite the rule by which a settlement stands (Crown 9.12.1).

    A wager can be settled in part: Blackpot stays on the layout after its first payment.
    """
    entry = round.book.get("rulings.interim_stands")
    by_rule = tuple(rule for rule in rules if entry is not None and rule in entry.rules)
    read = tuple(rule for rule in rules if is_reading(rule))
    still_open = open_keys(round)
    for key in round.parts:
        if key not in still_open or _is_settled(round, key):
            cite(round, key, by_rule + read)


def _lay_busts_back(round: Round) -> dict[Key, Rules]:
    """Return lost busts to the layout, with the reading for each.

    Only an interim settlement stands (Crown 9.12.1); a bust is settled at the end (5.14).
    """
    return {
        Key(box.number, player, "main"): (reading("crown-bust-in-a-void-round"),)
        for box in round.boxes.values()
        for hand in box.hands
        for player in _lay_bust_back(round, box, hand)
    }


def _lay_bust_back(round: Round, box: Box, hand: Hand) -> list[str]:
    """Put a bust hand's lost money, and money riding on it, on the layout; return the players."""
    players: list[str] = []
    for stake in hand.stakes if hand.total.points > 21 else ():
        key = Key(box.number, stake.player, "main")
        if stake.open or "lose" not in round.parts.get(key, ()):
            continue
        first = hand is box.first_hand_of(stake.player)
        _lay_back(round, key, stake.money)
        stake.open = True
        players.append(stake.player)
        _no_longer_cite(round, key, "settle.bust", "split.bust")
        for wager in round.wagers if first else ():
            lost = collected(round.postings, wager.key)
            if wager.key[:2] == key[:2] and _rides(round, wager) and lost:
                wager.riding, wager.open = lost, True
                _lay_back(round, wager.key, lost)
    return players


def _lay_back(round: Round, key: Key, cents: int) -> None:
    parts = list(round.parts[key])
    parts.remove("lose")
    round.parts[key] = tuple(parts)
    if cents:
        round.postings.append(Posting(key, HOUSE, LAYOUT, cents))


def _no_longer_cite(round: Round, key: Key, *topics: str) -> None:
    """Remove the rules of a loss that was put back, unless another hand lost by them."""
    if "lose" in round.parts[key]:
        return
    gone = {rule for topic in topics if (entry := round.book.get(topic)) for rule in entry.rules}
    round.cited[key] = tuple(rule for rule in round.cited.get(key, ()) if rule not in gone)


def _rides(round: Round, wager: Wager) -> bool:
    """Return whether it is a House Money or Let It Ride that won and rode on its hand."""
    side = round.book.side_wagers.get(wager.key.bet)
    return side is not None and bool(side.riding) and "win" in round.parts.get(wager.key, ())


def void_hand(round: Round, place: str, rules: Rules) -> None:
    """Return the stakes on one hand, or on all hands of a box, and remove the cards.

    A hand that exceeded 21 is returned as well; earlier payments on a hand stand. Undecided side
    wagers on the box's cards are returned with the box, those settled on its first two cards stand,
    and some have a separate rule to be void with their hand or with the initial wager.
    """
    box = box_of(round, place)
    for hand in hands_at(box, place):
        _lay_bust_back(round, box, hand)
        _void_stakes(round, box, hand, hand.stakes, rules)
    round.note(f"Hand {place} is void; its wagers are returned.", rules)
    if all(hand.gone for hand in box.hands):
        _void_beside(round, box, rules)


def void_dealers_hand(round: Round, rules: Rules) -> None:
    """Return the open wagers that the dealer's hand would decide.

    Those are every hand in play, and wagers on the dealer's cards: insurance, also if the second
    card has lost it, Push 22, Busted, Buster. The players' hands are not void: their settlements
    stand, busts included. Wagers tied to an initial wager are returned only with that wager.
    """
    for box in round.boxes.values():
        in_play = [hand for hand in box.hands if hand.has_open_stake]
        for hand in in_play:
            open_stakes = [stake for stake in hand.stakes if stake.open]
            _void_stakes(round, box, hand, open_stakes, rules)
        if in_play:
            _return_beside(round, box, rules)
    for wager in round.wagers:
        if wager.key.bet == "insurance" and "void" not in round.parts.get(wager.key, ()):
            undo(round, wager.key, (reading("dealers-hand-wagers"), *rules))
    return_wagers_on_dealer(round, rules)
    round.note("The dealer's hand is void; the wagers that depend on it are returned.", rules)


def return_wagers_on_dealer(round: Round, rules: Rules) -> None:
    for wager in round.wagers:
        bet = wager.key.bet
        if wager.open and (bet == "insurance" or _decided_by_dealer(round, bet)):
            return_wager(round, wager, rules)


def _void_stakes(round: Round, box: Box, hand: Hand, stakes: Sequence[Stake], rules: Rules) -> None:
    """Return these stakes on a hand, and the wagers tied to an initial wager on it."""
    for stake in stakes:
        key = Key(box.number, stake.player, "main")
        if hand is box.first_hand_of(stake.player):
            _void_with_initial_wager(round, key, rules)
        if not stake.open and _is_settled(round, key):
            cite(round, key, (reading("void-hand-paid"),))
    keys = [Key(box.number, stake.player, "main") for stake in stakes]
    untouched = [key for key in keys if not round.parts.get(key)]
    return_hand(round, box, hand, rules)
    for key in untouched:
        if round.parts.get(key) == ("void",):
            round.cited[key] = rules


def _void_with_initial_wager(round: Round, key: Key, rules: Rules) -> None:
    """Void Super Sevens by its separate rule, and return money that rides on the initial wager."""
    for wager in round.wagers:
        if wager.key[:2] != key[:2]:
            continue
        if own := rules_of_void_hand(round, wager.key.bet):
            undo(round, wager.key, own + rules)
        elif wager.open and wager.riding and not wager.may_ride:
            return_wager(round, wager, rules)


def return_hand(round: Round, box: Box, hand: Hand, rules: Rules) -> None:
    for stake in hand.stakes:
        if stake.open:
            stake.open = False
            key = Key(box.number, stake.player, "main")
            hand_back(round, key, "void", rules, money=stake.money)
    hand.gone = True


def withdraw(
    round: Round, player: str, rules: Rules, box: int | None = None, bet: str | None = None
) -> bool:
    """Return the undecided wagers of a player, all or those of one box or bet.

    The player's hands then take no further part. Return False if the player has no undecided wager.
    """
    returned = False
    for key in open_keys(round):
        if key.player == player and box in (None, key.box) and bet in (None, key.bet):
            return_open(round, key, rules)
            returned = True
    clear_hands_without_wagers(round, rules)
    if returned:
        round.note(f"{player} withdraws.", rules)
    return returned


def clear_hands_without_wagers(round: Round, rules: Rules) -> None:
    """Take hands without a wager out of play, and return side wagers that cannot be decided.

    `rules` are the rules by which the wagers on these hands were returned.
    """
    for box in round.boxes.values():
        for hand in box.hands:
            hand.gone = hand.gone or not hand.has_open_stake
            hand.awaits_card = hand.awaits_card and not hand.gone
        if box.mains and len(box.dealt) < 2 and all(hand.gone for hand in box.hands):
            _return_undecidable(round, box, rules)


def _return_undecidable(round: Round, box: Box, rules: Rules) -> None:
    """Return side wagers on the first two cards of a box that gets no second card."""
    for wager in round.wagers:
        side = round.book.side_wagers.get(wager.key.bet)
        if side is None or wager.key.box != box.number or not wager.open:
            continue
        if side.settles != "dealer-hand":
            return_wager(round, wager, (*rules, reading("side-wager-on-an-emptied-box")))


def return_open(round: Round, key: Key, rules: Rules) -> None:
    """Return the open part of one wager to its owner."""
    box = round.boxes.get(key.box)
    if key.bet == "main" and box is not None:
        for hand in box.hands:
            stake = hand.stake_of(key.player)
            if stake is not None and stake.open:
                stake.open = False
                hand_back(round, key, "void", rules, money=stake.money)
        return
    for wager in round.wagers:
        if wager.key == key and wager.open:
            return_wager(round, wager, rules)


def return_wager(round: Round, wager: Wager, rules: Rules) -> None:
    wager.open = wager.waits_for_press = wager.may_ride = False
    lying = wager.riding or wager.amount
    wager.riding = 0
    hand_back(round, wager.key, "void", rules, money=lying)


def undo(round: Round, key: Key, rules: Rules) -> None:
    """Reverse everything of one wager as if it had never been placed.

    A wager that was already returned keeps the rules that returned it.
    """
    if round.parts.get(key) and set(round.parts[key]) == {"void"} and key not in open_keys(round):
        return
    for posting in [posting for posting in round.postings if posting.key == key]:
        round.postings.append(Posting(key, posting.target, posting.source, posting.cents))
    for wager in round.wagers:
        if wager.key == key:
            wager.open = wager.waits_for_press = wager.may_ride = False
            wager.riding = 0
    box = round.boxes.get(key.box)
    if key.bet == "main" and box is not None:
        for hand in box.hands:
            stake = hand.stake_of(key.player)
            if stake is not None:
                stake.open = False
    round.parts[key] = ("void",)
    round.cited[key] = rules


def box_of(round: Round, place: str) -> Box:
    return round.boxes[int(place.partition(".")[0])]


def hands_at(box: Box, place: str) -> list[Hand]:
    """Return all hands of a box (`2`), or one of them (`2.1`)."""
    _, _, order = place.partition(".")
    return [box.hands[int(order) - 1]] if order else list(box.hands)


def _void_beside(round: Round, box: Box, rules: Rules) -> None:
    """Void the wagers tied to a box if all its hands are void, and return the undecided ones."""
    for wager in round.wagers:
        with_hand = _void_with_its_hand(round, wager.key.bet)
        if wager.key.box == box.number and with_hand:
            undo(round, wager.key, with_hand + rules)
    _return_beside(round, box, rules)


def _return_beside(round: Round, box: Box, rules: Rules) -> None:
    """Return the undecided side wagers on the box's cards; settled ones stand."""
    for wager in round.wagers:
        if wager.key.box != box.number:
            continue
        bet = wager.key.bet
        if bet == "ante":
            _keep_ante(round, wager.key)
        elif wager.open and bet != "insurance" and not _decided_by_dealer(round, bet):
            return_wager(round, wager, (*rules, reading("void-hand-side-wagers")))
        elif not wager.open and _is_settled(round, wager.key):
            cite(round, wager.key, (reading("void-hand-side-wagers"),))
        elif wager.open:
            cite(round, wager.key, (reading("dealers-hand-wagers"),))


def _void_with_its_hand(round: Round, bet: str) -> Rules:
    """Return the rule that voids this wager with its hand, settled or not; empty without one."""
    if bet == "insurance" and round.book.says("insurance.hand_void", "void"):
        return round.book.rules("insurance.hand_void")
    return rules_of_void_hand(round, bet)


def rules_of_void_hand(round: Round, bet: str) -> Rules:
    """Return the separate rules by which a side wager is void with its hand; empty for most."""
    side = round.book.side_wagers.get(bet)
    return side.void_with_hand if side is not None else ()


def _decided_by_dealer(round: Round, bet: str) -> bool:
    side = round.book.side_wagers.get(bet)
    return side is not None and side.settles == "dealer-hand"


def open_keys(round: Round) -> list[Key]:
    keys = [wager.key for wager in round.wagers if wager.open]
    for box in round.boxes.values():
        for hand in box.hands:
            keys += [Key(box.number, stake.player, "main") for stake in hand.stakes if stake.open]
    return list(dict.fromkeys(keys))


def _all_keys(round: Round) -> list[Key]:
    return list(dict.fromkeys(posting.key for posting in round.postings))
