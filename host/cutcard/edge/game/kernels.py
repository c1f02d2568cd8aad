"""The arithmetic of the analysis, compiled: the dealer's chances, the value of hands, split hands.

A stake is one of six: money, money doubled, money doubled free, and the same for a token. `pays` is
the result of a hand's total with a stake against each ending of the dealer's hand.
"""

from __future__ import annotations

import numpy as np

from cutcard.edge.game.composition import Booleans, Floats, Ints
from cutcard.edge.game.loading import load_numba_without_extras
from rng_certification.base.compiled import compiled

load_numba_without_extras()

STAND, DRAW, DOUBLE = 0, 1, 2
# The meaning of `flags`, by place.
(
    MOST_CARDS,
    AT_ONCE,
    FIVE_AND_UNDER,
    OFF_22,
    HARD_ACES,
    RESCUE,
    FREE_DOUBLE,
    MUST_HARD,
    MUST_SOFT,
    WHOLE,
    HOLE,
) = range(11)
FLAGS = 11
NO_HOLE = -1  # in `flags` at HOLE: no second card makes a Blackjack that a dealer peeks for
SUITS = 5  # four suits, and mixed
SELDOM = 1e-8
DEALERS_MOST = 13  # cards that a dealer may draw, and zero
LANES = 32  # hands for which the dealer's chances are computed together


@compiled
def _dealer_after(
    which: Ints,
    left: Ints,
    start: int,
    slots: Floats,
    counts: Ints,
    cards: Ints,
    d_depth: Ints,
    d_value: Ints,
    d_times: Ints,
    d_orders: Floats,
    d_ending: Ints,
    d_cards: Ints,
    d_counts: Ints,
    chances: Floats,
) -> None:
    """Compute the endings of the dealer's hand after each hand of `which`, several at a time.

    `left` is without a hand's first card if it begins with one (`start`, else below 0). `slots` has
    rows if other hands may not get a card of that value: the probability that they do not, by cards
    drawn and by those of the value among them.
    """
    if len(which) == 0:
        return
    pack = 0
    for value in range(10):
        pack += left[value]
    most = np.zeros(10, dtype=np.int64)
    for node in range(1, len(d_depth)):
        most[d_value[node]] = max(most[d_value[node]], d_times[node])
    beside = len(slots) > 0
    falls = np.ones((10 * DEALERS_MOST, LANES))
    under = np.ones((DEALERS_MOST * (DEALERS_MOST if beside else 1), LANES))
    ways = np.ones((11, LANES))
    got = np.zeros((8, LANES))
    for begin in range(0, len(which), LANES):
        for lane in range(LANES):
            hand = which[min(begin + lane, len(which) - 1)]
            for value in range(10):
                rest = left[value] - counts[hand, value] + (1 if value == start else 0)
                for k in range(1, most[value] + 1):
                    at = value * DEALERS_MOST + k
                    falls[at, lane] = falls[at - 1, lane] * max(0, rest - k + 1)
            drawn = cards[hand] - (1 if start >= 0 else 0)
            chance = 1.0
            for k in range(DEALERS_MOST):
                if k > 0:
                    chance /= max(1, pack - drawn - k + 1)
                if not beside:
                    under[k, lane] = chance
                    continue
                own = counts[hand, start] - 1
                part = chance / slots[drawn, own]
                for same in range(min(k, most[start]) + 1):
                    under[k * DEALERS_MOST + same, lane] = part * slots[drawn + k, own + same]
        got[:] = 0.0
        for node in range(1, len(d_depth)):
            before = ways[d_depth[node] - 1]
            here = ways[d_depth[node]]
            fall = falls[d_value[node] * DEALERS_MOST + d_times[node]]
            for lane in range(LANES):
                here[lane] = before[lane] * fall[lane]
            orders = d_orders[node]
            if orders > 0.0:
                k = d_cards[node]
                if beside:
                    k = k * DEALERS_MOST + d_counts[node, start]
                ended = got[d_ending[node]]
                chances_of_it = under[k]
                for lane in range(LANES):
                    ended[lane] += here[lane] * orders * chances_of_it[lane]
        for lane in range(min(LANES, len(which) - begin)):
            hand = which[begin + lane]
            over = 1.0
            for ending in range(8):
                chances[hand, ending] = got[ending, lane]
                over -= got[ending, lane]
            chances[hand, 6] = over


