"""Random rounds with irregularities at any moment, and rulings on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from cutcard.cards import Card, parse_cards
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.events import Act, Deal, Event, Irregularity, Press, Ruling, Settled
from cutcard.engine.irregularities.reconstruction import fallen
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import DEALER, Phase, Placed, Round, Table
from cutcard.engine.turn import hand_in_turn, next_card_goes_to
from cutcard.rulebooks.book import RULEBOOKS, Source, open_rulebook

SIDE_BETS = {
    "nz-division-2": {"perfect-pair": "1", "push-22": "1", "super-sevens": ""},
    "crown-melbourne-26": {"perfect-pairs": "a", "blackpot": "", "buster": "a"},
    "mbs-free-bet-3": {"pair": "", "busted": ""},
    "uk-blackjack": {"perfect-pairs": ""},
}
# A player may place these on a box with only other players' main wagers.
ON_ANOTHERS_BOX = ("perfect-pair", "perfect-pairs", "pair")
PLACES = ("1", "2", "3", DEALER)
# Each order of the initial deal with the error that it has.
ORDERS: dict[tuple[str, ...], Irregularity | None] = {
    (): None,
    ("1", DEALER, "1"): Irregularity("box-missed", box=2),
    ("1", "2", DEALER, "1"): Irregularity("one-card", box=2),
    ("1", "2", "3", DEALER, "1", "2", "3"): Irregularity("no-wager", box=3),
    ("1", "2", "1", "2"): Irregularity("dealer-missed"),
}
cards = st.sampled_from(parse_cards("As Kd 7h 7c 5s 9d Tc 2h 6s 8c Jd 3c 4h"))
OFFERED = (Act("insure", box=1, player="A"), Act("even-money", box=1, player="A"))


@st.composite
def irregularities(draw: st.DrawFn) -> Irregularity:
    two = (draw(cards), draw(cards))
    one = two[:1]
    box = draw(st.sampled_from((1, 2, 3)))
    seen = draw(st.booleans())
    return draw(
        st.sampled_from(
            (
                Irregularity("malfunction", device="shuffler", hands=("1",)),
                Irregularity("malfunction", device="shoe"),
                Irregularity("simultaneous-draw", cards=two),
                Irregularity("simultaneous-draw", cards=two, disclosed=(2,)),
                Irregularity("simultaneous-draw", cards=two, disclosed=(1, 2)),
                Irregularity("face-up", cards=one),
                Irregularity("drawn-in-error", cards=one, exposed=seen),
                Irregularity("drawn-in-error", cards=one, exposed=seen, to=DEALER),
                Irregularity("wrong-cards", found=draw(st.sampled_from(("extra", "unshuffled")))),
                Irregularity("misdeal", boxes=(1, 2)),
                Irregularity("box-missed", box=box),
                Irregularity("one-card", box=box),
                Irregularity("no-wager", box=box),
                Irregularity("dealer-missed"),
                Irregularity("not-offered", box=1, option="draw", cards=two, boxes=(2, 2)),
                Irregularity("not-offered", box=box, option="insurance"),
                Irregularity("wager-not-entered", box=1, bet="supernova"),
                Irregularity("suspect-shuffle"),
                Irregularity("exposed-cards"),
                Irregularity("fraud", players=("B",)),
                Irregularity("no-burn"),
                Irregularity("no-cut-card"),
                Irregularity("cut-card"),
                Irregularity("cut-card-missed"),
                Irregularity("damaged-card", cards=one),
                Irregularity("shoe-empty"),
                Irregularity("power-failure"),
                Irregularity("disruption", cause="fire"),
                Irregularity("jackpot-failure", bet="madness-21"),
                Irregularity("meter-mismatch", bet="pontoon-pandemonium", meter=50, panel=100),
                Irregularity(
                    "button-misfire", bet="madness-21", box=1, player="A", prize=5, offered=seen
                ),
                Irregularity("absent", box=box),
            )
        )
    )


class Played(NamedTuple):
    """The rounds after each accepted event, and the settled round if it was reached."""

    rounds: list[Round]
    end: Round | None


@st.composite
def irregular_rounds(draw: st.DrawFn, rulebooks: Sequence[Source] = RULEBOOKS) -> Played:
    name = draw(st.sampled_from(rulebooks))
    table = Table(
        open_rulebook(name),
        6,
        shuffler=draw(st.sampled_from(("continuous", "shoe"))),
        offers=SIDE_BETS.get(str(name), {}) if draw(st.booleans()) else {},
    )
    mains = [
        Placed(1, "A", "main", 2000),
        Placed(2, "B", "main", 1000),
        Placed(2, "C", "main", 500),
    ]
    sides = [Placed(1, "A", bet, 500) for bet in table.offers]
    sides += [Placed(2, "A", bet, 500) for bet in table.offers if bet in ON_ANOTHERS_BOX]
    order = draw(st.sampled_from(tuple(ORDERS)))
    rounds = [start(table, mains + sides, order)]
    error = ORDERS[order]
    left = draw(st.integers(0, 3))
    for _ in range(80):
        round = rounds[-1]
        if round.over:
            break
        event: Event | None
        if error is not None and _is_noticed(draw, round):
            event, error = error, None
        elif left and draw(st.integers(0, 5)) == 0:
            left -= 1
            event = draw(irregularities())
        elif _against_an_ace(round) and draw(st.booleans()):
            event = draw(st.sampled_from(OFFERED))
        else:
            event = _next(draw, round)
            if event is None and error is not None:
                event, error = error, None
        if event is None:
            return Played(rounds, finish(round))
        try:
            rounds.append(step(round, event))
        except RefusedError:
            continue
    return Played(rounds, rounds[-1] if rounds[-1].over else None)


def _is_noticed(draw: st.DrawFn, round: Round) -> bool:
    """Return whether an error in the initial deal is noticed now.

    It is noticed before the settlement or right after it.
    """
    if round.phase is Phase.BEFORE_INTERIM:
        return draw(st.booleans())
    return round.phase is Phase.SUBSEQUENT_DEAL and not round.further_card_dealt


def _against_an_ace(round: Round) -> bool:
    return round.phase is Phase.BEFORE_INTERIM and [card.rank for card in round.dealer] == ["A"]


def _next(draw: st.DrawFn, round: Round) -> Event | None:
    if round.choices and (any(c.required for c in round.choices) or draw(st.booleans())):
        return _ruling(draw, round, draw(st.sampled_from(round.choices)))
    if round.phase is Phase.BEFORE_INTERIM:
        return Settled("interim")
    if round.ahead and round.following is not None:
        return Act("stand")  # play continues: no player follows, and the waiting card is used
    if next_card_goes_to(round) is not None:
        return Deal(draw(cards))
    if hand_in_turn(round) is not None:
        return Act(draw(st.sampled_from(("hit", "stand", "double", "split"))))
    waiting = [wager.key for wager in round.wagers if wager.waits_for_press and wager.open]
    if waiting:
        return Press(waiting[0].bet, waiting[0].box, waiting[0].player, 50)
    undecided = [choice for choice in round.choices if choice.must_be_made]
    if undecided:  # no later event could turn a missing ruling into the default
        return _ruling(draw, round, draw(st.sampled_from(undecided)))
    return None


def _ruling(draw: st.DrawFn, round: Round, choice: Choice) -> Ruling:
    option: Option = draw(st.sampled_from(choice.options))
    players = option.players or ("A", "B", "C")
    who = draw(st.sampled_from(players)) if option.by == PLAYER else None
    return Ruling(
        option.ruling,
        by=None if option.by == PLAYER else option.by,
        player=who,
        hands=(draw(st.sampled_from(PLACES)),) if option.ruling == "void-hands" else (),
        dealer=_dealers(draw, round) if option.ruling == "void-hands" else (),
        cards=_cards(round) if option.ruling == "reconstruct" else (),
        chosen=(draw(st.integers(1, 2)),) if option.ruling == "choose" else (),
    )


def _dealers(draw: st.DrawFn, round: Round) -> tuple[Card, ...]:
    return tuple(round.dealer[:1]) if draw(st.integers(0, 3)) == 0 else ()


def _cards(round: Round) -> tuple[Card, ...]:
    return fallen(round)
