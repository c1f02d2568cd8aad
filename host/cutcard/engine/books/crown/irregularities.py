"""Crown, rules 4.1, 4.4, 9 and 32; `jackpots.py` has the irregularities of the jackpots.

9.1.1 and 9.12 do not name the person that rules, so the TG Higher Duties Dealer does (1.2). Matters
that the rules do not cover are for the TG Area Manager (32.10).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from cutcard.engine.books.crown import CROWN
from cutcard.engine.choices import Choice, Option, answer, offer
from cutcard.engine.events import Deal, Irregularity
from cutcard.engine.irregularities.procedure import (
    absent,
    box_of,
    continue_option,
    dealers_first_card,
    discard_box,
    first_card_options,
    handles,
    keep_settled_round,
    lay_out,
    order,
    players_on,
    return_box,
    second_card_in_turn,
    stay_options,
    take_back_cards,
    void_round_option,
    void_wagers_option,
    withdraw_option,
)
from cutcard.engine.irregularities.reconstruction import (
    fallen,
    reconstruct,
    reconstruct_option,
)
from cutcard.engine.irregularities.silence import management_decides
from cutcard.engine.irregularities.stage import (
    anything_settled,
    cards_have_left,
    dealers_hand_complete,
    initial_deal_over,
)
from cutcard.engine.state import DEALER, Round
from cutcard.engine.voiding import void_round
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading

HIGHER_DUTIES = "tg-higher-duties-dealer"
AREA_MANAGER = "tg-area-manager"
ASSISTANT_MANAGER = "tg-assistant-casino-manager"
# At tables with these jackpots, all interim settlements stand when a round is void.
JACKPOT_RULES = {"blackjack-jackpots": "21.11.2", "supernova": "24.10.2"}


# ---- cards that left the device wrongly -----------------------------------------------------


@handles(CROWN, "face-up")
def face_up_card_is_discarded(round: Round, irregularity: Irregularity) -> None:
    """Discard the card (9.2)."""
    answer(round, irregularity, ("9.2",), f"{irregularity.cards[0]} is discarded.")


@handles(CROWN, "drawn-in-error")
def card_drawn_in_excess(round: Round, irregularity: Irregularity) -> None:
    """Use the card next, as undisclosed even if it was seen (9.3).

    A seen card is discarded if the dealer's hand is complete (9.3.1).
    """
    if irregularity.exposed and irregularity.to in (None, DEALER) and dealers_hand_complete(round):
        answer(round, irregularity, ("9.3.1",), f"{irregularity.cards[0]} is discarded.")
        return
    lay_out(round, irregularity)
    answer(round, irregularity, ("9.3",), f"{irregularity.cards[0]} is the next card.")


@handles(CROWN, "simultaneous-draw")
def two_cards_at_once(round: Round, irregularity: Irregularity) -> None:
    """Void the round if it cannot be completed (9.12); from a shoe the card is in excess (9.3)."""
    lay_out(round, irregularity)
    if round.table.shuffler != "continuous":
        answer(round, irregularity, ("9.3",), "The card in excess is the next card.")
        return
    options = (
        _void_round(round, HIGHER_DUTIES, _of_9_12(round), settled_stands=True),
        continue_option(HIGHER_DUTIES, ("9.12", "9.3")),
    )
    offer(round, Choice(irregularity, options, ("9.12",)))


@handles(CROWN, "malfunction")
def machine_fails(round: Round, irregularity: Irregularity) -> None:
    """Void a continuous machine's round that cannot be completed (9.12). A plain shoe: 32.10."""
    if round.table.shuffler != "continuous":
        _not_covered(round, irregularity)
        return
    options = (
        _void_round(round, HIGHER_DUTIES, _of_9_12(round), settled_stands=True),
        continue_option(HIGHER_DUTIES, ("9.12",)),
    )
    offer(round, Choice(irregularity, options, ("9.12",)))


@handles(CROWN, "wrong-cards")
def deck_is_not_correct(round: Round, irregularity: Irregularity) -> None:
    """Void this round, return all money, and take the rest of the shoe out of use (9.13-9.16).

    Unshuffled cards are the right cards, so 4.1.1 applies to them, not 9.13.
    """
    if irregularity.found == "unshuffled":
        randomness_is_doubted(round, irregularity)
        return
    rules: Rules = ("9.13", "9.15", "9.16")
    void_round(round, _void_rules(round, rules), settled_stands=_jackpot_table(round))
    order(round, "take the cards of the shoe out of play", "now", ("9.16",))
    answer(round, irregularity, _void_rules(round, rules))