@compiled
def dealers_chances(
    left: Ints,
    counts: Ints,
    cards: Ints,
    wanted: Ints,
    d_depth: Ints,
    d_value: Ints,
    d_times: Ints,
    d_orders: Floats,
    d_ending: Ints,
    d_cards: Ints,
    d_counts: Ints,
    chances: Floats,
) -> None:
    """Return the endings of the dealer's hand for each hand that has been removed from the pack."""
    which = np.zeros(len(cards), dtype=np.int64)
    number = 0
    for hand in range(len(cards)):
        possible = wanted[hand] != 0
        for value in range(10):
            possible = possible and counts[hand, value] <= left[value]
        if possible:
            which[number] = hand
            number += 1
    _dealer_after(
        which[:number],
        left,
        -1,
        np.zeros((0, 0)),
        counts,
        cards,
        d_depth,
        d_value,
        d_times,
        d_orders,
        d_ending,
        d_cards,
        d_counts,
        chances,
    )


@compiled
def _wins_but_for_22(points: int, cards: int, flags: Ints) -> bool:
    """Return whether, of the dealer's possible hands, only 22 matters because it stands off."""
    if points == 21:
        return bool(flags[AT_ONCE])
    return bool(flags[FIVE_AND_UNDER] and cards == 5 and points < 21)


@compiled
def _wins_at_once(points: int, cards: int, flags: Ints) -> bool:
    """Return whether the dealer's hand has no effect any more, not even a 22."""
    return not flags[OFF_22] and _wins_but_for_22(points, cards, flags)


@compiled
def _doubled(
    total: int,
    cards: int,
    stake: int,
    chances: Floats,
    pays: Floats,
    flags: Ints,
    out: Floats,
) -> None:
    """Return the value of a doubled hand with its last card: mean and mean square."""
    if (total == 21 and flags[AT_ONCE]) or (total < 21 and cards == 5 and flags[FIVE_AND_UNDER]):
        sure = 1.0 - chances[5] if flags[OFF_22] else 1.0
        out[0] = 2.0 * sure
        out[1] = 4.0 * sure
        return
    out[0] = 0.0
    out[1] = 0.0
    for ending in range(8):
        paid = pays[stake, total, ending]
        out[0] += chances[ending] * paid
        out[1] += chances[ending] * paid * paid


@compiled
def _stake_of_double(kind: int, cards: int, total: int, soft: int, flags: Ints) -> int:
    free = flags[FREE_DOUBLE] and cards == 2 and soft == 0 and 9 <= total <= 11
    return 3 * kind + (2 if free else 1)


@compiled
def _natural(left: Ints, counts: Ints, value: int, rest: int, hole: int) -> float:
    """Return the chance that the dealer's second card is of the value `hole`.

    The hand `counts` and one more card of `value` have left the pack; `rest` counts that card.
    """
    cards = left[hole] - counts[hole] - (1 if value == hole else 0)
    return float(max(0, cards) / (rest - 1))


