"""Singapore, rules 5 and 6, except simultaneous cards (5.23), which `two_cards.py` has.

A malfunction, and any other matter that rule 5 does not cover, is for the Gaming Shift Manager
(6.1). If a rule names no person, the dealer acts, or any higher role (6.2).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cutcard.engine.books.singapore import SINGAPORE
from cutcard.engine.choice_owners import has_undecided_wager, is_present
from cutcard.engine.choices import PLAYER, Choice, Option, answer, offer
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities import lying_cards
from cutcard.engine.irregularities.procedure import (
    absent,
    box_of,
    continue_option,
    dealers_first_card,
    discard_box,
    handles,
    lay_out,
    order,
    players_on,
    return_box,
    second_card_in_turn,
    stand_as_dealt,
    stay_options,
    take_back_cards,
    void_round_option,
    withdraw_option,
)
from cutcard.engine.irregularities.reconstruction import reconstruct_option
from cutcard.engine.irregularities.silence import allow_insurance, management_decides
from cutcard.engine.irregularities.stage import (
    cards_have_left,
    dealers_hand_complete,
    initial_deal_over,
)
from cutcard.engine.outcomes import free_bet_used, outcome_established
from cutcard.engine.payments import cite
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import DEALER, Phase, Round
from cutcard.engine.voiding import void_round, withdraw
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading

SHIFT_MANAGER = "gaming-shift-manager"
PIT_SUPERVISOR = "pit-supervisor"


@handles(SINGAPORE, "wrong-cards")
def round_is_void(round: Round, irregularity: Irregularity) -> None:
    """Void the round (5.1.1); earlier rounds stand (5.1.2)."""
    rules: Rules = ("5.1", "5.1.1", reading("void-round-returns-all"))
    void_round(round, rules, settled_stands=False)
    order(round, "take the cards out, count and shuffle them", "now", ("5.1",))
    answer(round, irregularity, rules)


@handles(SINGAPORE, "wrong-cards", when_settled=True)
def earlier_rounds_stand(round: Round, irregularity: Irregularity) -> None:
    """Leave the outcomes of previous rounds unchanged (5.1.2)."""
    order(round, "take the cards out, count and shuffle them", "now", ("5.1",))
    answer(round, irregularity, ("5.1.2",))


# ---- cards that left the device wrongly -----------------------------------------------------


@handles(SINGAPORE, "face-up")
def face_up_card_is_played(round: Round, irregularity: Irregularity) -> None:
    """Play the card as if it were face down, after the first card of a round (5.5)."""
    if not cards_have_left(round):
        management_decides(round, irregularity, SHIFT_MANAGER, ("6.1",))
        return
    lay_out(round, irregularity)
    answer(
        round, irregularity, ("5.5",), f"{irregularity.cards[0]} is played as if it were face down."
    )


@handles(SINGAPORE, "drawn-in-error")
def card_dealt_in_error(round: Round, irregularity: Irregularity) -> None:
    """Remove the card if the dealer's hand is complete (5.7); otherwise use it next (5.8-5.10)."""
    if irregularity.to in (None, DEALER) and dealers_hand_complete(round):
        soft = round.dealer_total.soft
        rules: Rules = ("5.7", reading("singapore-completed-hand")) if soft else ("5.7",)
        answer(round, irregularity, rules, f"{irregularity.cards[0]} goes to the discard holder.")
        return
    lay_out(round, irregularity)
    answer(round, irregularity, ("5.8",), f"{irregularity.cards[0]} is the next card.")
    if round.phase is not Phase.INITIAL_DEAL:
        refusing = ("5.9", "5.24", reading("singapore-refused-card"))
        lying_cards.offer_to_players(round, irregularity, ("5.10",), refusing)


# ---- cards in the wrong place ---------------------------------------------------------------