@handles(CROWN, "wrong-cards", when_settled=True)
def completed_rounds_stand(round: Round, irregularity: Irregularity) -> None:
    """Leave settled rounds unchanged (9.14, 9.9.1); take the rest of the shoe out of use (9.16).

    Unshuffled cards are the right cards here too: 4.1.1 applies.
    """
    if irregularity.found == "unshuffled":
        randomness_is_doubted(round, irregularity)
        return
    order(round, "take the cards of the shoe out of play", "now", ("9.16",))
    rules = ("9.14", "9.9.1", "9.16", reading("crown-wrong-cards-when-settled"))
    answer(round, irregularity, rules)


# ---- cards in the wrong place ---------------------------------------------------------------


@handles(CROWN, "misdeal")
def cards_misplaced(round: Round, irregularity: Irregularity) -> None:
    """Offer a reconstruction before an interim settlement or a subsequent card (9.5).

    A subsequent card on a wrong place counts as drawn in excess (9.9, 9.3). If the error in the
    initial deal is noticed too late, the TG Area Manager decides (32.10).
    """
    if may_reconstruct(round):
        _offer_reconstruction(round, irregularity)
    elif _went_astray_later(round):
        reconstruct(round, fallen(round), ("9.9", "9.3"))
        answer(round, irregularity, ("9.9", "9.3"), "The cards dealt since are the next ones.")
    else:
        _not_covered(round, irregularity, without=("reconstruct",), rules=("32.10", "9.5"))


@handles(CROWN, "no-wager")
@handles(CROWN, "no-wager", when_settled=True)
def hand_without_wager(round: Round, irregularity: Irregularity) -> None:
    """Void a round without any wager (9.4); otherwise discard the hand without a wager (9.6).

    Without a wager no settlement can happen, so 9.4 always applies; after the settlement 9.6 does
    not (9.9.1).
    """
    if not any(box.mains for box in round.boxes.values()):
        order(round, "burn the cards dealt in excess", "now", ("9.4",))
        void_round(round, ("9.4", "32.5"), settled_stands=False)
        answer(round, irregularity, ("9.4",))
        return
    if round.over:
        keep_settled_round(round, irregularity)
        return
    discard_box(round, box_of(round, irregularity))
    _by_the_subsequent_deal(round, irregularity, ("9.6",))


@handles(CROWN, "dealer-missed")
def dealer_has_no_card(round: Round, irregularity: Irregularity) -> None:
    """Let the player in turn complete the hand first, or have the dealer's card dealt now (9.7)."""
    if may_reconstruct(round) and not initial_deal_over(round):
        _offer_reconstruction(
            round,
            irregularity,
            partial(_ask_player_in_turn, irregularity=irregularity),
            partial(first_card_options, first=("9.7.2",), after=("9.7.1",)),
        )
    else:
        _ask_player_in_turn(round, irregularity)


@handles(CROWN, "box-missed")
def box_got_no_cards(round: Round, irregularity: Irregularity) -> None:
    """Void the wager if the error is noticed during the subsequent deal (9.8)."""
    return_box(round, box_of(round, irregularity), ("9.8", "32.5"))
    _by_the_subsequent_deal(round, irregularity, ("9.8",))


@handles(CROWN, "one-card")
def box_got_one_card(round: Round, irregularity: Irregularity) -> None:
    """Let the player take the wager back, or get the second card in turn (9.8.1)."""
    box = box_of(round, irregularity)
    second_card_in_turn(box)
    players = players_on(box)
    options: tuple[Option, ...] = (
        withdraw_option(("9.8.1",), players, irregularity.box),
        *stay_options(("9.8.1",), ("stay", "act-on-hand", "continue"), players),
    )
    if may_reconstruct(round):
        options += (reconstruct_option(HIGHER_DUTIES, ("9.5",)), _keep_on(("9.5",)))
    rules: Rules = ("9.8.1",)
    offer(
        round,
        Choice(irregularity, options, rules, required=False, default="stay", for_each_player=True),
    )


@handles(CROWN, "not-offered")
def option_not_offered(round: Round, irregularity: Irregularity) -> None:
    """Use the cards dealt since, which are in excess, next (9.9); no rule covers insurance."""
    if irregularity.option == "insurance":
        rules = ("32.10", "7.3.2(a)")
        _not_covered(round, irregularity, rules=rules, without=("reconstruct", "void-hands"))
        return
    take_back_cards(round, irregularity)
    answer(round, irregularity, ("9.9", "9.3"), "The cards dealt since are the next ones.")