@compiled
def worth_of_hands(
    left: Ints,
    counts: Ints,
    cards: Ints,
    hard: Ints,
    total: Ints,
    soft: Ints,
    after: Ints,
    order: Ints,
    chances: Floats,
    pays: Floats,
    lost: Floats,
    flags: Ints,
    odds_21: Floats,
    may_double: Booleans,
    kinds: int,
    special: Ints,
    third: Ints,
    suit_odds: Floats,
    follow: int,
    acts: Ints,
    suit_acts: Ints,
    rescues: Ints,
    ways: Floats,
    worth: Floats,
    suit_worth: Floats,
) -> None:
    """Compute the value of every hand of two and more cards, from the highest points down.

    `follow` 0 chooses the best and stores it in `acts`, `suit_acts` and `rescues`; 1 follows the
    stored play. `ways` gets the values of standing, drawing and doubling; `worth` of the play:
    mean, mean square, money added. The last index distinguishes hands whose aces would all be hard
    after a double (0) from those with one that is not (1).
    """
    pack = 0
    for value in range(10):
        pack += left[value]
    got = np.zeros(2)
    for kind in range(kinds):
        plain = 3 * kind
        for place in range(len(order)):
            hand = order[place]
            if cards[hand] < 2:
                continue
            possible = True
            for value in range(10):
                if counts[hand, value] > left[value]:
                    possible = False
            if not possible:
                continue
            for free_ace in range(2):
                if free_ace == 1 and (not flags[HARD_ACES] or counts[hand, 0] == 0):
                    for what in range(3):
                        ways[kind, hand, 1, what] = ways[kind, hand, 0, what]
                        worth[kind, hand, 1, what] = worth[kind, hand, 0, what]
                    acts[kind, hand, 1] = acts[kind, hand, 0]
                    continue
                here = worth[kind, hand, free_ace]
                if total[hand] == 21 and flags[AT_ONCE]:
                    sure = 1.0 - chances[hand, 5] if flags[OFF_22] else 1.0
                    here[0] = odds_21[hand] * sure
                    here[1] = odds_21[hand] * odds_21[hand] * sure
                    acts[kind, hand, free_ace] = STAND
                    continue
                if flags[FIVE_AND_UNDER] and cards[hand] == 5 and total[hand] < 21:
                    sure = 1.0 - chances[hand, 5] if flags[OFF_22] else 1.0
                    here[0] = sure
                    here[1] = sure
                    acts[kind, hand, free_ace] = STAND
                    continue
                stand = 0.0
                stand_2 = 0.0
                for ending in range(8):
                    paid = pays[plain, total[hand], ending]
                    stand += chances[hand, ending] * paid
                    stand_2 += chances[hand, ending] * paid * paid
                ended = total[hand] == 21 or (
                    flags[MOST_CARDS] > 0 and cards[hand] >= flags[MOST_CARDS]
                )
                # Never stand on 11 or less: one more card cannot hurt, and standing is possible
                # afterwards.
                least = max(12, flags[MUST_SOFT] if soft[hand] else flags[MUST_HARD])
                may_stand = total[hand] >= least
                draw = 0.0
                draw_2 = 0.0
                draw_m = 0.0
                double = -1e9
                double_2 = 0.0
                stake = _stake_of_double(kind, cards[hand], total[hand], soft[hand], flags)
                doubles = may_double[hand] and not ended
                if doubles:
                    double = 0.0
                if not ended:
                    rest = pack - cards[hand]
                    for value in range(10):
                        chance = (left[value] - counts[hand, value]) / rest
                        if chance <= 0.0:
                            continue
                        longer = after[hand, value]
                        if longer < 0:
                            draw -= chance * lost[plain]
                            draw_2 += chance * lost[plain] * lost[plain]
                            if doubles:
                                natural = 0.0
                                if flags[HOLE] != NO_HOLE:
                                    natural = _natural(left, counts[hand], value, rest, flags[HOLE])
                                sure = 1.0 - natural
                                double -= chance * (lost[stake] * sure + natural)
                                double_2 += chance * (lost[stake] * lost[stake] * sure + natural)
                            continue
                        flag = 1 if (free_ace == 1 or (value == 0 and cards[hand] >= 2)) else 0
                        draw += chance * worth[kind, longer, flag, 0]
                        draw_2 += chance * worth[kind, longer, flag, 1]
                        draw_m += chance * worth[kind, longer, flag, 2]
                        if not doubles:
                            continue
                        ace = flag if flags[HARD_ACES] else (1 if counts[longer, 0] > 0 else 0)
                        points = hard[longer]
                        if ace == 1 and points <= 11:
                            points += 10
                        _doubled(points, cards[longer], stake, chances[longer], pays, flags, got)
                        if flags[RESCUE] and not (points == 21 and flags[AT_ONCE]):
                            if follow == 0:
                                rescues[longer, ace] = 1 if got[0] < -1.0 else 0
                            if rescues[longer, ace]:
                                got[0] = -1.0
                                got[1] = 1.0
                        double += chance * got[0]
                        double_2 += chance * got[1]
                ways[kind, hand, free_ace, 0] = stand if (may_stand or ended) else -1e9
                ways[kind, hand, free_ace, 1] = -1e9 if ended else draw
                ways[kind, hand, free_ace, 2] = double
                if follow == 0:
                    best = STAND
                    for what in range(1, 3):
                        if (
                            ways[kind, hand, free_ace, what]
                            > ways[kind, hand, free_ace, best] + 1e-12
                        ):
                            best = what
                    acts[kind, hand, free_ace] = best
                act = acts[kind, hand, free_ace]
                if act == STAND:
                    here[0], here[1], here[2] = stand, stand_2, 0.0
                elif act == DRAW:
                    here[0], here[1], here[2] = draw, draw_2, draw_m
                else:
                    here[0], here[1] = double, double_2
                    here[2] = 0.0 if stake - plain == 2 else 1.0
            _worth_by_suit(
                kind,
                hand,
                left,
                pack,
                counts,
                cards,
                after,
                special,
                third,
                suit_odds,
                odds_21,
                follow,
                ways,
                worth,
                acts,
                suit_acts,
                suit_worth,
            )


