"""The actions that a player may take with a hand: doubling, splitting, surrendering, forced draws.

The `against_` functions return the refusal, so that callers can cite the rule against an action.
"""

from __future__ import annotations

from cutcard.engine.choices import rules_of_late_options
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Box, Hand, Round
from cutcard.rulebooks.book import Rules


def against_double(round: Round, box: Box, hand: Hand) -> RefusedError | None:
    """Return the refusal if this hand may not double, else None."""
    book, cards = round.book, book_cards(round)
    total = hand.total
    if cards == "never":
        return RefusedError("doubling is not offered in this game", book.rules("double.cards"))
    if hand.doubled:
        return RefusedError("the hand is already doubled", book.rules("double.one_card"))
    if hand.is_blackjack:
        entry = book.get("double.not_blackjack")
        rules = (entry.rules if entry else ()) + rules_of_double(round, hand)
        return RefusedError("a Blackjack may not be doubled", rules + book.rules("draw.not_at_21"))
    if hand.split_ace:
        rules = book.rules("split.aces_one_card") + rules_of_double(round, hand)
        return RefusedError("a split ace gets only one card", rules + book.rules("double.totals"))
    if hand.from_split and book.says_no("double.after_split"):
        rules = book.rules("double.after_split") + rules_of_double(round, hand)
        return RefusedError("a split hand may not be doubled", rules)
    most = {"two": 2, "two-or-three": 3}.get(cards)
    if most is not None and len(hand.cards) > most:
        return RefusedError(
            f"only a hand of {cards.replace('-', ' ')} cards may be doubled",
            book.rules("double.cards"),
        )
    if total.points >= 21:
        return RefusedError("the hand has 21", book.rules("draw.not_at_21"))
    totals = book["double.totals"]
    if totals.value == "no-aces" and any(card.rank == "A" for card in hand.cards):
        return RefusedError("a hand with an ace may not be doubled", totals.rules)
    if totals.value == "hard-9-10-11" and not _is_hard_9_10_11(hand):
        return RefusedError(f"only a hard 9, 10 or 11 may be doubled, not {total}", totals.rules)
    if totals.value == "hard-10-11" and (total.soft or total.points not in (10, 11)):
        return RefusedError(f"only a hard 10 or 11 may be doubled, not {total}", totals.rules)
    return None


def rules_of_double(round: Round, hand: Hand) -> Rules:
    """Return the rules for doubling this hand: they differ for split hands and for later cards."""
    split = "split_" if hand.from_split else ""
    entry = round.book.get(f"double.on_{split}{'more' if len(hand.cards) > 2 else 'two'}")
    return entry.rules if entry else round.book.rules("double.cards")


def book_cards(round: Round) -> str:
    cards: str = round.book["double.cards"].value
    return cards


def double_is_free(round: Round, hand: Hand) -> bool:
    free = round.book["double.free"].value
    if free == "never" or len(hand.cards) != 2:
        return False
    return _is_hard_9_10_11(hand)


def against_split(round: Round, box: Box, hand: Hand) -> RefusedError | None:
    """Return the refusal if this hand may not be split, else None."""
    book = round.book
    if not book.flag("split.allowed"):
        return RefusedError("splitting is not offered in this game", book.rules("split.allowed"))
    if hand.split_ace and book.flag("split.aces_once"):
        return RefusedError("aces may be split only once", book.rules("split.aces_once"))
    if hand.split_ace and not book.flag("split.aces_again"):
        return RefusedError("a split ace gets only one card", book.rules("split.aces_one_card"))
    if hand.doubled or not hand.is_pair:
        return RefusedError("only two cards of one value may be split", book.rules("split.allowed"))
    most: int = book["split.hands"].value
    if most and len(box.hands) >= most:
        return RefusedError(f"a box may have at most {most} hands", book.rules("split.hands"))
    if book.flag("split.declined_ends") and box.unsplit == hand.cards[0].points:
        return RefusedError(
            "the player did not split a hand of this value before",
            book.rules("split.declined_ends"),
        )
    return None


def split_is_free(round: Round, hand: Hand) -> bool:
    return round.book.says("split.free", "not-tens") and hand.cards[0].points != 10


def against_surrender(round: Round, box: Box, hand: Hand) -> RefusedError | None:
    """Return the refusal if this hand may not be surrendered, else None."""
    book = round.book
    kind = book["surrender.kind"]
    if kind.value == "none":
        return RefusedError("surrender is not offered in this game", kind.rules)
    against = book["surrender.against"]
    if not round.dealer or round.dealer[0].rank not in against.value:
        shown = round.dealer[0] if round.dealer else "no card"
        why = against.rules + rules_of_late_options(round)
        return RefusedError(f"no surrender against the dealer's {shown}", why)
    two = book.get("surrender.cards")
    rules_of_two_cards = kind.rules + (two.rules if two else ())
    if hand.from_split or len(box.hands) > 1:
        split = book.get("surrender.not_split")
        rules = split.rules if split else rules_of_two_cards
        return RefusedError("a split hand may not surrender", rules)
    # If the dealer gets the first card late, players with more than two cards may surrender
    # (Singapore 5.12.2).
    if (len(hand.cards) != 2 or hand.doubled) and "surrender" not in round.late_options:
        return RefusedError("only the first two cards may be surrendered", rules_of_two_cards)
    if hand.total.points >= 21 and kind.value != "final":
        return RefusedError("a hand of 21 may not surrender", kind.rules)
    return None


def must_draw(round: Round, box: Box, hand: Hand) -> bool:
    """Return whether the hand must draw and has no other option."""
    forced = round.book["draw.forced"].value
    if forced == "never" or len(hand.cards) < 2 or hand.split_ace:
        return False
    if forced == "to-12":
        return hand.total.points <= 11 and not _has_another_way(round, box, hand)
    if forced == "select":
        return _below_forced(round, hand)
    if not round.table.forced_draw:
        return False
    if hand.forced:
        return _below_forced(round, hand)
    return hand.total.points < 12 and not _has_another_way(round, box, hand)


def against_stand(round: Round, hand: Hand) -> RefusedError | None:
    """Return the refusal if the hand must draw: in New Zealand, 11 or less (13.1(d)), else None."""
    forced = round.book["draw.forced"]
    if forced.value == "to-12" and hand.total.points <= 11:
        return RefusedError("a hand of 11 or less must draw", forced.rules)
    return None


def why_finished(round: Round, hand: Hand) -> Rules:
    """Return the rules that stop a finished hand from taking another card."""
    book = round.book
    rules: Rules = ()
    if hand.is_blackjack or (hand.cards and hand.total.points >= 21):
        rules += book.rules("draw.not_at_21")
    if hand.doubled:
        rules += book.rules("double.one_card")
    if hand.split_ace:
        rules += book.rules("split.aces_one_card")
    most = book["draw.most_cards"]
    if most.value and len(hand.cards) >= most.value:
        rules += most.rules
    return rules


def _has_another_way(round: Round, box: Box, hand: Hand) -> bool:
    return against_double(round, box, hand) is None or against_split(round, box, hand) is None


def _below_forced(round: Round, hand: Hand) -> bool:
    total = hand.total
    limit: int = round.book["draw.forced_soft" if total.soft else "draw.forced_hard"].value
    return total.points < limit


def _is_hard_9_10_11(hand: Hand) -> bool:
    return not hand.total.soft and hand.total.points in (9, 10, 11)
