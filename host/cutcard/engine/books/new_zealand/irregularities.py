"""New Zealand, section 16, with the shuffles that 7.1 and 8.7-8.8 require.

Division 2 refers to Division 1, which is not among the sources: matters that only Division 1 could
decide are left to management, and no rule is cited for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from cutcard.cards import Card
from cutcard.engine.books.new_zealand import NEW_ZEALAND
from cutcard.engine.choices import Choice, Option, answer, offer
from cutcard.engine.events import DEALERS_PLACE, Irregularity, Ruling
from cutcard.engine.irregularities import failing_button, lying_cards
from cutcard.engine.irregularities.dealers_cards import (
    as_text,
    put_dealers_hand_right,
    without_strays,
)
from cutcard.engine.irregularities.procedure import (
    Then,
    absent,
    choose_option,
    continue_option,
    handles,
    lay_out,
    order,
    stand_as_dealt,
    void_hands_option,
    void_round_option,
)
from cutcard.engine.irregularities.reconstruction import reconstruct_option
from cutcard.engine.irregularities.silence import management_decides
from cutcard.engine.irregularities.stage import (
    cards_have_left,
    dealers_hand_complete,
)
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.voiding import return_wager, return_wagers_on_dealer
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading

OPERATOR = "casino-operator"
MANAGEMENT = "game-supervisor"


@handles(NEW_ZEALAND, "face-up")
def face_up_card_is_discarded(round: Round, irregularity: Irregularity) -> None:
    """Remove the card from play (16.1)."""
    answer(round, irregularity, ("16.1",), f"{_cards(irregularity)} goes to the discard rack.")


@handles(NEW_ZEALAND, "drawn-in-error")
def card_drawn_in_error(round: Round, irregularity: Irregularity) -> None:
    """Use, remove or offer the card.

    An unseen card is used next (16.2). A seen one is removed if the dealer's hand is complete
    (16.3), and otherwise offered to the players (16.4).
    """
    if not irregularity.exposed:
        _next_card(round, irregularity, ("16.2",))
    elif irregularity.to in (None, DEALER) and dealers_hand_complete(round):
        answer(round, irregularity, ("16.3",), f"{_cards(irregularity)} goes to the discard rack.")
    elif round.phase is Phase.INITIAL_DEAL:
        # 16.4 begins after the initial deal; before, the correct sequence is kept.
        _next_card(round, irregularity, ("16.5",))
    else:
        _next_card(round, irregularity, ("16.4",))
        refusing = ("16.4", reading("nz-refused-card"))
        lying_cards.offer_to_players(round, irregularity, ("16.4",), refusing)


@handles(NEW_ZEALAND, "misdeal", "box-missed", "one-card", "no-wager", "dealer-missed")
def round_is_reconstructed(round: Round, irregularity: Irregularity) -> None:
    """Offer to reconstruct the round, or to void the affected hands if that is not possible (16.5).

    Cards left exposed when the round is reconstructed leave play (16.3).
    """
    if irregularity.kind == "misdeal":
        affected = tuple(DEALER if box == DEALERS_PLACE else str(box) for box in irregularity.boxes)
    else:
        affected = (str(irregularity.box),) if irregularity.box is not None else ()
    options = (
        _reconstruct(irregularity, left_over=("16.3",)),
        _void_by_16_5(irregularity, affected),
    )
    offer(round, Choice(irregularity, options, ("16.5",)))


@handles(NEW_ZEALAND, "not-offered")
def option_not_offered(round: Round, irregularity: Irregularity) -> None:
    """Allow insurance until the dealer's second card (16.11); offer to reconstruct other cases."""
    if irregularity.option == "insurance":
        if len(round.dealer) < 2:
            round.late_options |= {f"insurance {irregularity.box}"}
            answer(round, irregularity, ("16.11",), f"Box {irregularity.box} may still insure.")
        else:
            answer(
                round,
                irregularity,
                ("16.11",),
                "The dealer has a second card: insurance is no longer possible.",
            )
        return

    def stand(round: Round) -> None:
        stand_as_dealt(round, irregularity)
        if irregularity.option != "decision" and irregularity.boxes[:1] == (DEALERS_PLACE,):
            round.astray += irregularity.cards[:1]  # the card that the player asked for

    affected = (str(irregularity.box),)
    options = (_reconstruct(irregularity), _void_by_16_5(irregularity, affected, first=stand))
    offer(round, Choice(irregularity, options, ("16.5",)))


