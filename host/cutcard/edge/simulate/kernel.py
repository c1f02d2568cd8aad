"""A round of the table, compiled: deal, decisions, dealer, settlement, to the cent.

The rulebook's decisions come in `game` and `sides`, the player's decisions in `strategy`; no code
here depends on the name of a rulebook. `host/tests/edge/simulate` deals the same cards to this
kernel and to the engine and compares every decision, card and payment.

If a shoe runs out of cards within a round, the round is not counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cutcard.edge.simulate.drawing import Cards, inlined, next_card, pointer_to, shuffle
from cutcard.edge.simulate.game import (
    BEFORE_TURNS,
    FINAL,
    HARD_9_10_11,
    HARD_10_11,
    IN_TURN,
    NO_ACES,
    ON_SIGN,
    SELECT,
    TO_12,
)
from cutcard.edge.simulate.log import (
    BEGUN,
    CARD,
    DEALER,
    DECISION,
    EVEN_MONEY,
    FIVE_AND_UNDER,
    GIVE_UP,
    INSURE,
    LEFT_OUT,
    OF_21,
    OF_INSURANCE,
    ORDINARY,
    PAID,
    RESCUE,
    SUPER_BONUS,
    note,
)
from cutcard.edge.simulate.room import (
    A_BOX,
    BLACKJACK,
    BOX,
    BOXES,
    FIRST,
    HANDS,
    HELD,
    INSURED,
    KIND,
    LOST,
    MONEY_ON,
    NET,
    PENDING,
    PLAIN,
    POINTS,
    SECOND,
    SURRENDERED,
    TAGS,
    THIRD,
    TOKENS,
    TOKENS_ON,
    TOTAL,
    WAITING,
)
from cutcard.edge.simulate.side_bets import dealers_place, settle_sides
from cutcard.edge.simulate.strategy import (
    DOUBLE,
    EXCEPTED,
    HIT,
    MONEY,
    SPLIT,
    STAND,
    STATES,
    SURRENDER,
    TOKEN,
    UPS,
    WAY,
    WAY_BITS,
    WHEN_IT_GAINS,
    exception,
    hand_state,
)
from rng_certification.base.compiled import Counts, Draws, Words, compiled
from rng_certification.base.compiled import whole as whole_number

Rules = Any  # a Game, as numba represents it
Rows = npt.NDArray[np.int64]

# The counted values, by place in `tally`.
(
    ROUNDS,
    OUT_OF_CARDS,
    CARDS,
    SHOES,
    ACTION,
    MAIN,
    MAIN_SQUARED,
    INSURANCE,
    INSURED_SQUARED,  # of main wager and insurance together
    SIDE,
) = range(10)
TALLY = 10
MOST_COUNT = 20  # of a true count, positive and negative; larger counts are merged
COUNTS = 3 * (2 * MOST_COUNT + 1)


@inlined
def _total(points: int, ace: bool) -> int:
    return points + 10 if ace and points <= 11 else points


@inlined
def _may_double(game: Rules, hands: int, cards: int, points: int, ace: bool, total: int) -> bool:
    if cards > game.double_cards or (hands > 1 and game.double_after_split == 0):
        return False
    if game.double_totals == NO_ACES:
        return not ace
    if game.double_totals == HARD_9_10_11:
        return total == points and 9 <= total <= 11
    if game.double_totals == HARD_10_11:
        return total == points and 10 <= total <= 11
    return True


@inlined
def _may_split(game: Rules, pair: int, hands: int, unsplit: int) -> bool:
    room: bool = hands < game.split_hands
    return pair != 0 and room and (game.declined_ends == 0 or unsplit != pair)


@inlined
def _may_surrender(game: Rules, cards: int, hands: int, up: int) -> bool:
    against: bool = (game.surrender_against >> (up % 13)) & 1 == 1
    return hands == 1 and cards == 2 and against


@inlined
def _must_draw(game: Rules, total: int, points: int, forced: bool, other_way: bool) -> bool:
    if game.forced == SELECT or (game.forced == ON_SIGN and forced):
        limit: int = game.forced_hard if total == points else game.forced_soft
        return total < limit
    return total < 12 and not other_way


@inlined
def _chosen(game: Rules, wish: int, total: int, double: bool, split: bool, surrender: bool) -> int:
    """Return the first way of a wish that the rules allow."""
    while True:
        way = wish & WAY
        if way == HIT:
            return HIT
        if way == STAND:
            return HIT if game.forced == TO_12 and total <= 11 else STAND
        if (way == DOUBLE and double) or (way == SPLIT and split):
            return way
        if way == SURRENDER and surrender:
            return SURRENDER
        wish >>= WAY_BITS
        if wish == 0:
            return HIT


@inlined
def _even(game: Rules, cents: int) -> int:
    """Return an even-money payment, rounded up to the next amount that can be paid."""
    return cents if game.unit == 1 else -(-cents // game.unit) * game.unit


@compiled
def _row_of_21(held: Any, cards: int) -> int:
    """Return the row of a 21 that was not doubled, in the order of BONUS_ROWS."""
    if cards == 3:
        first, second, third = held[0] % 13, held[1] % 13, held[2] % 13
        low, high = min(first, second, third), max(first, second, third)
        middle = first + second + third - low - high
        if (low == 5 and middle == 6 and high == 7) or (low == 6 and high == 6):
            suit = held[0] // 13
            suited = suit == held[1] // 13 and suit == held[2] // 13
            return (4 if low == 5 else 7) + (0 if not suited else 2 if suit == 3 else 1)
        return 0
    return 1 if cards == 5 else 2 if cards == 6 else 3 if cards > 6 else 0


@compiled
def _gains(game: Rules, shoe: Any, size: int, began: int) -> bool:
    """Return whether insurance gains by the cards of the initial deal, from a full pack."""
    seen, dealt = 0, 2 * game.boxes + 1
    for i in range(began, began + dealt):
        if i < size and shoe[i] % 13 >= 9:
            seen += 1
    tens, stake = game.tens - seen, game.insurance
    worth: bool = tens * (game.insurance_pays + stake) > (game.pack - dealt) * stake
    return worth


@compiled
def play(
    game: Rules,
    bonus: Counts,
    strategy: Any,
    sides: Any,
    shoe: Cards,
    fresh: bool,
    cut: int,
    state: Words,
    numbers: Draws,
    places: Counts,
    rounds: int,
    room: Counts,
    tally: Counts,
    rows: Counts,
    counts: Counts,
    log: Counts,
) -> None:
    """Play this many rounds and add them to the counts.

    A `fresh` shoe is complete again before every round. Otherwise it is shuffled if `cut` cards or
    more have left before a round. With a `cut` below 0, where the play ends, or with 0, the caller
    fills it; it is then played from the place in `places`. `rows` takes the frequency of each row
    of each side wager, `counts` the rounds, their sum and their squares by the hi-lo count at their
    beginning; `log` and `counts` are empty if they are not wanted.
    """
    work, cards_in, size = pointer_to(room), pointer_to(shoe), len(shoe)
    generator, buffer, notes = pointer_to(state), pointer_to(numbers), pointer_to(log)
    actions, rescue = pointer_to(strategy.actions), pointer_to(strategy.rescue)
    insure, bonuses = pointer_to(strategy.insure), pointer_to(bonus)
    keys, wishes, exceptions = (
        pointer_to(strategy.keys),
        pointer_to(strategy.wishes),
        len(strategy.keys),
    )
    even_money, held = strategy.even_money, pointer_to(room[HELD:POINTS])
    side_bets, watched = len(sides.kinds), sides.watches_dealer != 0
    kinds, tables_at, tables = (
        pointer_to(sides.kinds),
        pointer_to(sides.places),
        pointer_to(sides.tables),
    )
    pays, shared, prizes = (
        pointer_to(sides.pays),
        pointer_to(sides.shared),
        pointer_to(sides.prizes),
    )
    carried, side_rows = pointer_to(sides.carried), pointer_to(rows)
    by_count, counting, running = pointer_to(counts), len(counts) > 0, places[2]
    varied, at_count, insured_at = len(strategy.actions) > 2, 0, 0  # a table for each count
    boxes, stake = game.boxes, game.stake
    place, at = places[0], places[1]
    tracing = len(log) > 0
    played, out_of_cards, shoes, all_cards, all_action = 0, 0, 0, 0, 0
    all_main, all_main_squared, all_insurance, all_insured_squared = 0, 0, 0, 0
    all_side = 0
    for _ in range(rounds):
        if tracing:
            note(notes, BEGUN, DEALER, 0, 0, 0)
        if fresh:
            at = 0
        elif cut < 0:
            if at >= -cut:
                break
        elif cut > 0 and at >= cut:
            place = shuffle(cards_in, size, generator, buffer, place)
            at, running = 0, 0
            shoes += 1
        began, true = at, 0
        if counting:
            left_cards = size - began if cut != 0 else game.pack
            true = min(max(52 * running // left_cards, -MOST_COUNT), MOST_COUNT)
        if varied:
            at_count = 2 * STATES * UPS * (true + MOST_COUNT)
            insured_at = UPS * UPS * (true + MOST_COUNT)
        for b in range(boxes):
            card, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
            work[BOXES + A_BOX * b + FIRST] = card
            if tracing:
                note(notes, CARD, b, 0, card, 0)
        up, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
        if tracing:
            note(notes, CARD, DEALER, 0, up, 0)
        for b in range(boxes):
            card, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
            work[BOXES + A_BOX * b + SECOND] = card
            if tracing:
                note(notes, CARD, b, 0, card, 0)
        up_points = work[POINTS + up]
        hole, blackjack_peeked = -1, False
        if game.peeks != 0 and (up_points == 1 or up_points == 10):
            hole, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
            blackjack_peeked = up_points + work[POINTS + hole] == 11
            if tracing:
                note(notes, CARD, DEALER, 0, hole, 0)
        open_hands, super_boxes = 0, 0
        whole, second = watched, False  # the reason for the dealer's draws
        action = boxes * (stake + game.ante)
        main, insurance = -boxes * game.ante, 0
        for b in range(boxes):
            held[0], held[1] = work[BOXES + A_BOX * b + FIRST], work[BOXES + A_BOX * b + SECOND]
            one, two = work[POINTS + held[0]], work[POINTS + held[1]]
            points, ace, late_ace = one + two, one == 1 or two == 1, False
            total = _total(points, ace)
            pair = one if one == two else 0
            net, lost, insured = 0, 0, 0
            playing = True
            if up_points == 1 and (total != 21 or game.insurance_with_blackjack):
                wants = insure[insured_at + min(one, two) * UPS + max(one, two)]
                takes = wants != 0
                if wants == WHEN_IT_GAINS:
                    takes = _gains(game, cards_in, size, began)
                if tracing:
                    note(notes, INSURE, b, 0, 1 if takes else 0, 0)
                if takes:
                    insured = game.insurance
                    action += insured
            if total == 21:
                if game.blackjack_paid_always or (up_points != 1 and up_points != 10):
                    net = game.blackjack_pays
                    playing = False
                elif up_points == 1 and game.even_money:
                    if tracing:
                        note(notes, EVEN_MONEY, b, 0, even_money, 0)
                    if even_money:
                        net = _even(game, stake)
                        playing = False
                        if game.even_money_returns:
                            insured = 0
                if tracing and not playing:
                    note(notes, PAID, b, 0, net, ORDINARY)
            work[BOXES + A_BOX * b + INSURED] = insured
            if insured != 0:
                second = True
            if (
                playing
                and game.surrender >= BEFORE_TURNS
                and _may_surrender(game, 2, 1, up)
                and (total != 21 or game.surrender == FINAL)
            ):
                wish = whole_number(
                    actions[at_count + hand_state(total, points, pair) * UPS + up_points]
                )
                if wish & EXCEPTED:
                    special = exception(keys, wishes, exceptions, held, 2, up_points, MONEY, 0)
                    wish = special if special >= 0 else wish & ~EXCEPTED
                double = total != 21 and _may_double(game, 1, 2, points, ace, total)
                way = _chosen(game, wish, total, double, _may_split(game, pair, 1, 0), True)
                if tracing:
                    note(notes, GIVE_UP, b, 0, 1 if way == SURRENDER else 0, 0)
                if way == SURRENDER:
                    playing = False
                    if game.surrender == FINAL:
                        net -= game.surrendered
                        if tracing:
                            note(notes, PAID, b, 0, -game.surrendered, ORDINARY)
                    else:
                        work[WAITING * open_hands + BOX] = b
                        work[WAITING * open_hands + KIND] = SURRENDERED
                        open_hands += 1
                        second = True
            if playing and total == 21:
                work[WAITING * open_hands + BOX] = b
                work[WAITING * open_hands + KIND] = BLACKJACK
                open_hands += 1
                second = True
                playing = False
            if playing and blackjack_peeked:
                work[WAITING * open_hands + BOX] = b
                work[WAITING * open_hands + TOTAL] = total
                work[WAITING * open_hands + MONEY_ON] = stake
                work[WAITING * open_hands + TOKENS_ON] = 0
                work[WAITING * open_hands + KIND] = PLAIN
                open_hands += 1
                second = True
                playing = False
            # The hand of the box, and then each hand made by splitting it.
            cards, hands, hand, left, unsplit = 2, 1, 0, 0, 0
            free_bets, turn_began = 0, at
            money, tokens, split_ace, forced = stake, 0, False, False
            while playing:
                way = 0
                may_split = _may_split(game, pair, hands, unsplit)
                finished = total == 21 or (split_ace and not (game.aces_again and may_split))
                while not finished:
                    may_double = not split_ace and _may_double(
                        game, hands, cards, points, ace, total
                    )
                    may_split = _may_split(game, pair, hands, unsplit)
                    if (
                        not split_ace
                        and game.forced
                        and _must_draw(game, total, points, forced, may_double or may_split)
                    ):
                        way, forced = HIT, True
                    else:
                        kind = TOKEN if money == 0 else MONEY
                        wish = whole_number(
                            actions[
                                at_count
                                + (kind * STATES + hand_state(total, points, pair)) * UPS
                                + up_points
                            ]
                        )
                        if wish & EXCEPTED:
                            special = exception(
                                keys, wishes, exceptions, held, cards, up_points, kind, 0
                            )
                            wish = special if special >= 0 else wish & ~EXCEPTED
                        may_surrender = game.surrender == IN_TURN and _may_surrender(
                            game, cards, hands, up
                        )
                        way = _chosen(game, wish, total, may_double, may_split, may_surrender)
                        if split_ace and way != SPLIT:
                            way = STAND
                        if tracing:
                            legal = 0 if game.forced == TO_12 and total <= 11 else 1
                            legal += 2 if may_double else 0
                            legal += 4 if may_split else 0
                            legal += 8 if may_surrender else 0
                            note(notes, DECISION, b, hand, way, legal)
                        if way == SPLIT:
                            free = game.free_split != 0 and pair != 10
                            work[PENDING + 2 * left] = held[1]
                            work[PENDING + 2 * left + 1] = 0 if free else stake
                            left += 1
                            hands += 1
                            if free:
                                free_bets += 1
                            else:
                                action += stake
                            split_ace = pair == 1
                            card, at, place = next_card(
                                cards_in, size, at, fresh, generator, buffer, place
                            )
                            if tracing:
                                note(notes, CARD, b, hand, card, 0)
                            held[1] = card
                            one, two = pair, work[POINTS + card]
                            points, ace = one + two, one == 1 or two == 1
                            total = _total(points, ace)
                            pair = one if one == two else 0
                            may_split = _may_split(game, pair, hands, unsplit)
                            finished = total == 21 or (
                                split_ace and not (game.aces_again and may_split)
                            )
                            way = 0
                            continue
                        if may_split:
                            unsplit = pair
                        if way in (STAND, SURRENDER):
                            break
                    if way == DOUBLE:
                        if game.free_double and cards == 2 and total == points and 9 <= total <= 11:
                            tokens += stake
                            free_bets += 1
                        else:
                            money += stake
                            action += stake
                        if game.hard_aces:
                            ace = late_ace
                    card, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
                    if tracing:
                        note(notes, CARD, b, hand, card, 0)
                    held[cards] = card
                    value = work[POINTS + card]
                    cards += 1
                    points += value
                    if value == 1:
                        ace, late_ace = True, True
                    pair = 0
                    total = _total(points, ace)
                    finished = way == DOUBLE or total >= 21 or cards >= game.finished_at
                if total > 21:
                    net -= money
                    lost += money
                    if tracing and money:
                        note(notes, PAID, b, hand, -money, ORDINARY)
                elif total == 21 and game.at_once_21:
                    row = 0 if way == DOUBLE else _row_of_21(held, cards)
                    pay = _even(game, money + tokens) if way == DOUBLE else bonuses[row]
                    net += pay
                    if tracing:
                        note(notes, PAID, b, hand, pay, OF_21)
                    if row >= 8 and game.super_bonus and hands == 1 and up % 13 == 6:
                        net += game.super_bonus
                        super_boxes |= 1 << b
                        if tracing:
                            note(notes, PAID, b, hand, game.super_bonus, SUPER_BONUS)
                elif cards == 5 and total < 21 and game.five_and_under:
                    pay = _even(game, money + tokens)
                    net += pay
                    if tracing:
                        note(notes, PAID, b, hand, pay, FIVE_AND_UNDER)
                else:
                    rescued = False
                    if way == DOUBLE and game.withdrawn:
                        flag = whole_number(rescue[hand_state(total, points, 0) * UPS + up_points])
                        if flag & 2:
                            special = exception(
                                keys, wishes, exceptions, held, cards, up_points, MONEY, 1
                            )
                            flag = special if special >= 0 else flag & 1
                        rescued = flag != 0
                        if tracing:
                            note(notes, RESCUE, b, hand, 1 if rescued else 0, 0)
                    if rescued:
                        net -= money - stake
                        lost += money - stake
                        if tracing:
                            note(notes, PAID, b, hand, stake - money, ORDINARY)
                    else:
                        work[WAITING * open_hands + BOX] = b
                        work[WAITING * open_hands + TOTAL] = total
                        work[WAITING * open_hands + MONEY_ON] = money
                        work[WAITING * open_hands + TOKENS_ON] = tokens
                        work[WAITING * open_hands + KIND] = PLAIN
                        if way == SURRENDER:
                            work[WAITING * open_hands + KIND] = SURRENDERED
                            second = True
                        else:
                            whole = True
                        open_hands += 1
                if left == 0:
                    break
                left -= 1
                hand += 1
                card, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
                if tracing:
                    note(notes, CARD, b, hand, card, 0)
                held[0], held[1] = work[PENDING + 2 * left], card
                one, two = work[POINTS + held[0]], work[POINTS + card]
                points, ace, late_ace = one + two, one == 1 or two == 1, False
                total = _total(points, ace)
                pair = one if one == two else 0
                money = work[PENDING + 2 * left + 1]
                tokens = stake - money
                cards, forced = 2, False
            work[BOXES + A_BOX * b + NET] = net
            if side_bets != 0:
                work[BOXES + A_BOX * b + THIRD] = (
                    whole_number(cards_in[turn_began]) if at > turn_began else -1
                )
                work[BOXES + A_BOX * b + HANDS] = hands
                work[BOXES + A_BOX * b + TOKENS] = free_bets
            work[BOXES + A_BOX * b + LOST] = lost
        # The dealer: the entire hand, only the second card, or no card.
        dealer, dealer_cards, dealer_ace, ten_second = up_points, 1, up_points == 1, False
        if whole or second:
            while True:
                if dealer_cards == 1 and hole >= 0:
                    card = hole
                else:
                    card, at, place = next_card(cards_in, size, at, fresh, generator, buffer, place)
                    if tracing:
                        note(notes, CARD, DEALER, 0, card, 0)
                value = work[POINTS + card]
                if dealer_cards == 1:
                    ten_second = value == 10
                dealer += value
                dealer_cards += 1
                dealer_ace = dealer_ace or value == 1
                dealer_total = _total(dealer, dealer_ace)
                if dealer_total > 17 or not whole:
                    break
                if dealer_total == 17 and (dealer == 17 or game.draws_soft_17 == 0):
                    break
            dealer = _total(dealer, dealer_ace)
        dealer_blackjack = dealer_cards == 2 and dealer == 21
        for i in range(open_hands):
            b, kind = work[WAITING * i + BOX], work[WAITING * i + KIND]
            change = 0
            if kind == PLAIN:
                money, total = work[WAITING * i + MONEY_ON], work[WAITING * i + TOTAL]
                if dealer_blackjack:
                    if total != 21 or game.stands_off_with_21 == 0:
                        taken = money
                        if game.original_only:
                            taken = min(money, max(0, stake - work[BOXES + A_BOX * b + LOST]))
                        work[BOXES + A_BOX * b + LOST] += taken
                        change = -taken
                elif dealer == 22 and game.stands_off_at_22:
                    change = 0
                elif dealer > 21 or total > dealer:
                    change = _even(game, money + work[WAITING * i + TOKENS_ON])
                elif total < dealer:
                    change = -money
            elif kind == BLACKJACK:
                change = 0 if dealer_blackjack else game.blackjack_pays
            else:
                change = -stake if dealer_blackjack else -game.surrendered
            work[BOXES + A_BOX * b + NET] += change
            if tracing and change:
                note(notes, PAID, b, -1, change, ORDINARY)
        for b in range(boxes):
            if work[BOXES + A_BOX * b + INSURED]:
                change = game.insurance_pays if ten_second else -work[BOXES + A_BOX * b + INSURED]
                insurance += change
                if tracing:
                    note(notes, PAID, b, -1, change, OF_INSURANCE)
            if super_boxes != 0 and (super_boxes >> b) & 1 == 0:
                work[BOXES + A_BOX * b + NET] += game.super_bonus_others
                if tracing:
                    note(notes, PAID, b, -1, game.super_bonus_others, SUPER_BONUS)
            main += work[BOXES + A_BOX * b + NET]
        if at > size:
            out_of_cards += 1
            if tracing:
                note(notes, LEFT_OUT, DEALER, 0, 0, 0)
            continue
        side = 0
        if side_bets != 0:
            ended = dealers_place(cards_in, at, dealer_cards, up, dealer) if watched else 0
            side, place = settle_sides(
                side_bets,
                boxes,
                kinds,
                tables_at,
                tables,
                pays,
                shared,
                prizes,
                carried,
                side_rows,
                work,
                up,
                ended,
                generator,
                buffer,
                place,
                notes,
                tracing,
            )
            all_side += side
        if counting:
            bucket = 3 * (true + MOST_COUNT)
            won = main + insurance
            by_count[bucket] += 1
            by_count[bucket + 1] += won
            by_count[bucket + 2] += won * won
            for i in range(began, at):
                running += work[TAGS + work[POINTS + cards_in[i]]]
        played += 1
        all_cards += at - began
        all_action += action
        all_main += main
        all_main_squared += main * main
        all_insurance += insurance
        all_insured_squared += (main + insurance) * (main + insurance)
    places[0], places[1], places[2] = place, at, running
    tally[ROUNDS] += played
    tally[OUT_OF_CARDS] += out_of_cards
    tally[CARDS] += all_cards
    tally[SHOES] += shoes
    tally[ACTION] += all_action
    tally[MAIN] += all_main
    tally[MAIN_SQUARED] += all_main_squared
    tally[INSURANCE] += all_insurance
    tally[INSURED_SQUARED] += all_insured_squared
    tally[SIDE] += all_side