@compiled
def _worth_by_suit(
    kind: int,
    hand: int,
    left: Ints,
    pack: int,
    counts: Ints,
    cards: Ints,
    after: Ints,
    special: Ints,
    third: Ints,
    suit_odds: Floats,
    odds_21: Floats,
    follow: int,
    ways: Floats,
    worth: Floats,
    acts: Ints,
    suit_acts: Ints,
    suit_worth: Floats,
) -> None:
    """Compute the value of two cards that a third may complete to 6-7-8 or 7-7-7, by suit."""
    for which in range(len(special)):
        if special[which] != hand:
            continue
        value = third[which]
        chance = (left[value] - counts[hand, value]) / (pack - cards[hand])
        whole = after[hand, value]
        for suit in range(SUITS):
            gain = chance * (suit_odds[which, suit, 0] - odds_21[whole])
            square = chance * (suit_odds[which, suit, 1] - odds_21[whole] ** 2)
            draw = ways[kind, hand, 0, 1] + gain
            if follow == 0:
                best = STAND
                if draw > ways[kind, hand, 0, 0] + 1e-12:
                    best = DRAW
                if ways[kind, hand, 0, 2] > max(draw, ways[kind, hand, 0, 0]) + 1e-12:
                    best = DOUBLE
                suit_acts[kind, which, suit] = best
            act = suit_acts[kind, which, suit]
            suit_worth[kind, which, suit, 3] = draw
            for what in range(3):
                suit_worth[kind, which, suit, what] = worth[kind, hand, 0, what]
            if act == DRAW:
                suit_worth[kind, which, suit, 0] = draw
                square_of_draw = 0.0
                money = 0.0
                for drawn in range(10):
                    part = (left[drawn] - counts[hand, drawn]) / (pack - cards[hand])
                    if part <= 0.0:
                        continue
                    longer = after[hand, drawn]
                    if longer < 0:
                        square_of_draw += part
                    else:
                        flag = 1 if drawn == 0 else 0
                        square_of_draw += part * worth[kind, longer, flag, 1]
                        money += part * worth[kind, longer, flag, 2]
                suit_worth[kind, which, suit, 1] = square_of_draw + square
                suit_worth[kind, which, suit, 2] = money
            elif act != acts[kind, hand, 0]:
                # Another suit of the same cards is played differently: stand or double by itself.
                suit_worth[kind, which, suit, 0] = ways[kind, hand, 0, act]
                suit_worth[kind, which, suit, 2] = 1.0 if act == DOUBLE else 0.0