@handles(SINGAPORE, "misdeal")
def cards_misplaced(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct the cards (5.6.1, 5.6.2); if that is impossible early, void the round (5.2)."""
    if initial_deal_over(round):
        round.note("The cards are to be reconstructed.", ("5.6.2",))
        ordered = (reconstruct_option("dealer", ("5.6.2",)),)
        management_decides(
            round, irregularity, SHIFT_MANAGER, ("6.1",), without=("reconstruct",), first=ordered
        )
    else:
        _reconstruct_or_void(round, irregularity, ("5.6.1",))


@handles(SINGAPORE, "dealer-missed")
def dealer_has_no_card(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct early (5.11); later the dealer draws, if asked after the hand in play (5.12)."""
    if not initial_deal_over(round):
        _reconstruct_or_void(round, irregularity, ("5.11",))
        return
    answer(round, irregularity, ("5.12", "5.12.2"), "The dealer takes a first card.")
    dealers_first_card(round, irregularity, ("5.12",), ("5.12.1",), required=False)
    round.late_options |= {"insurance", "surrender"}
    may_withdraw(round, irregularity)


@handles(SINGAPORE, "one-card")
def box_got_one_card(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct early (5.13); later the player acts in turn, or takes the wager back (5.16)."""
    box = box_of(round, irregularity)
    if not initial_deal_over(round):
        _reconstruct_or_void(round, irregularity, ("5.13",))
        return
    second_card_in_turn(box)
    players = players_on(box)
    options = (
        _take_back(("5.16.2", "5.25"), players),
        *stay_options(("5.16.1",), ("act-on-hand", "stay", "continue"), players),
    )
    answer(round, irregularity, ("5.16",))
    may_withdraw(round, irregularity)
    offer(round, Choice(irregularity, options, ("5.16",), required=False, for_each_player=True))


@handles(SINGAPORE, "box-missed")
def box_got_no_cards(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct early (5.13); later return the wager (5.14)."""
    if not initial_deal_over(round):
        _reconstruct_or_void(round, irregularity, ("5.13",))
        return
    return_box(round, box_of(round, irregularity), ("5.14",))
    answer(round, irregularity, ("5.14",))


@handles(SINGAPORE, "no-wager")
def hand_without_wager(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct early (5.6.1); later discard the cards (5.15) and let players withdraw (5.25)."""
    if not initial_deal_over(round) and any(box.mains for box in round.boxes.values()):
        _reconstruct_or_void(round, irregularity, ("5.6.1",))
        return
    discard_box(round, box_of(round, irregularity))
    answer(round, irregularity, ("5.15",), f"The cards of box {irregularity.box} are discarded.")
    may_withdraw(round, irregularity)


@handles(SINGAPORE, "not-offered")
def option_not_offered(round: Round, irregularity: Irregularity) -> None:
    """Take back the cards if one hand got them (5.17); with more hands it is too late (5.18)."""
    if irregularity.option == "insurance":
        _insurance_not_offered(round, irregularity)
    elif len(set(irregularity.boxes)) > 1:
        stand_as_dealt(round, irregularity)
        answer(round, irregularity, ("5.18",), f"Box {irregularity.box} has not acted in time.")
    else:
        take_back_cards(round, irregularity)
        answer(round, irregularity, ("5.17",), "The cards dealt since are the next ones.")


@handles(SINGAPORE, "no-burn")
def first_card_not_burned(round: Round, irregularity: Irregularity) -> None:
    """Reconstruct during the initial deal (5.21.1); later the card stays in play (5.21.2)."""
    if not cards_have_left(round):
        order(round, "burn the first card", "now", ("5.21",))
        answer(round, irregularity, ("5.21",), "The first card is burned now.")
    elif initial_deal_over(round):
        answer(round, irregularity, ("5.21.2",), "The card stays in play.")
    else:
        _reconstruct_or_void(round, irregularity, ("5.21.1",))


# ---- shuffles -------------------------------------------------------------------------------


@handles(SINGAPORE, "shoe-empty")
def discards_are_shuffled(round: Round, irregularity: Irregularity) -> None:
    """For hand-shuffled cards, riffle the discards once; the next player to act cuts (5.19)."""
    if not _shuffled_by_hand(round):
        management_decides(round, irregularity, SHIFT_MANAGER, ("6.1",))
        return
    order(round, "riffle the discards once, have the next player to act cut them", "now", ("5.19",))
    order(round, "shuffle and cut", "at the end of the round", ("5.19.1",))
    answer(round, irregularity, ("5.19", "5.19.1"))


@handles(SINGAPORE, "cut-card-missed")
def missed_shuffle(round: Round, irregularity: Irregularity) -> None:
    """For hand-shuffled cards: shuffle upon completion of the round (5.20)."""
    if not _shuffled_by_hand(round):
        management_decides(round, irregularity, SHIFT_MANAGER, ("6.1",))
        return
    order(round, "shuffle", "at the end of the round", ("5.20",))
    answer(round, irregularity, ("5.20",))


@handles(SINGAPORE, "cut-card")
def cutting_card_appears(round: Round, irregularity: Irregularity) -> None:
    """Refer the time of the shuffle to the Gaming Shift Manager (6.1), as no rule defines it.

    By 5.20 a shuffle follows the cutting card. Unless the Gaming Shift Manager rules otherwise it
    follows the round.
    """
    if _shuffled_by_hand(round):
        order(round, "shuffle", "at the end of the round", ("6.1",))
    management_decides(round, irregularity, SHIFT_MANAGER, ("6.1",))


def _shuffled_by_hand(round: Round) -> bool:
    return round.table.shuffler != "continuous"


# ---- players, power and the rest ------------------------------------------------------------


@handles(SINGAPORE, "absent")
def player_absent(round: Round, irregularity: Irregularity) -> None:
    """Let the dealer draw to the hand (5.22), unless a player on that area plays it (5.22.1)."""
    absent(round, irregularity, "dealer", passes_on=("5.22.1",))


@handles(SINGAPORE, "power-failure")
def power_fails(round: Round, irregularity: Irregularity) -> None:
    """Before any outcome let players withdraw all wagers (5.30.1); later continue (5.30.2)."""
    if outcome_established(round):
        rules: Rules = ("5.30.2", reading("singapore-outcome-established"))
        if free_bet_used(round):
            rules += (reading("singapore-first-marker"),)
        answer(round, irregularity, rules, "An outcome is established: play continues.")
        return
    players = tuple(dict.fromkeys(wager.player for wager in round.placed))
    _each_withdraws_or_stays(round, irregularity, players)


@handles(SINGAPORE, "anything else")
def referred_upwards(round: Round, irregularity: Irregularity) -> None:
    """Refer matters that these rules do not cover to the Gaming Shift Manager (6.1)."""
    management_decides(round, irregularity, SHIFT_MANAGER, ("6.1",))


def _each_withdraws_or_stays(
    round: Round, irregularity: Irregularity, waiting: tuple[str, ...]
) -> None:
    """Ask each player with a wager once; a withdrawal covers all wagers of the player (5.30.1)."""
    choice = _withdraw_or_stay(round, irregularity, waiting)
    if choice is not None:
        offer(round, choice)
    else:
        answer(round, irregularity, ("5.30.1",))


def _withdraw_or_stay(
    round: Round, irregularity: Irregularity, waiting: tuple[str, ...]
) -> Choice | None:
    rules: Rules = ("5.30.1",)
    asked = tuple(player for player in waiting if has_undecided_wager(round, player))
    if not any(is_present(round, player) for player in asked):
        return None

    def take_all(round: Round, ruling: Ruling) -> None:
        who = ruling.player or ruling.by or ""
        if ruling.box is not None or ruling.bet is not None:
            raise RefusedError("a player who withdraws must withdraw all wagers", rules)
        withdraw(round, who, rules)
        ask_the_others(round, who)

    def stay(round: Round, ruling: Ruling) -> None:
        ask_the_others(round, ruling.player or ruling.by or "")

    def ask_the_others(round: Round, who: str) -> None:
        others = tuple(player for player in asked if player != who)
        if others:
            _each_withdraws_or_stays(round, irregularity, others)

    options: tuple[Option, ...] = (
        Option("withdraw", PLAYER, rules, take_all, asked),
        Option("stay", PLAYER, rules, stay, asked),
    )
    if not any(_is_at_a_box(round, player) for player in asked):
        # A player without a hand cannot be found absent, and may have left the table.
        options += (continue_option("dealer", (*rules, "5.22")),)
    anew = partial(_withdraw_or_stay, irregularity=irregularity, waiting=waiting)
    return Choice(irregularity, options, rules, anew=anew)


def _is_at_a_box(round: Round, player: str) -> bool:
    """Return whether the player has a hand and was not found absent."""
    return is_present(round, player) and any(
        stake.open and stake.player == player
        for box in round.boxes.values()
        for hand in box.hands
        for stake in hand.stakes
    )


def _insurance_not_offered(round: Round, irregularity: Irregularity) -> None:
    """Allow insurance with a Pit Supervisor's approval until the dealer's second card (5.26)."""
    if len(round.dealer) > 1:
        answer(
            round,
            irregularity,
            ("5.26",),
            "The dealer has a second card: insurance is no longer possible.",
        )
        return
    options = (allow_insurance(PIT_SUPERVISOR, ("5.26",)),)
    offer(round, Choice(irregularity, options, ("5.26",), required=False, default="no insurance"))


def _reconstruct_or_void(round: Round, irregularity: Irregularity, rules: Rules) -> None:
    """Offer to reconstruct the cards, or to void the round if that is impossible (5.2)."""
    void = ("5.2", reading("void-round-returns-all"))
    options = (
        reconstruct_option("dealer", rules),
        void_round_option("dealer", void, settled_stands=False),
    )
    offer(round, Choice(irregularity, options, (*rules, "5.2")))


def may_withdraw(round: Round, irregularity: Irregularity) -> None:
    """Let dissatisfied players take back their remaining wagers before a further card (5.25)."""
    choice = Choice(
        irregularity, (_take_back(("5.25",)),), ("5.25",), required=False, for_each_player=True
    )
    offer(round, choice)


def _take_back(rules: Rules, players: tuple[str, ...] = ()) -> Option:
    """Return the option to take back undecided wagers, also a Pot of Gold wager with a marker."""
    option = withdraw_option(rules, players)

    def effect(round: Round, ruling: Ruling) -> None:
        lying = [wager for wager in round.wagers if wager.open and wager.key.bet == "pot-of-gold"]
        option.effect(round, ruling)
        for wager in lying:
            if not wager.open and round.boxes[wager.key.box].tokens_for(wager.key.player):
                cite(round, wager.key, (reading("singapore-first-marker"),))

    return replace(option, effect=effect)