@handles(NEW_ZEALAND, "malfunction")
def device_fails(round: Round, irregularity: Irregularity) -> None:
    """Let the operator void the round or the affected hands of a Continuous Shuffler (16.13).

    16.5 applies to any other device: 16.13 overrides it only for the Continuous Shuffler.
    """
    if round.table.shuffler == "continuous":
        options = (
            void_round_option(OPERATOR, _void_round_rules("16.13"), settled_stands=False),
            void_hands_option(OPERATOR, ("16.13",), irregularity.hands),
        )
        # A round begins with its first card (1.0): before it, there are no hands to void.
        required = cards_have_left(round)
        offer(round, Choice(irregularity, options, ("16.13",), required, default="continue"))
    else:
        _error_of_dealing(round, irregularity, irregularity.hands)


@handles(NEW_ZEALAND, "simultaneous-draw")
def two_cards_at_once(round: Round, irregularity: Irregularity) -> None:
    """Treat the surplus card as drawn in error (16.2, 16.4), since no rule covers this case.

    The operator may treat it as an error of dealing (16.5), or as a malfunction if a Continuous
    Shuffler dealt the cards (16.13).
    """
    lay_out(round, irregularity, irregularity.disclosed)
    rules: Rules = ("16.4",) if irregularity.disclosed else ("16.2",)
    options = [
        choose_option(OPERATOR, irregularity, rules),
        continue_option(OPERATOR, rules),
        _reconstruct(irregularity),
    ]
    if round.table.shuffler == "continuous":
        options += [
            void_round_option(OPERATOR, _void_round_rules("16.13"), settled_stands=False),
            void_hands_option(OPERATOR, ("16.13",)),
        ]
    else:
        options.append(_void_by_16_5(irregularity, ()))
    # An unseen card is the next card by 16.2, so no player can refuse it.
    choice = Choice(
        irregularity,
        tuple(options),
        rules,
        required=False,
        default="continue",
        holds=True,
        by_rule=not irregularity.disclosed,
    )
    offer(round, choice)


@handles(NEW_ZEALAND, "absent")
def player_absent(round: Round, irregularity: Irregularity) -> None:
    """Let the operator deal cards until the hand has 12, unless a co-player decides (16.6)."""
    absent(
        round, irregularity, OPERATOR, passes_on=("16.6", "14.3(a)", reading("nz-absent-caller"))
    )


@handles(NEW_ZEALAND, "shoe-empty")
def discards_are_shuffled(round: Round, irregularity: Irregularity) -> None:
    """Shuffle and cut the discards, put them into the shoe, and continue the round (16.7)."""
    order(round, "shuffle and cut the discards, put them into the shoe", "now", ("16.7",))
    answer(round, irregularity, ("16.7",))


@handles(NEW_ZEALAND, "damaged-card")
def damaged_card_is_replaced(round: Round, irregularity: Irregularity) -> None:
    """Replace the card at the end of the round (16.8)."""
    order(round, "replace the damaged card", "at the end of the round", ("16.8",))
    answer(round, irregularity, ("16.8",))


@handles(NEW_ZEALAND, "cut-card-missed")
def missed_shuffle(round: Round, irregularity: Irregularity) -> None:
    """Make the missed shuffle of 8.7 and 8.8 after the round (16.9)."""
    order(round, "shuffle", "at the end of the round", ("16.9",))
    answer(round, irregularity, ("16.9",))


