"""Compare the simulated edge of a game with its exact one, and record rounds as arrays."""

from cutcard.edge.interface import GameSetup, analyse, play_rounds, simulate

game = GameSetup("uk-blackjack", decks=6, rules={"dealer.peeks": True, "split.hands": 4})

exact = analyse(game)
found = simulate(game, 1_000_000, strategy=exact.strategy, seed="example")
print(f"exact {exact.edge:.4%}, simulated {found.edge.low:.4%} to {found.edge.high:.4%}")

rounds = play_rounds(game, 20_000, strategy=exact.strategy, seed="example")
lost = (rounds.boxes["net"] < 0).mean()
print(f"{rounds.rounds} rounds, {len(rounds.cards)} cards, {lost:.1%} lost")
