"""Settle a round of Blackjack: enter wagers, cards and decisions; print results and their rules."""

from cutcard.cards import Card
from cutcard.engine import Act, Deal, Placed, RefusedError, Table, finish, results, start, step
from cutcard.rulebooks import open_rulebook

table = Table(open_rulebook("uk-blackjack"), decks=6)
round = start(table, [Placed(1, "Ann", "main", 1000)])  # box 1, ten dollars in cents

for card in ("9s", "7d", "Th"):  # Ann's first card, the dealer's card, Ann's second card
    round = step(round, Deal(Card.parse(card)))

try:
    step(round, Act("split"))
except RefusedError as refused:
    print(f"Ann may not split: {refused}")

round = step(round, Act("stand"))
for card in ("9c", "Kd"):  # the dealer has 16 and must draw
    round = step(round, Deal(Card.parse(card)))

for result in results(finish(round)):
    wager, rules = result.key, ", ".join(result.rules)
    print(f"{wager.player}, {wager.bet}: {result.result}, {result.net:+} cents (rules {rules})")