@handles(NEW_ZEALAND, "no-cut-card")
def cutting_card_not_inserted(round: Round, irregularity: Irregularity) -> None:
    """Reshuffle at the end of the round (16.10); a Continuous Shuffler has no cutting card."""
    if round.table.shuffler == "continuous":
        answer(
            round,
            irregularity,
            ("16.10",),
            "A Continuous Shuffler has no cutting card.",
        )
        return
    order(
        round, "take the cards out of the shoe and shuffle", "at the end of the round", ("16.10",)
    )
    answer(round, irregularity, ("16.10",))


@handles(NEW_ZEALAND, "cut-card")
def cutting_card_appears(round: Round, irregularity: Irregularity) -> None:
    """Shuffle now before the first card (7.1(b), 8.8), otherwise after the round (7.1(c), 8.7)."""
    if cards_have_left(round):
        rules: Rules = ("7.1(c)", "8.7")
        order(round, "shuffle", "at the end of the round", rules)
    else:
        rules = ("7.1(b)", "8.8")
        order(round, "shuffle", "now", rules)
    answer(round, irregularity, rules)


@handles(NEW_ZEALAND, "exposed-cards")
def cards_seen_before_the_shoe(round: Round, irregularity: Irregularity) -> None:
    """Shuffle if a card is exposed before the cards enter the shoe (7.1(f))."""
    order(round, "shuffle", "before the cards are used", ("7.1(f)",))
    answer(round, irregularity, ("7.1(f)",))


@handles(NEW_ZEALAND, "suspect-shuffle")
def randomness_is_doubted(round: Round, irregularity: Irregularity) -> None:
    """Let a game supervisor or casino supervisor order a shuffle (7.1(e))."""
    shuffle = partial(order, what="shuffle", when="now", rules=("7.1(e)",))
    options = (continue_option(MANAGEMENT, ("7.1(e)",), shuffle),)
    offer(round, Choice(irregularity, options, ("7.1(e)",), required=False, default="continue"))


@handles(NEW_ZEALAND, "no-burn")
def first_card_not_burned(round: Round, irregularity: Irregularity) -> None:
    """Continue: burning a card is the operator's option, so no step is missing (8.1)."""
    answer(round, irregularity, ("8.1",), "Play continues: burning a card is optional.")


@handles(NEW_ZEALAND, "jackpot-failure")
def madness_equipment_fails(round: Round, irregularity: Irregularity) -> None:
    """Pay a won Madness 21 wager $25; before the first card, return the wager (16.12)."""
    rules = ("16.12",)
    if irregularity.bet != "madness-21":
        management_decides(round, irregularity, MANAGEMENT)
        return
    if cards_have_left(round):
        failing_button.out_of_order(round, irregularity.bet, rules)
    else:
        for wager in round.wagers:
            if wager.key.bet == irregularity.bet and wager.open:
                return_wager(round, wager, rules)
    order(round, "offer no Madness 21 until the equipment is repaired", "from now", rules)
    answer(round, irregularity, rules)


@handles(NEW_ZEALAND, "meter-mismatch")
def pay_displayed_amount(round: Round, irregularity: Irregularity) -> None:
    """Keep the amount that the prize display shows (15A.7)."""
    answer(round, irregularity, ("15A.7",), f"The display's ${irregularity.meter} is paid.")


@handles(NEW_ZEALAND, "anything else")
def division_2_is_silent(round: Round, irregularity: Irregularity) -> None:
    """Let management decide wrong cards, power failure, disruption, fraud and a self-fired button.

    Division 1 covers these, and it is not among the sources. A power failure that stops a
    Continuous Shuffler may be ruled a malfunction of it.
    """
    if irregularity.kind == "power-failure" and round.table.shuffler == "continuous":
        rules = ("16.13", reading("nz-power-failure"))
        options = (
            continue_option(OPERATOR, ()),
            void_round_option(OPERATOR, _void_round_rules(*rules), settled_stands=False),
            void_hands_option(OPERATOR, rules),
        )
        offer(round, Choice(irregularity, options, rules))
    else:
        management_decides(round, irregularity, MANAGEMENT)