@handles(CROWN, "no-burn")
def first_card_not_burned(round: Round, irregularity: Irregularity) -> None:
    """Let results stand and continue (9.1); a shoe's first round may be reconstructed (9.1.1)."""
    if not cards_have_left(round) and round.table.shoe_round in (None, 1):
        order(round, "burn the first card", "now", ("9.1.1", "4.3"))
        answer(round, irregularity, ("9.1.1", "4.3"), "The first card is burned now.")
        return
    if round.table.shoe_round not in (None, 1):
        answer(round, irregularity, ("9.1",), "Play continues with this shoe.")
        return
    options = (
        reconstruct_option(HIGHER_DUTIES, ("9.1.1", "4.3")),
        continue_option(HIGHER_DUTIES, ("9.1",)),
    )
    offer(
        round, Choice(irregularity, options, ("9.1", "9.1.1"), required=False, default="continue")
    )


# ---- shuffles and replacement ---------------------------------------------------------------


@handles(CROWN, "cut-card")
def cutting_card_appears(round: Round, irregularity: Irregularity) -> None:
    """Shuffle now before the first card (4.1.1(b)), otherwise after the round (4.1.1(c))."""
    first = not cards_have_left(round)
    rules = ("4.1.1(b)",) if first else ("4.1.1(c)",)
    order(round, "shuffle", "now" if first else "at the end of the round", rules)
    answer(round, irregularity, rules)


@handles(CROWN, "cut-card-missed")
def missed_shuffle(round: Round, irregularity: Irregularity) -> None:
    """Shuffle at the completion of the round (9.10)."""
    order(round, "shuffle", "at the end of the round", ("9.10",))
    answer(round, irregularity, ("9.10",))


@handles(CROWN, "shoe-empty")
def discards_are_shuffled(round: Round, irregularity: Irregularity) -> None:
    """Shuffle and cut the discards, and complete the round (9.11)."""
    order(round, "shuffle and cut the discards", "now", ("9.11", "4.1", "4.2"))
    answer(round, irregularity, ("9.11",))


@handles(CROWN, "suspect-shuffle", "exposed-cards", "no-cut-card")
def randomness_is_doubted(round: Round, irregularity: Irregularity) -> None:
    """Let a TG Higher Duties Dealer order a shuffle (4.1.1).

    The cause is an abnormal sequence (d), or any other cause (e).

    A continuous machine takes no cutting card (3.1.1) and shuffles continuously (4.1.1(f)).
    """
    if irregularity.kind == "no-cut-card" and round.table.shuffler == "continuous":
        answer(round, irregularity, ("3.1.1",), "A continuous machine has no cutting card.")
        return
    rules: Rules = (
        ("4.1.1(d)", "4.1.1(e)") if irregularity.kind == "suspect-shuffle" else ("4.1.1(e)",)
    )
    if irregularity.kind == "wrong-cards":
        rules = ("4.1.1(a)", "4.1.1(e)")
    shuffle = partial(order, what="shuffle", when="now", rules=rules)
    options: tuple[Option, ...] = (continue_option(HIGHER_DUTIES, rules, shuffle),)
    if irregularity.kind == "wrong-cards" and not round.over:
        void = (*_void_rules(round, ("32.10",)), "32.5")
        options += (void_round_option(AREA_MANAGER, void, settled_stands=_jackpot_table(round)),)
    offer(round, Choice(irregularity, options, rules, required=False, default="continue"))


@handles(CROWN, "damaged-card")
def unfit_cards_are_replaced(round: Round, irregularity: Irregularity) -> None:
    """Have the cards replaced by order of the TG Area Manager, but not during a hand (4.4.2)."""
    replace_ = partial(
        order, what="replace the cards", when="at the end of the round", rules=("4.4.2", "4.4.3")
    )
    options = (continue_option(HIGHER_DUTIES, ("4.4.2",), replace_),)
    offer(round, Choice(irregularity, options, ("4.4.2",), required=False, default="continue"))


# ---- players and outside events --------------------------------------------------------------


@handles(CROWN, "absent")
def player_absent(round: Round, irregularity: Irregularity) -> None:
    """Apply 7.5.4, or the rule of the variation: stand, or draw to its limit."""
    absent(round, irregularity, HIGHER_DUTIES)


@handles(CROWN, "fraud")
@handles(CROWN, "fraud", when_settled=True)
def fraud_is_perpetrated(round: Round, irregularity: Irregularity) -> None:
    """Let a TG Assistant Casino Manager void the wagers, or the round (32.2.1, 32.3)."""
    options = (
        void_wagers_option(
            ASSISTANT_MANAGER,
            ("32.2.1", "32.3", "32.5", reading("crown-void-wager-paid")),
            irregularity.players,
        ),
        _void_round(round, ASSISTANT_MANAGER, ("32.3", "32.5"), settled_stands=False),
        continue_option(ASSISTANT_MANAGER, ("32.3",)),
    )
    offer(round, Choice(irregularity, options, ("32.2", "32.3"), required=not round.over))


