"""The arithmetic of the analysis, compiled: the dealer's chances, the worth of hands, split hands.

A stake is one of six: money, money doubled, money doubled free, and the same for a token. `pays`
has what a hand of a total wins with a stake against each ending of the dealer's hand.
"""

from __future__ import annotations

import numpy as np

from cutcard.edge.game.composition import Booleans, Floats, Ints
from rng_certification.base.compiled import compiled

STAND, DRAW, DOUBLE = 0, 1, 2
# What `flags` says, by place.
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
) = range(10)
FLAGS = 10
SUITS = 5  # four suits, and mixed
SELDOM = 1e-8


@compiled
def dealers_chances(
    left: Ints,
    counts: Ints,
    cards: Ints,
    wanted: Ints,
    d_parent: Ints,
    d_value: Ints,
    d_times: Ints,
    d_orders: Floats,
    d_ending: Ints,
    d_cards: Ints,
    d_counts: Ints,
    chances: Floats,
) -> None:
    """How the dealer's hand ends, for each hand that has been taken out of what is left."""
    pack = 0
    for value in range(10):
        pack += left[value]
    ratio = np.zeros((10, 23))
    under = np.zeros(23)
    ways = np.ones(len(d_parent))
    for hand in range(len(cards)):
        if not wanted[hand]:
            continue
        possible = True
        for value in range(10):
            rest = left[value] - counts[hand, value]
            if rest < 0:
                possible = False
                break
            ratio[value, 0] = 1.0
            for k in range(1, 23):
                ratio[value, k] = ratio[value, k - 1] * max(0, rest - k + 1)
        if not possible:
            continue
        under[0] = 1.0
        rest = pack - cards[hand]
        for k in range(1, 23):
            under[k] = under[k - 1] / max(1, rest - k + 1)
        whole = 1.0
        for node in range(1, len(d_parent)):
            ways[node] = ways[d_parent[node]] * ratio[d_value[node], d_times[node]]
            if d_orders[node] > 0.0:
                chance = ways[node] * d_orders[node] * under[d_cards[node]]
                chances[hand, d_ending[node]] += chance
                whole -= chance
        chances[hand, 6] = whole


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
    """What a doubled hand is worth with its last card: mean and mean square."""
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
    """The worth of every hand of two and more cards, from those with most points down.

    `follow` 0 chooses the best and writes it down in `acts`, `suit_acts` and `rescues`; 1 does
    what stands there. `ways` gets the worth of standing, drawing and doubling; `worth` of what
    is done: mean, mean square, money added. The last place tells hands whose aces would all be
    hard after a double (0) from those with one that is not (1).
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
                # Nobody stands on 11 or less: one card more cannot hurt, and one may stand then.
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
                                double -= chance * lost[stake]
                                double_2 += chance * lost[stake] * lost[stake]
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
    """Two cards that a third may make 6-7-8 or 7-7-7 with: by suit."""
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
                # Another suit of the same cards is played otherwise: stand or double by itself.
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
    """How often each hand of two and more cards comes up when `acts` are followed."""
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
    d_parent: Ints,
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
    """One hand of a split that begins with a card of value `start`, played by `acts`.

    `left` is without the dealer's card and all the cards that were split. `any_second` 0: its
    second card is not of that value, for it would be split again. `others` hands beside it have
    second cards that are not either. All is weighed by the chance that it comes to this. Hands that
    are rarer than SELDOM, by their own chance and that of the split's outcome (`reached`), meet a
    dealer from whose pack only their own cards are gone (`chances`): together that is less than
    one in 10**8. How the dealer ends does not hang on `acts`: `endings` keeps it for the next
    strategy, below zero where it is not known yet.

    `result`: mean, mean square, money added, chance, and mean of what the dealer cannot change.
    `by_ending`: mean by how the dealer ends, for stakes that wait for him. `alive` and `neutral`
    get orders of the cards that end in money that the dealer's Blackjack may take, or in none that
    it takes and none lost before.
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
    # The chance that the others' second cards are not of the value, by cards drawn and those of it.
    slots = np.ones((46, 40))
    for drawn in range(46 if others > 0 else 0):
        for same in range(40):
            rest = pack - drawn
            wrong = left[start] - same
            for k in range(others):
                slots[drawn, same] *= max(0, rest - wrong - k) / max(1, rest - k)
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
                        result[0] -= happens * lost[stake]
                        result[1] += happens * lost[stake] * lost[stake]
                        result[3] += happens
                        result[4] -= happens * lost[stake]
                        if stake != plain and stake - plain == 1:
                            result[2] += happens
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
    got = np.zeros(8)
    falls = np.zeros((10, 18))
    ways = np.ones(len(d_parent))
    for hand in range(first, hands):
        weight = stood[hand]
        for ace in range(2):
            weight += doubled[hand, ace, 0] + doubled[hand, ace, 1]
        if weight == 0.0:
            continue
        stood_or_doubled = weight
        chance = 1.0
        for value in range(10):
            own = counts[hand, value] - (1 if value == start else 0)
            chance *= ratio[value, own]
        if chance == 0.0:
            continue
        drawn = cards[hand] - 1
        same_own = counts[hand, start] - 1
        base = chance * under[drawn] * slots[drawn, same_own]
        result[3] += base * weight
        ready = False
        for how in range(5):
            # 0: as it stands; then doubled, aces hard or not, paid or free.
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
            at_once = points == 21 and flags[AT_ONCE]
            at_once = at_once or (flags[FIVE_AND_UNDER] and cards[hand] == 5 and points < 21)
            odds = 2.0 if how > 0 else (odds_21[hand] if points == 21 else 1.0)
            if at_once and not flags[OFF_22]:
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
            if not ready and reached * base * stood_or_doubled < SELDOM:
                ready = True
                for ending in range(8):
                    got[ending] = base * chances[hand, ending]
            if not ready and endings[hand, 0] >= 0.0:
                ready = True
                for ending in range(8):
                    got[ending] = base * endings[hand, ending]
            if not ready:
                ready = True
                got[:] = 0.0
                over = base
                ways[0] = chance
                for value in range(10):
                    own = counts[hand, value] - (1 if value == start else 0)
                    for k in range(18):
                        falls[value, k] = ratio[value, own + k] / ratio[value, own]
                for node in range(1, len(d_parent)):
                    ways[node] = ways[d_parent[node]] * falls[d_value[node], d_times[node]]
                    if d_orders[node] > 0.0:
                        part = ways[node] * d_orders[node] * under[drawn + d_cards[node]]
                        if others > 0:
                            same = same_own + d_counts[node, start]
                            part *= slots[drawn + d_cards[node], same]
                        got[d_ending[node]] += part
                        over -= part
                got[6] = over
                if base > 0.0:
                    for ending in range(8):
                        endings[hand, ending] = got[ending] / base
            at_risk = False
            for ending in range(8):
                paid = pays[stake, points, ending]
                if at_once:
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
    """The weight of two lists of drawn cards together, from what is left.

    `others` are hands beside them whose second card is not of the value `start`.
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
