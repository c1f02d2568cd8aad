"""Play a round by answering the engine's requests for cards, decisions and settlement."""

from random import Random

from cutcard.cards import all_cards
from cutcard.engine import (
    Act,
    Deal,
    Decision,
    NextCard,
    Placed,
    Settled,
    Settlement,
    Table,
    obligations,
    results,
    start,
    step,
)
from cutcard.rulebooks import open_rulebook

shoe = list(all_cards(decks=6, pack=52).elements())
Random(5).shuffle(shoe)
table = Table(open_rulebook("uk-blackjack"), decks=6)
round = start(table, [Placed(1, "Ann", "main", 1000), Placed(2, "Ben", "main", 2500)])

while due := obligations(round):
    match due[-1]:  # earlier entries are options such as insurance; the next step declines them
        case NextCard(place):
            print(f"{shoe[-1]} for {place}")
            round = step(round, Deal(shoe.pop()))
        case Decision(place, player, ways):
            hand = round.boxes[int(place[0])].hands[int(place[2:] or 1) - 1]
            act = Act("hit") if hand.total.points < 17 and Act("hit") in ways else Act("stand")
            print(f"{player} at {place}: {act.kind}")
            round = step(round, act)
        case Settlement(what):
            round = step(round, Settled(what))

for result in results(round):
    print(f"{result.key.player}: {result.result}, {result.net:+} cents")