@handles(CROWN, "disruption", "power-failure")
def round_is_disrupted(round: Round, irregularity: Irregularity) -> None:
    """Let a TG Higher Duties Dealer void the round (32.4); all wagers are returned (32.5)."""
    rules: Rules = ("32.4",)
    if irregularity.kind == "power-failure":
        rules += (reading("crown-power-failure"),)
    options = (
        _void_round(round, HIGHER_DUTIES, (*rules, "32.5"), settled_stands=False),
        continue_option(HIGHER_DUTIES, rules),
    )
    offer(round, Choice(irregularity, options, rules))


@handles(CROWN, "anything else")
def not_covered_by_the_rules(round: Round, irregularity: Irregularity) -> None:
    """Refer the matter to the TG Area Manager (32.10)."""
    _not_covered(round, irregularity)


# ---- shared by several handlers -------------------------------------------------------------


def may_reconstruct(round: Round) -> bool:
    """Return whether no wager is settled and no subsequent card is drawn (9.5.1, 9.5.2)."""
    return not (anything_settled(round) or round.further_card_dealt or round.over)


def _offer_reconstruction(
    round: Round,
    irregularity: Irregularity,
    otherwise: partial[None] | None = None,
    ways: Callable[[Round], tuple[Option, ...]] | None = None,
    *,
    required: bool = True,
) -> None:
    """Offer a reconstruction (9.5); each player may first take back wagers.

    `ways` returns the other options of the player then in turn.
    """

    def choice(round: Round) -> Choice:
        options = (
            reconstruct_option(HIGHER_DUTIES, ("9.5",)),
            _keep_on(("9.5",), otherwise),
            *(ways(round) if ways is not None else ()),
        )
        return Choice(irregularity, options, ("9.5",), required, anew=choice)

    retract = (withdraw_option(("9.5",)),)
    offer(round, Choice(irregularity, retract, ("9.5",), required=False, for_each_player=True))
    offer(round, choice(round))


def _keep_on(rules: Rules, then: partial[None] | None = None) -> Option:
    return continue_option(HIGHER_DUTIES, rules, then)


def _by_the_subsequent_deal(round: Round, irregularity: Irregularity, rules: Rules) -> None:
    """Apply 9.6 or 9.8, and offer a reconstruction if it is early enough (9.5)."""
    answer(round, irregularity, rules)
    if may_reconstruct(round):
        _offer_reconstruction(round, irregularity, required=False)


def _ask_player_in_turn(round: Round, irregularity: Irregularity) -> None:
    dealers_first_card(round, irregularity, ("9.7.2",), ("9.7.1",), required=True)
    if not any(choice.irregularity is irregularity for choice in round.choices):
        answer(round, irregularity, ("9.7",), "The dealer takes a first card.")


def _went_astray_later(round: Round) -> bool:
    """Return whether a card of the subsequent deal (not the initial one) went to a wrong place."""
    deals = [event for event in round.record if isinstance(event, Deal)]
    return any(deal.to is not None for deal in deals[len(round.deal_order) :])


def _void_round(round: Round, by: str, rules: Rules, *, settled_stands: bool) -> Option:
    stands = settled_stands or _jackpot_table(round)
    also = _interim_stands if "9.12" in rules else None
    return void_round_option(by, _void_rules(round, rules), settled_stands=stands, also=also)


def _of_9_12(round: Round) -> Rules:
    return ("9.12", *_interim_stands(round), "32.5")


def _interim_stands(round: Round) -> Rules:
    """Return 9.12.1 if an interim settlement was made before the ruling, else no rules.

    The corresponding rule of each jackpot at the table is added.
    """
    return ("9.12.1", *_of_jackpots(round)) if anything_settled(round) else ()


def _jackpot_table(round: Round) -> bool:
    return not JACKPOT_RULES.keys().isdisjoint(round.table.offers)


def _of_jackpots(round: Round) -> Rules:
    return tuple(rule for bet, rule in JACKPOT_RULES.items() if bet in round.table.offers)


def _void_rules(round: Round, rules: Rules) -> Rules:
    """Add 21.11.2 and 24.10.2 to the rule that voids, if the table has that jackpot.

    Otherwise rule 32 refunds all wagers in full; 9.12 and 9.15 state which settlements stand.
    """
    if "9.12" in rules:
        return rules
    own = _of_jackpots(round)
    if own:
        return (*rules, *own, reading("crown-jackpot-tables"))
    return rules if "9.15" in rules else (*rules, reading("crown-void-outcome"))


def _not_covered(
    round: Round,
    irregularity: Irregularity,
    *,
    rules: Rules = ("32.10",),
    without: tuple[str, ...] = (),
) -> None:
    management_decides(
        round,
        irregularity,
        AREA_MANAGER,
        rules,
        settled_stands=_jackpot_table(round),
        voiding=_void_rules(round, ("32.5",)),
        without=without,
    )
