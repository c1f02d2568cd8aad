"""Random rounds that follow the rules, for the property tests."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from cutcard.cards import RANKS, SUITS, Card
from cutcard.engine.events import Act, Deal, Event, Press, Settled
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import finish, owed, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.engine.tables import refusals
from cutcard.engine.turn import hand_in_turn, next_card_goes_to
from cutcard.rulebooks.book import RULEBOOKS, contents, open_rulebook

SIDE_BETS = {
    "nz-division-2": {"super-sevens": "", "perfect-pair": "1", "madness-21": "", "push-22": "2"},
    "crown-melbourne-26": {"perfect-pairs": "a", "blackpot": "", "buster": "c", "spread-bet": "2"},
    "mbs-free-bet-3": {"pair": "", "busted": "", "pot-of-gold": ""},
    "uk-blackjack": {"21-plus-3": "", "top-3": "", "perfect-pairs": ""},
}
TURN = ("hit", "stand", "double", "split", "surrender")
GAMES = [(name, variant) for name in RULEBOOKS for variant in contents(name).variants]


def cards(pack: int) -> st.SearchStrategy[Card]:
    ranks = RANKS if pack == 52 else RANKS.replace("T", "")
    # Aces, sevens and tens are frequent, because most rules are about them.
    weighted = ranks + "AA778899" + ("TK" if pack == 52 else "KQ")
    return st.builds(Card, st.sampled_from(weighted), st.sampled_from(SUITS))


@dataclass
class Played:
    """A finished round with every earlier state."""

    rounds: list[Round]

    @property
    def end(self) -> Round:
        return self.rounds[-1]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    name, variant = draw(st.sampled_from(GAMES))
    decks = 4 if variant == "vegas" else 6
    pontoon = variant in ("crown-pontoon", "six-five-pontoon", "spanish")
    offers = dict(SIDE_BETS[name]) if draw(st.booleans()) else {}
    if pontoon and "perfect-pairs" in offers:
        offers["perfect-pairs"] = ""
    ante = 100 if variant == "ante-up" else None
    forced = name == "crown-melbourne-26" and not pontoon and variant != "premium-doubling"
    return Table(
        open_rulebook(name, (variant,)),
        decks,
        offers=offers,
        ante=ante,
        chip=draw(st.sampled_from([None, None, 250, 500])),
        maximum=draw(st.sampled_from([None, None, 2000])),
        forced_draw=forced and draw(st.booleans()),
    )


@st.composite
def wagers(draw: st.DrawFn, table: Table) -> list[Placed]:
    placed: list[Placed] = []
    for box in sorted(draw(st.sets(st.integers(1, 4), min_size=1, max_size=3))):
        for player in draw(st.sampled_from([["A"], ["A"], ["A", "B"]])):
            name = f"{player}{box}"
            placed.append(Placed(box, name, "main", draw(st.sampled_from([1000, 2500, 700]))))
            for bet in table.offers:
                if player == "A" and draw(st.booleans()):
                    placed.append(Placed(box, name, bet, 500))
    assert refusals(table, placed) == []
    return placed


@st.composite
def played_rounds(draw: st.DrawFn) -> Played:
    table = draw(tables())
    placed = draw(wagers(table))
    return Played(play(draw, start(table, placed)))


def play(draw: st.DrawFn, round: Round) -> list[Round]:
    """Return events that the rules allow, until the round can be settled."""
    shoe = cards(round.table.pack)
    rounds = [round]
    for _ in range(150):
        round = rounds[-1]
        event = next_event(draw, round, shoe)
        if event is None:
            if owed(round) is None:
                break
            continue
        try:
            rounds.append(step(round, event))
        except RefusedError:
            continue
    rounds.append(finish(rounds[-1]))
    return rounds


def next_event(draw: st.DrawFn, round: Round, shoe: st.SearchStrategy[Card]) -> Event | None:
    if round.phase is Phase.BEFORE_INTERIM and draw(st.booleans()):
        return _option(draw, round)
    pressing = [wager for wager in round.wagers if wager.open and wager.waits_for_press]
    if pressing:
        return Press(pressing[0].key.bet, pressing[0].key.box, None, 10)
    if round.phase is Phase.BEFORE_INTERIM:
        return Settled("interim")
    if next_card_goes_to(round) is not None:
        if round.following is not None and draw(st.booleans()):
            return _follow(round)
        return Deal(draw(shoe))
    turn = hand_in_turn(round)
    # Standing and drawing are frequent, so that a round ends.
    kinds = st.sampled_from((*TURN, "stand", "hit"))
    return None if turn is None else Act(draw(kinds), box=turn.box.number)


def _follow(round: Round) -> Act:
    assert round.following is not None
    box = round.boxes[round.following.box]
    return Act(round.following.kind, box=box.number, player=box.mains[-1].player)


def _option(draw: st.DrawFn, round: Round) -> Act:
    main = draw(st.sampled_from([wager for wager in round.placed if wager.bet == "main"]))
    kind = draw(st.sampled_from(["insure", "even-money", "surrender"]))
    amount = main.amount // 2 if kind == "insure" else None
    return Act(kind, box=main.box, player=main.player, amount=amount)