@compiled
def how_often(
    left: Ints,
    first: Floats,
    counts: Ints,
    cards: Ints,
    after: Ints,
    acts: Ints,
    often: Floats,
) -> None:
    """Compute the frequency of each hand of two and more cards if `acts` are followed."""
    pack = 0
    for value in range(10):
        pack += left[value]
    for hand in range(len(cards)):
        if cards[hand] == 2:
            often[hand, 0] += first[hand]
        if cards[hand] < 2:
            continue
        for free_ace in range(2):
            chance = often[hand, free_ace]
            if chance == 0.0 or acts[hand, free_ace] != DRAW:
                continue
            for value in range(10):
                longer = after[hand, value]
                rest = left[value] - counts[hand, value]
                if longer >= 0 and rest > 0:
                    flag = 1 if (free_ace == 1 or value == 0) else 0
                    often[longer, flag] += chance * rest / (pack - cards[hand])


@compiled
def split_hand(
    start: int,
    kind: int,
    any_second: int,
    others: int,
    reached: float,
    left: Ints,
    chances: Floats,
    counts: Ints,
    cards: Ints,
    hard: Ints,
    total: Ints,
    soft: Ints,
    after: Ints,
    d_depth: Ints,
    d_value: Ints,
    d_times: Ints,
    d_orders: Floats,
    d_ending: Ints,
    d_cards: Ints,
    d_counts: Ints,
    pays: Floats,
    lost: Floats,
    flags: Ints,
    odds_21: Floats,
    special: Ints,
    third: Ints,
    suit_law: Floats,
    suit_odds: Floats,
    acts: Ints,
    suit_acts: Ints,
    rescues: Ints,
    endings: Floats,
    result: Floats,
    by_ending: Floats,
    alive: Floats,
    neutral: Floats,
) -> None:
    """Compute one hand of a split that begins with a card of value `start`, played by `acts`.

    `left` is without the dealer's card and all split cards. `any_second` 0: its second card is not
    of that value, because it would be split again. `others` is the number of other hands with the
    same condition. All values are weighted by the probability of this case. Hands rarer than
    SELDOM, by their own probability and the split outcome's (`reached`), use a dealer's pack
    without only their own cards (`chances`): together that is less than one in 10**8. The dealer's
    endings do not depend on `acts`: `endings` caches them for the next strategy, below zero if
    unknown.

    `result`: mean, mean square, money added, probability, and mean of the part that the dealer
    cannot change. `by_ending`: mean by the dealer's ending, for stakes that wait for it. `alive`
    and `neutral` get orders of the cards that end with money that the dealer's Blackjack may take,
    or without such money and without an earlier loss.
    """
    hands = len(cards)
    pack = 0
    for value in range(10):
        pack += left[value]
    orders = np.zeros((hands, 2))
    stood = np.zeros(hands)
    doubled = np.zeros((hands, 2, 2))
    plain = 3 * kind
    first = after[0, start]
    orders[first, 0] = 1.0
    ratio = np.zeros((10, 40))
    under = np.zeros(46)
    for value in range(10):
        ratio[value, 0] = 1.0
        for k in range(1, 40):
            ratio[value, k] = ratio[value, k - 1] * max(0, left[value] - k + 1)
    under[0] = 1.0
    for k in range(1, 46):
        under[k] = under[k - 1] / max(1, pack - k + 1)
    # The probability that the others' second cards are not of the value, by cards drawn and those
    # of it.
    slots = np.ones((46, 40))
    if others > 0:
        right = np.ones(46 + 40)
        for more in range(46 + 40):
            for k in range(others):
                right[more] *= max(0, pack - left[start] - 45 + more - k)
        for drawn in range(46):
            of_all = 1.0
            for k in range(others):
                of_all /= max(1, pack - drawn - k)
            for same in range(40):
                slots[drawn, same] = right[same - drawn + 45] * of_all
    for what in range(len(result)):
        result[what] = 0.0
    by_ending[:] = 0.0
    alive[:] = 0.0
    neutral[:] = 0.0
    for hand in range(first, hands):
        for free_ace in range(2):
            count = orders[hand, free_ace]
            if count == 0.0:
                continue
            if cards[hand] == 1:
                for value in range(10):
                    if value == start and not any_second:
                        continue
                    orders[after[hand, value], 0] += count
                continue
            ended = total[hand] == 21 or start == 0
            ended = ended or (flags[MOST_CARDS] > 0 and cards[hand] >= flags[MOST_CARDS])
            if ended:
                stood[hand] += count
                continue
            which = -1
            for k in range(len(special)):
                if special[k] == hand:
                    which = k
            for suit in range(SUITS if which >= 0 else 1):
                part = count
                act = acts[kind, hand, free_ace]
                if which >= 0:
                    part = count * suit_law[which, suit]
                    act = suit_acts[kind, which, suit]
                if part == 0.0:
                    continue
                if act == STAND:
                    stood[hand] += part
                    continue
                stake = plain
                if act == DOUBLE:
                    stake = _stake_of_double(kind, cards[hand], total[hand], soft[hand], flags)
                chance = 1.0
                for value in range(10):
                    own = counts[hand, value] - (1 if value == start else 0)
                    chance *= ratio[value, own]
                drawn_before = cards[hand] - 1
                for value in range(10):
                    own = counts[hand, value] - (1 if value == start else 0)
                    rest = left[value] - own
                    if rest <= 0:
                        continue
                    longer = after[hand, value]
                    if longer < 0:
                        same = counts[hand, start] - 1 + (1 if value == start else 0)
                        happens = (
                            part
                            * chance
                            * rest
                            * under[drawn_before + 1]
                            * slots[drawn_before + 1, same]
                        )
                        result[3] += happens
                        if stake != plain and stake - plain == 1:
                            result[2] += happens
                        if flags[HOLE] != NO_HOLE:
                            # A Blackjack after a dealer's peek is settled for all hands together.
                            hole = flags[HOLE]
                            taken = counts[hand, hole] - (1 if hole == start else 0)
                            taken += 1 if hole == value else 0
                            more = same + (1 if hole == start else 0)
                            happens -= (
                                part
                                * chance
                                * rest
                                * max(0, left[hole] - taken)
                                * under[drawn_before + 2]
                                * slots[drawn_before + 2, more]
                            )
                        result[0] -= happens * lost[stake]
                        result[1] += happens * lost[stake] * lost[stake]
                        result[4] -= happens * lost[stake]
                        continue
                    flag = 1 if (free_ace == 1 or value == 0) else 0
                    if act == DRAW:
                        if which >= 0 and value == third[which]:
                            same = counts[longer, start] - 1
                            happens = (
                                part
                                * chance
                                * rest
                                * under[drawn_before + 1]
                                * slots[drawn_before + 1, same]
                            )
                            result[0] += happens * suit_odds[which, suit, 0]
                            result[1] += happens * suit_odds[which, suit, 1]
                            result[4] += happens * suit_odds[which, suit, 0]
                            result[3] += happens
                            neutral[longer] += part
                            continue
                        orders[longer, flag] += part
                    else:
                        ace = flag if flags[HARD_ACES] else (1 if counts[longer, 0] > 0 else 0)
                        doubled[longer, ace, stake - plain - 1] += part
    waiting = np.zeros(hands, dtype=np.int64)
    bases = np.zeros(hands)
    number = 0
    for hand in range(first, hands):
        weight = stood[hand]
        for ace in range(2):
            weight += doubled[hand, ace, 0] + doubled[hand, ace, 1]
        if weight == 0.0:
            continue
        chance = 1.0
        for value in range(10):
            own = counts[hand, value] - (1 if value == start else 0)
            chance *= ratio[value, own]
        drawn = cards[hand] - 1
        bases[hand] = chance * under[drawn] * slots[drawn, counts[hand, start] - 1]
        result[3] += bases[hand] * weight
        if reached * bases[hand] * weight < SELDOM or endings[hand, 0] >= 0.0:
            continue
        if stood[hand] == weight and _wins_at_once(total[hand], cards[hand], flags):
            continue
        waiting[number] = hand
        number += 1
    _dealer_after(
        waiting[:number],
        left,
        start,
        slots if others > 0 else slots[:0],
        counts,
        cards,
        d_depth,
        d_value,
        d_times,
        d_orders,
        d_ending,
        d_cards,
        d_counts,
        endings,
    )
    got = np.zeros(8)
    for hand in range(first, hands):
        base = bases[hand]
        if base == 0.0:
            continue
        weight = stood[hand]
        for ace in range(2):
            weight += doubled[hand, ace, 0] + doubled[hand, ace, 1]
        seldom = reached * base * weight < SELDOM
        for ending in range(8):
            got[ending] = base * (chances[hand, ending] if seldom else endings[hand, ending])
        for how in range(5):
            # 0: unchanged; then doubled, aces hard or not, paid or free.
            ace = (how - 1) // 2
            stake = plain
            points = total[hand]
            if how == 0:
                weight = stood[hand]
            else:
                free = (how - 1) % 2
                weight = doubled[hand, ace, free]
                stake = plain + 1 + free
                points = hard[hand] + (10 if ace == 1 and hard[hand] <= 11 else 0)
            if weight == 0.0:
                continue
            happens = base * weight
            if how > 0 and stake - plain == 1:
                result[2] += happens
            odds = 2.0 if how > 0 else (odds_21[hand] if points == 21 else 1.0)
            if _wins_at_once(points, cards[hand], flags):
                result[0] += happens * odds
                result[1] += happens * odds * odds
                result[4] += happens * odds
                neutral[hand] += weight
                continue
            if how > 0 and flags[RESCUE] and rescues[hand, ace]:
                result[0] -= happens
                result[1] += happens
                result[4] -= happens
                continue
            at_risk = False
            for ending in range(8):
                paid = pays[stake, points, ending]
                if flags[OFF_22] and _wins_but_for_22(points, cards[hand], flags):
                    paid = 0.0 if ending == 5 else odds
                if ending == 7 and paid < 0.0:
                    at_risk = True
                    if not flags[WHOLE]:
                        paid = 0.0
                result[0] += weight * got[ending] * paid
                result[1] += weight * got[ending] * paid * paid
                by_ending[ending] += weight * got[ending] * paid
            if at_risk:
                alive[hand] += weight
            else:
                neutral[hand] += weight


