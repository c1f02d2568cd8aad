"""Returning wagers: a round, a hand, a player's. Who may order it is the rulings' business."""

from __future__ import annotations

from cutcard.engine.ledger import HOUSE, LAYOUT, Key, Posting
from cutcard.engine.payments import cite, hand_back
from cutcard.engine.state import Box, Hand, Phase, Round, Wager
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


def void_round(round: Round, rules: Rules, *, settled_stands: bool) -> None:
    """Every wager goes back; what was settled before stands only where a rule says so."""
    if settled_stands:
        rules += _lay_busts_back(round)
        _cite_what_stands(round, rules)
        for key in _open_keys(round):
            return_open(round, key, rules)
    else:
        for key in _all_keys(round):
            if key.bet == "ante" and "lose" in round.parts.get(key, ()):
                cite(round, key, (reading("ante-kept"),))
            else:
                undo(round, key, _void_with_its_hand(round, key.bet) + rules)
    round.choices.clear()
    round.following = None
    round.phase = Phase.VOID
    round.note("The round is void.", rules)


def _cite_what_stands(round: Round, rules: Rules) -> None:
    """Wagers that were settled before name the rule that leaves them so (Crown 9.12.1)."""
    entry = round.book.get("rulings.interim_stands")
    standing = tuple(rule for rule in rules if entry is not None and rule in entry.rules)
    for key in set(round.parts) - set(_open_keys(round)):
        cite(round, key, standing)


def _lay_busts_back(round: Round) -> Rules:
    """What stands is an interim settlement (Crown 9.12.1); a bust is cleared at the end (5.14)."""
    found: Rules = ()
    for box in round.boxes.values():
        for hand in box.hands:
            if _lay_bust_back(round, box, hand):
                found = (reading("crown-bust-in-a-void-round"),)
    return found


def _lay_bust_back(round: Round, box: Box, hand: Hand) -> bool:
    """What a hand lost by busting lies on it again; False where it lost nothing so."""
    laid = False
    for stake in hand.stakes if hand.total.points > 21 else ():
        key = Key(box.number, stake.player, "main")
        parts = list(round.parts.get(key, ()))
        if stake.open or "lose" not in parts:
            continue
        parts.remove("lose")
        round.parts[key], stake.open, laid = tuple(parts), True, True
        if stake.money:
            round.postings.append(Posting(key, HOUSE, LAYOUT, stake.money))
    return laid


def void_hand(round: Round, place: str, rules: Rules) -> None:
    """The stakes on one hand, or on all hands of a box, go back and the cards are removed.

    A box that is void whole is undone even if it was bust or paid, where the rulebook returns any
    wager on a void hand (New Zealand 16.5). Side wagers that the box's cards have yet to decide go
    with the box; those settled on its first two cards stand. Insurance goes with its hand where the
    rulebook says so.
    """
    box = box_of(round, place)
    hands = hands_at(box, place)
    settled_too = round.book.flag("rulings.void-hands-settled")
    if settled_too and hands == box.hands:
        for player in box.originals:
            undo(round, Key(box.number, player, "main"), rules)
    for hand in hands:
        if settled_too:
            _lay_bust_back(round, box, hand)
        return_hand(round, box, hand, rules)
    round.note(f"Hand {place} is void; the wagers on it go back.", rules)
    if all(hand.gone for hand in box.hands):
        _void_beside(round, box, rules)


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
    """Undecided wagers of a player come back, all or those of one box or bet; False if he has none.

    His hands play no further part.
    """
    returned = False
    for key in _open_keys(round):
        if key.player == player and box in (None, key.box) and bet in (None, key.bet):
            return_open(round, key, rules)
            returned = True
    for other in round.boxes.values():
        for hand in other.hands:
            hand.gone = hand.gone or not hand.has_open_stake
            hand.awaits_card = hand.awaits_card and not hand.gone
    if returned:
        round.note(f"{player} withdraws.", rules)
    return returned


def return_open(round: Round, key: Key, rules: Rules) -> None:
    """What is still open of one wager goes back to its owner."""
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
    """Everything of one wager is taken back as if it had never been placed."""
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
    """All hands of a box (`2`), or one of them (`2.1`)."""
    _, _, order = place.partition(".")
    return [box.hands[int(order) - 1]] if order else list(box.hands)


def _void_beside(round: Round, box: Box, rules: Rules) -> None:
    for wager in round.wagers:
        if wager.key.box != box.number:
            continue
        bet = wager.key.bet
        if with_hand := _void_with_its_hand(round, bet):
            undo(round, wager.key, with_hand + rules)
        elif wager.open and bet not in ("ante", "insurance") and not _decided_by_dealer(round, bet):
            return_wager(round, wager, rules)


def _void_with_its_hand(round: Round, bet: str) -> Rules:
    """The rule that voids this wager whenever its hand is, settled or not (9.6, 15.7)."""
    if bet == "super-sevens":
        return ("15.7",)
    if bet == "insurance" and round.book.says("insurance.hand_void", "void"):
        return round.book.rules("insurance.hand_void")
    return ()


def _decided_by_dealer(round: Round, bet: str) -> bool:
    side = round.book.side_wagers.get(bet)
    return side is not None and side.settles == "dealer-hand"


def _open_keys(round: Round) -> list[Key]:
    keys = [wager.key for wager in round.wagers if wager.open]
    for box in round.boxes.values():
        for hand in box.hands:
            keys += [Key(box.number, stake.player, "main") for stake in hand.stakes if stake.open]
    return list(dict.fromkeys(keys))


def _all_keys(round: Round) -> list[Key]:
    return list(dict.fromkeys(posting.key for posting in round.postings))
