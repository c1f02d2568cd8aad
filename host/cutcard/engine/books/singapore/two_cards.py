"""Singapore 5.23: two or more cards leave together and their order is not known.

The person that chooses depends on the hand and the number of disclosed cards:

    a player's hand    0: 5.23.1      1: 5.23.2      more: 5.23.3
    the dealer's hand  0: 5.23.4.1    1: 5.23.4.3    both: 5.23.4.5
"""

from __future__ import annotations

from functools import partial

from cutcard.cards import Card
from cutcard.engine.books.singapore import SINGAPORE
from cutcard.engine.books.singapore.irregularities import may_withdraw
from cutcard.engine.choice_owners import is_present
from cutcard.engine.choices import PLAYER, Choice, Option, answer, offer
from cutcard.engine.dealers_hand import dealer_wants_card
from cutcard.engine.dealing import put
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities import lying_cards
from cutcard.engine.irregularities.procedure import (
    cards_around,
    choose_option,
    enter_subsequent_deal,
    handles,
    lay_out,
    players_on,
)
from cutcard.engine.irregularities.stage import hand_to_act, next_place, player_to_act
from cutcard.engine.outcomes import players_at_once
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import DEALER, Offer, Phase, Round
from cutcard.engine.turn import InTurn, caller, hand_in_turn, is_finished
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading

PIT_MANAGER = "pit-manager"


@handles(SINGAPORE, "simultaneous-draw")
def cards_drawn_together(round: Round, irregularity: Irregularity) -> None:
    """Apply 5.23, and let dissatisfied players withdraw (5.25)."""
    if next_place(round) == DEALER:
        _on_dealers_hand(round, irregularity)
    else:
        _on_players_hand(round, irregularity)
    may_withdraw(round, irregularity)


# ---- a player's hand ------------------------------------------------------------------------


def _on_players_hand(round: Round, irregularity: Irregularity) -> None:
    if not irregularity.disclosed:
        player_selects_unseen(round, irregularity)
    elif len(irregularity.disclosed) == 1:
        lay_out(round, irregularity, irregularity.disclosed)
        rules = ("5.23.2", "5.23.2.1")
        answer(round, irregularity, rules, "The disclosed card is the next, the other follows.")
    else:
        player_selects_disclosed(round, irregularity)


def player_selects_unseen(round: Round, irregularity: Irregularity) -> None:
    """Let the player select an unseen card (5.23.1); the others follow in order (5.23.1.1)."""
    lay_out(round, irregularity)
    choice = _of_unseen_cards(round, irregularity)
    if choice is not None:
        offer(round, choice)
    else:
        answer(round, irregularity, ("5.23.1", "5.23.1.1"), "The cards are used in their order.")


def _of_unseen_cards(round: Round, irregularity: Irregularity) -> Choice | None:
    """Offer the selection to the player with the next hand to act.

    If the player leaves or stands without a card, it passes to the next player, and after the last
    hand to the Pit Manager, who selects for the dealer (5.23.4.1). It lapses if no hand can use a
    card, or if the cards are out of play.
    """
    if cards_around(round, irregularity) is None:
        return None
    if next_place(round) == DEALER:
        return _pit_managers_selection(irregularity) if _dealer_can_use_cards(round) else None
    players = _chooser(round)
    if not players:
        return None
    rules = ("5.23.1", "5.23.1.1")
    return Choice(
        irregularity,
        (choose_option(PLAYER, irregularity, rules, players),),
        rules,
        required=False,
        default="as they lie",
        holds=True,
        of_turn=True,
        anew=partial(_of_unseen_cards, irregularity=irregularity),
    )


def _dealer_can_use_cards(round: Round) -> bool:
    return round.phase is Phase.INITIAL_DEAL or dealer_wants_card(round)


def player_selects_disclosed(round: Round, irregularity: Irregularity) -> None:
    """Let the player select any number of the cards, or refuse all (5.23.3)."""
    left = dict(enumerate(irregularity.cards, start=1))
    box = (next_place(round) or "").partition(".")[0]

    def pass_on(round: Round) -> None:
        """Offer the remaining cards to the next player."""
        round.choices = [
            choice
            for choice in round.choices
            if choice.irregularity != irregularity or not choice.holds
        ]
        taken = len(left) - len(round.ahead)
        _offer_on(round, irregularity, dict(list(left.items())[taken:]), box)

    lay_out(round, irregularity)
    round.offer = Offer(irregularity, ("5.23.3",), offered_to=box, pass_on=pass_on)
    _offer_selection(round, irregularity, left, ("5.23.3",), _chooser(round))


def _offer_selection(
    round: Round,
    irregularity: Irregularity,
    left: dict[int, Card],
    rules: Rules,
    players: tuple[str, ...],
) -> None:
    """Offer a selection. `left` are the remaining cards, by their numbers in the irregularity.

    Cards that the first player leaves are offered once more (5.23.3.1); cards that the next player
    leaves are burned.
    """
    first = rules == ("5.23.3",)

    def select(round: Round, ruling: Ruling) -> None:
        chosen = _chosen(ruling, left, rules)
        if round.phase is Phase.INITIAL_DEAL:
            others = [card for index, card in left.items() if index not in chosen]
            round.ahead, round.offer = [*(left[index] for index in chosen), *others], None
            return
        enter_subsequent_deal(round)
        turn = _selecting(round, ruling, rules)
        _lay_on(round, turn, [left[index] for index in chosen], rules)
        if first:
            others_left = {index: card for index, card in left.items() if index not in chosen}
            _offer_on(round, irregularity, others_left, str(turn.box.number))
        else:
            _burn(round)

    def decline(round: Round, ruling: Ruling) -> None:
        turn = lying_cards.refusing_hand(round, ruling, (*rules, "5.24"))
        lying_cards.stand_without_card(round, turn, (*rules, "5.24"))
        if first:
            _offer_on(round, irregularity, left, str(turn.box.number))
        else:
            _burn(round)

    options = (
        Option("choose", PLAYER, rules, select, players),
        Option("refuse-card", PLAYER, (*rules, "5.24"), decline, players),
    )
    choice = Choice(
        irregularity,
        options,
        rules,
        required=False,
        default="as they lie" if first else None,
        holds=first,
        with_cards=not first,
    )
    offer(round, choice)


