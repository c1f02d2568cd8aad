"""Random tables, and rounds on them played twice: the kernel must equal the engine."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cutcard.edge.simulate.game import BONUS_ROWS
from cutcard.engine import Placed, Table
from cutcard.engine.side_wagers.offering import refused_offers
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import Rulebook, contents, layer_of
from tests.edge.simulate.oracle import EnginesRound, KernelsTable, RoundLog
from tests.edge.simulate.shoes import random_play, random_shoe, stacked_shoe, without_tens

NOT_PLAYED = ("house-money", "let-it-ride")
ROUNDS_A_TABLE, ROUNDS_A_STRATEGY = 20, 200
MOST_SIDE_WAGERS = 4  # at one table; a million rounds include all
SELDOM_WON = ("pot-of-gold", "supernova")  # in their highest rows; each at most of its tables
CURIOUS = 8  # one round in this number also tries forbidden actions
METERS = ("blackjack-jackpots", "supernova-major", "supernova-minor", "supernova-mystery")

Game = tuple[str, tuple[str, ...]]


def games() -> Iterator[Game]:
    """Yield every variant of every rulebook, and two together if the rulebook allows it."""
    for rulebook in RULEBOOKS:
        for variant in contents(rulebook).variants:
            yield rulebook, (variant,)
            for other in layer_of(rulebook, f"variant-{variant}").together_with:
                yield rulebook, (other, variant)


def compare(game: Game, rounds: int, seed: str = "") -> Counter[str]:
    """Play this many rounds of a game twice; return the frequency of each event.

    Raises AssertionError at the first difference, with its table.
    """
    rng = random.Random(f"{seed}{game}")
    chance = np.random.default_rng(rng.getrandbits(64))
    book = open_rulebook(*game)
    seen: Counter[str] = Counter()
    play = random_play(rng)
    for number in range(rounds):
        if number and number % ROUNDS_A_STRATEGY == 0:
            play = random_play(rng)
        if number % ROUNDS_A_TABLE == 0:
            table, placed = random_table(rng, book)
            kernels = KernelsTable(table, placed, play, seen)
        stacked, fresh = number % 2 == 1, number % 4 == 2
        shoe = stacked_shoe(rng, chance) if stacked else random_shoe(chance)
        shoe = without_tens(shoe) if table.pack == 48 else shoe
        kernel = kernels.round(shoe, fresh)
        if kernel is None:
            seen["the shoe ran out"] += 1
            continue
        played = EnginesRound(table, placed, play, seen, rng.randrange(CURIOUS) == 0)
        engine = played.with_cards(shoe.tolist(), kernel.prizes)
        assert kernel == engine, f"{game}, round {number}: {_difference(kernel, engine)}\n{table}"
        seen["rounds"] += 1
    return seen


def random_table(rng: random.Random, book: Rulebook) -> tuple[Table, list[Placed]]:
    """Return a table allowed by its rulebook: decks, layout, sign, ante, chips, side wagers,
    boxes."""
    boxes = rng.choices((1, 2, 3, 5, 9), (48, 4, 2, 1, 1))[0]
    boxes = min(boxes, book["boxes.most"].value or boxes)
    stake = rng.choice((200, 1000, 2500, 5000))
    layout = book.get("blackjack.layout")
    table = Table(
        book,
        decks=rng.choice(book["cards.decks"].value),
        minimum=200,
        blackjack=rng.choice((None, *layout.value)) if layout is not None else None,
        ante=rng.choice((None, 20, 25)) if book.flag("ante.placed") else None,
        ante_waived_from=rng.choice((None, 5000)),
        forced_draw=book.says("draw.forced", "on-sign") and rng.random() < 0.3,
        chip=rng.choice((None, None, 200)) if stake % 200 == 0 else None,
        meters={meter: rng.randrange(10**5, 10**7) for meter in METERS},
        seeds={"blackjack-jackpots": 500_000},
    )
    fitting = _fitting(rng, table, random_offers(rng, book))
    mains = [Placed(b, f"P{b}", "main", stake) for b in range(1, boxes + 1)]
    sides = [
        Placed(b, f"P{b}", bet, rng.choice((100, 200, 500)), carried=_carried(rng, bet))
        for bet in fitting
        for b in range(1, boxes + 1)
    ]
    stakes = {wager.bet: wager.amount for wager in sides}
    sides = [replace(wager, amount=stakes[wager.bet]) for wager in sides]
    return replace(table, offers=fitting), [*mains, *sides]


def random_offers(rng: random.Random, book: Rulebook) -> list[str]:
    """At two tables of five, offer some of the side wagers; at some more those that are rarely
    won."""
    bets = [bet for bet in book.side_wagers if bet not in NOT_PLAYED]
    seldom = [bet for bet in bets if bet in SELDOM_WON and rng.random() < 0.7]
    if not bets or rng.random() < 0.6:
        return seldom
    among = rng.sample(bets, rng.randint(1, min(MOST_SIDE_WAGERS, len(bets))))
    return [*seldom, *(bet for bet in among if bet not in seldom)]


def _fitting(rng: random.Random, table: Table, bets: list[str]) -> dict[str, str]:
    """Return the wagers that can be offered together at this table, each with a valid column."""
    chosen: dict[str, str] = {}
    book = table.book
    for bet in bets:
        columns = book.side_wagers[bet].columns
        fit = [c.choice for c in columns if c.fits(c.choice, table.decks, table.pack)]
        more = {**chosen, bet: rng.choice(fit)} if fit else chosen
        if not refused_offers(book.side_wagers, more, book.variants, table.decks, table.pack):
            chosen = more
    return chosen


def _carried(rng: random.Random, bet: str) -> bool:
    return bet == "blackpot" and rng.random() < 0.5


def rare_things(game: Game) -> list[str]:
    """Return the events that must have occurred in this game, in the names of `compare`."""
    book = open_rulebook(*game)
    named = ["insurance taken", "paid: insurance", "taken: insurance", "paid: the hand"]
    named += ["taken: the hand", "dealer's Blackjack", "dealer's 22"]
    if book.get("bonus.other") is not None:
        named += [f"21: {row}" for row in BONUS_ROWS] + ["super bonus", "paid: 21"]
        named.append("paid: super bonus")
    if book.flag("settle.five_and_under"):
        named.append("paid: five and under")
    if book.flag("double.withdrawn"):
        named.append("rescued")
    if book["even_money.offered"].value != "no":
        named.append("even money taken")
    if book.flag("split.allowed") and (most := book["split.hands"].value):
        named += [f"{most} hands"]
    if not book.says("split.free", "never"):
        named += [f"{tokens} tokens" for tokens in range(1, 6)]
    if not book.says("surrender.kind", "none"):
        named.append("surrender" if book.says("surrender.kind", "in-turn") else "surrendered")
    return named + [f"{act} refused: {why}" for act, why in _refusals(book)]


def _refusals(book: Rulebook) -> Iterator[tuple[str, str]]:
    """Yield every reason for which this game refuses a decision."""
    cards = {
        "never": "doubling is not offered in this game",
        "two": "only a hand of two cards may be doubled",
        "two-or-three": "only a hand of two or three cards may be doubled",
    }
    totals = {
        "no-aces": "a hand with an ace may not be doubled",
        "hard-9-10-11": "only a hard 9, 10 or 11 may be doubled",
    }
    if why := cards.get(book["double.cards"].value):
        yield "double", why
    if (why := totals.get(book["double.totals"].value)) and book["double.cards"].value != "never":
        yield "double", why
    if not book.flag("double.withdrawn") and book["double.cards"].value != "never":
        yield "withdraw-double", "a doubled wager may not be withdrawn"
    if not book.flag("split.allowed"):
        yield "split", "splitting is not offered in this game"
    else:
        yield "split", "only two cards of one value may be split"
        if most := book["split.hands"].value:
            yield "split", f"a box may have at most {most} hands"
        if book.flag("split.declined_ends"):
            yield "split", "the player did not split a hand of this value before"
    yield "insure", "insurance is offered only against an ace"
    if not book.flag("insurance.with_blackjack"):
        yield "insure", "a Blackjack may not be insured at this table"
    offered = book["even_money.offered"].value
    if offered == "no":
        yield "even-money", "even money is not offered"
    if offered == "at-3:2" and len({*book["blackjack.layout"].value, "3:2"}) > 1:
        yield "even-money", "even money is offered only if a Blackjack pays 3:2"
    kind = book["surrender.kind"].value
    if kind == "none":
        yield "surrender", "surrender is not offered in this game"
    else:
        yield "surrender", "no surrender against"
    if kind == "in-turn":
        yield "surrender", "a split hand may not surrender"
        yield "surrender", "only the first two cards may be surrendered"
    if book.says("draw.forced", "to-12"):
        yield "stand", "a hand of 11 or less must draw"


def _difference(kernel: RoundLog, engine: RoundLog) -> str:
    for name in ("cards", "decisions", "payments", "sides", "net"):
        ours, theirs = getattr(kernel, name), getattr(engine, name)
        if ours != theirs:
            return f"{name}\nkernel {ours}\nengine {theirs}"
    return "nothing that is compared"