@compiled
def joint_chance(
    first: Ints,
    first_weights: Floats,
    second: Ints,
    second_weights: Floats,
    left: Ints,
    start: int,
    others: int,
) -> float:
    """Return the joint weight of two lists of drawn cards, from the cards left.

    `others` is the number of other hands whose second card is not of the value `start`.
    """
    pack = 0
    for value in range(10):
        pack += left[value]
    ratio = np.zeros((10, 64))
    under = np.zeros(128)
    for value in range(10):
        ratio[value, 0] = 1.0
        for k in range(1, 64):
            ratio[value, k] = ratio[value, k - 1] * max(0, left[value] - k + 1)
    under[0] = 1.0
    for k in range(1, 128):
        under[k] = under[k - 1] / max(1, pack - k + 1)
    whole = 0.0
    for i in range(len(first)):
        for j in range(len(second)):
            chance = first_weights[i] * second_weights[j]
            drawn = 0
            for value in range(10):
                taken = first[i, value] + second[j, value]
                drawn += taken
                chance *= ratio[value, taken]
            if chance == 0.0:
                continue
            chance *= under[drawn]
            if others:
                wrong = left[start] - first[i, start] - second[j, start]
                for k in range(others):
                    chance *= max(0, pack - drawn - wrong - k) / max(1, pack - drawn - k)
            whole += chance
    return whole