def _burn(round: Round) -> None:
    lying_cards.burn(round)
    round.choices = [choice for choice in round.choices if not choice.with_cards]


def _offer_on(
    round: Round, irregularity: Irregularity, left: dict[int, Card], passed_by: str
) -> None:
    """Offer the remaining cards to the next player, and burn declined ones (5.23.3.1)."""
    round.ahead = list(left.values())
    if not left:
        round.offer = None
        return
    rules: Rules = ("5.23.3.1",)
    split = len(round.boxes[int(passed_by)].hands) > 1
    read = (reading("singapore-cards-left-over"),) if split else ()
    answer(round, irregularity, rules + read, "The remaining cards are offered to the next player.")
    round.offer = Offer(irregularity, rules, passed_by=passed_by, burned=True)
    _offer_selection(round, irregularity, left, rules, ())


def _chosen(ruling: Ruling, left: dict[int, Card], rules: Rules) -> tuple[int, ...]:
    if not ruling.chosen or len(set(ruling.chosen)) != len(ruling.chosen):
        raise RefusedError("name the chosen card or cards", rules)
    for index in ruling.chosen:
        if index not in left:
            raise RefusedError(f"card {index} is not one of the offered cards", rules)
    return ruling.chosen


def _selecting(round: Round, ruling: Ruling, rules: Rules) -> InTurn:
    turn = hand_in_turn(round)
    who = ruling.player or ruling.by
    if turn is None:
        raise RefusedError("no player's hand is in turn", rules)
    if who is not None and who != caller(round, turn.box, turn.hand):
        raise RefusedError(f"the cards are not offered to {who}", rules)
    if round.offer is not None and str(turn.box.number) == round.offer.passed_by:
        raise RefusedError(f"{who} has already chosen", rules)
    return turn


def _lay_on(round: Round, turn: InTurn, cards: list[Card], rules: Rules) -> None:
    round.following = None
    for card in cards:
        if is_finished(round, turn.box, turn.hand):
            raise RefusedError("the hand takes no more cards", rules)
        put(round, card, turn.box.place_of(turn.hand))


def _chooser(round: Round) -> tuple[str, ...]:
    """Return the player with the next hand to act; in the initial deal, of the box that is due.

    An absent player forfeits the selection (5.22).
    """
    if hand_to_act(round) is not None:
        who = player_to_act(round)
        return (who,) if who is not None else ()
    number = int((next_place(round) or "0").partition(".")[0])
    box = round.boxes.get(number)
    here = players_on(box) if box is not None else ()
    return tuple(player for player in here if is_present(round, player))[:1]


# ---- the dealer's hand ----------------------------------------------------------------------


def _on_dealers_hand(round: Round, irregularity: Irregularity) -> None:
    if not irregularity.disclosed:
        pit_manager_selects_unseen(round, irregularity)
    elif len(irregularity.disclosed) == 1:
        lay_out(round, irregularity, irregularity.disclosed)
        rules = ("5.23.4.3", "5.23.4.4")
        answer(round, irregularity, rules, "The dealer gets the disclosed card; the other follows.")
    else:
        pit_manager_selects_worst(round, irregularity)


def pit_manager_selects_unseen(round: Round, irregularity: Irregularity) -> None:
    """Let the Pit Manager select the first card (5.23.4.1); the other is next (5.23.4.2)."""
    lay_out(round, irregularity)
    offer(round, _pit_managers_selection(irregularity))


def _pit_managers_selection(irregularity: Irregularity) -> Choice:
    rules = ("5.23.4.1", "5.23.4.2")
    return Choice(irregularity, (choose_option(PIT_MANAGER, irregularity, rules),), rules)


def pit_manager_selects_worst(round: Round, irregularity: Irregularity) -> None:
    """Let the Pit Manager select the card that is worst for the dealer (5.23.4.5).

    The other card is discarded (5.23.4.6).
    """
    rules: Rules = ("5.23.4.5", "5.23.4.6", reading("singapore-most-detrimental"))

    def take_worst(round: Round, ruling: Ruling) -> None:
        if len(ruling.chosen) != 1 or ruling.chosen[0] not in irregularity.disclosed:
            raise RefusedError("name one of the disclosed cards", rules)
        card = irregularity.cards[ruling.chosen[0] - 1]
        best = max(
            players_at_once(round, irregularity.cards[index - 1])
            for index in irregularity.disclosed
        )
        if players_at_once(round, card) < best:
            raise RefusedError(f"{card} is not the most detrimental to the dealer", rules)
        round.ahead = [card, *round.ahead]

    offer(round, Choice(irregularity, (Option("choose", PIT_MANAGER, rules, take_worst),), rules))