def _error_of_dealing(round: Round, irregularity: Irregularity, affected: tuple[str, ...]) -> None:
    """Offer to reconstruct, or to void the affected hands if that is not possible (16.5)."""
    options = (
        _reconstruct(irregularity),
        _void_by_16_5(irregularity, affected),
        continue_option(OPERATOR, ("16.5",)),
    )
    required = cards_have_left(round)
    offer(round, Choice(irregularity, options, ("16.5",), required, default="continue"))


def _next_card(round: Round, irregularity: Irregularity, rules: Rules) -> None:
    lay_out(round, irregularity)
    answer(round, irregularity, rules, f"{_cards(irregularity)} is the next card.")


def _void_round_rules(*rules: str) -> Rules:
    return (*rules, reading("void-round-returns-all"))


def _reconstruct(irregularity: Irregularity, left_over: Rules = ()) -> Option:
    """Return the option to reconstruct the round (16.5).

    If the ruling names only the dealer's cards, only the dealer's hand is reconstructed.
    """
    whole = reconstruct_option(OPERATOR, ("16.5",), left_over)

    def effect(round: Round, ruling: Ruling) -> None:
        if ruling.dealer and not ruling.cards:
            _reconstruct_dealers_hand(round, irregularity, ruling.dealer)
        else:
            whole.effect(round, ruling)

    return replace(whole, effect=effect)


def _void_by_16_5(
    irregularity: Irregularity, affected: tuple[str, ...], first: Then | None = None
) -> Option:
    """Return the option to void players' hands (16.5(a)); the dealer's is reconstructed (16.5(b)).

    If all players' hands are void, the dealer's hand is not reconstructed.
    """
    rules: Rules = ("16.5(a)", "16.5(b)")
    void = void_hands_option(OPERATOR, rules, affected, first)

    def effect(round: Round, ruling: Ruling) -> None:
        players = ruling.hands or tuple(place for place in affected if place != DEALER)
        if DEALER in players or not players:
            raise RefusedError(
                "the dealer's hand is reconstructed and completed, never void: name the players' "
                "hands that are void, or rule reconstruct with the dealer's cards",
                ("16.5(b)", reading("nz-dealers-hand-is-reconstructed")),
            )
        void.effect(round, replace(ruling, hands=players, dealer=()))
        if not _all_hands_void(round):
            cards = ruling.dealer or without_strays(round)
            _reconstruct_dealers_hand(round, irregularity, cards)
        elif ruling.dealer:
            raise RefusedError(
                "all players' hands are void: the dealer's hand is not reconstructed", ("16.5(b)",)
            )
        else:
            return_wagers_on_dealer(round, (*rules, reading("dealers-hand-wagers")))

    return replace(void, effect=effect)


def _all_hands_void(round: Round) -> bool:
    mains = [wager.key for wager in round.placed if wager.bet == "main"]
    in_play = any(hand.has_open_stake for box in round.boxes.values() for hand in box.hands)
    return not in_play and all(set(round.parts.get(key, ())) == {"void"} for key in mains)


def _reconstruct_dealers_hand(
    round: Round, irregularity: Irregularity, cards: Sequence[Card]
) -> None:
    """Correct the dealer's hand as far as possible (16.5(b)); removed cards leave play (16.3)."""
    if list(cards) == round.dealer:
        return
    rules = ("16.5(b)", reading("nz-dealers-hand-is-reconstructed"))
    lost = put_dealers_hand_right(round, cards, rules)
    text = f"The dealer's hand is reconstructed: {as_text(cards)}."
    answer(round, irregularity, rules, text)
    if lost:
        answer(round, irregularity, ("16.3",), f"{as_text(lost)} goes to the discard rack.")


def _cards(irregularity: Irregularity) -> str:
    return " ".join(map(str, irregularity.cards))
