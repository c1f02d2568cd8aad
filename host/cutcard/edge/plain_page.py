"""The page `docs/reference/game-costs.md` and its pictures, for readers who do not program.

The sentences are constant text; every figure in them is computed.
"""

from __future__ import annotations

from html import escape
from math import sqrt
from textwrap import fill
from typing import Any

from cutcard.edge.game.drawing import as_svg
from cutcard.edge.game.figures import figures_of
from cutcard.edge.game.page import edges_page
from cutcard.edge.game.rule_words import rule_lines
from cutcard.edge.game.stored_sides import stored_sides
from cutcard.edge.game.sweep import configuration_of, stored
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.risk import risk_of_ruin, rounds_until_detectable
from cutcard.rulebooks.book import layer_of, open_rulebook

STAKE, ROUNDS_AN_HOUR, HOURS = 10, 60, 8
SURE = 1.96  # standard deviations: nineteen evenings of twenty end between
DEFECT = 0.0002  # an edge that is off by two hundredths of a per cent
WIDTH = 104
_LEFT, _BAR, _SCALE, _MOST = 300, 24, 130.0, 3.2


def plain_page() -> str:
    british = _row("uk-blackjack", "blackjack", 6)
    full = _row("nz-division-2", "blackjack", 8)
    short = _row("nz-division-2", "blackjack", 8, blackjack="6:5")
    vegas = _row("crown-melbourne-26", "vegas", 4)
    beaten = _row("crown-melbourne-26", "vegas", 4, reading="crown-21-against-blackjack")
    edge, variance = british["edge"], british["variance"]
    rounds = ROUNDS_AN_HOUR * HOURS
    loss, swing = edge * rounds * STAKE, SURE * sqrt(variance * rounds) * STAKE
    ruin = risk_of_ruin(edge, variance, 30, rounds)
    hours = rounds_until_detectable(DEFECT, variance) / ROUNDS_AN_HOUR
    pairs = next(
        row
        for row in stored_sides()
        if (row["rulebook"], row["side"], row["decks"]) == ("uk-blackjack", "perfect-pairs", 4)
    )
    text = f"""# What a game costs, in plain words

After this page you can explain the figures of [edges.md](edges.md) to a floor manager, a regulator
or a player. The figures of one game:

```sh
cutcard edge game uk-blackjack --decks 6
```

## The edge

A player stakes ${STAKE} a round and plays as well as the game can be played, for ever.
The share of each initial wager that the house keeps in the long run is the *house edge*. For the
British game with six decks it is {_percent(edge)}: {_cents(edge)} cents of every ${STAKE}. No
player can play the game better than that, and most people play it worse, so a table keeps more.

![The house's share of $100, game by game](../pictures/edges-by-game.svg)

A bar to the left is a game that pays the player. It is not a mistake of the picture: under the
printed rules, Vegas Blackjack with four decks keeps {_percent(vegas["edge"])} of a wager, a
negative edge. If a rule can be read in two ways, the sign may change: if a dealer's Blackjack beat
a 21 that took more than two cards, the same table would keep {_percent(beaten["edge"])}.

## Why it is exact

No round is estimated. A continuous shuffler deals every round from the full pack, which
has a fixed number of cards. The analysis weights each possible hand by its probability, follows
each way to play it to its end, and takes the best. The simulator then plays the same game
millions of times by the rules engine's own decisions, and both must agree.

## Effects on the edge

- *The payment of a Blackjack.* New Zealand's game with eight decks keeps {_percent(full["edge"])}
  if it pays 3 to 2, and {_percent(short["edge"])} if the layout pays 6 to 5: the same cards,
  {short["edge"] / full["edge"]:.1f} times as expensive.
- *Decks.* Fewer are better for the player: the British game with one deck keeps
  {_percent(_row("uk-blackjack", "blackjack", 1)["edge"])}, with eight
  {_percent(_row("uk-blackjack", "blackjack", 8)["edge"])}.
- *The strategy.* Played only by the total of a hand, as on printed strategy cards, British
  Blackjack with six decks costs {_percent(british["by_total"])}, almost the same. Blackjack
  Plus then costs half a per cent more, because it depends on the number of cards.
- *Side wagers* have separate edges, mostly far larger: Perfect Pairs with four decks keeps
  {_percent(pairs["edge"])} of every dollar on it.

![Vegas Blackjack: red stands, green draws, blue doubles](../pictures/strategy-vegas.svg)

## One evening

{HOURS} hours are {rounds} rounds. At ${STAKE} a round the British game keeps ${loss:.0f} on
average. But nineteen evenings of twenty end anywhere between ${swing - loss:,.0f} won and
${swing + loss:,.0f} lost: luck is far larger than the edge, but the edge is constant. A player with
30 wagers is ruined before the evening is over {100 * ruin:.0f} times in a hundred.

![An evening: the average sinks slowly inside a wide band of luck](../pictures/one-evening.svg)

## The cost of a flawed machine

A slightly wrong shuffle moves the edge slightly. A shift by {_percent(DEFECT, 2)} would show in the
takings of one box after {hours / 1e6:.1f} million hours of play; until then luck
hides it. Therefore a shuffler is certified by its cards and not by its drop. Its flaws do not help
the average player but a counter: a counter stakes more when the next round promises to win.
`cutcard edge machines` lets three counters play against each machine: the first counts high and low
cards, the second knows exactly which cards are left, and the third has seen every card go back. See
[simulator.md](../how-to/simulator.md).
"""
    return "\n\n".join(_wrapped(part) for part in text.strip().split("\n\n")) + "\n"


def _wrapped(part: str) -> str:
    """Wrap a paragraph, or each item of a list, to WIDTH; leave a block of code as it is."""
    if part.startswith("```"):
        return part
    return "\n".join(
        fill(
            " ".join(point.split()),
            WIDTH,
            subsequent_indent="  " if point.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for point in part.replace("\n- ", "\n\n- ").split("\n\n")
    )


def edges_picture() -> str:
    """Draw a bar for each game of the rulebooks with the most decks, sorted by edge."""
    rows = sorted((row for row in stored() if _as_printed(row)), key=lambda row: row["edge"])
    parts, y = (
        [
            _text(
                10,
                22,
                "What the house keeps of $100, with the most decks and the largest ante",
                "start",
            )
        ],
        40,
    )
    zero = _LEFT + 20
    for row in rows:
        each = configuration_of(row)
        name = layer_of(each.rulebook, f"variant-{each.variants[0]}").title
        dollars = 100 * row["edge"]
        width = min(abs(dollars), _MOST) * _SCALE
        colour = "#c0504d" if dollars < 0 else "#4f81bd"
        x = zero - width if dollars < 0 else zero
        label = f"{name}, {_PLACES[each.rulebook]}, {each.decks} decks"
        parts.append(_text(_LEFT, y + 16, label, "end"))
        place = f'x="{x:.1f}" y="{y + 3}" width="{width:.1f}" height="17"'
        parts.append(f'<rect {place} fill="{colour}"/>')
        cut = " (cut off)" if dollars > _MOST else ""
        after = zero + max(0.0, width if dollars > 0 else 0.0) + 6
        parts.append(_text(after, y + 16, f"${dollars:.2f}{cut}".replace("$-", "-$"), "start"))
        y += _BAR
    return _svg(zero + _MOST * _SCALE + 150, y + 10, parts)


def evening_picture() -> str:
    """Draw the mean, and the band that contains nineteen evenings of twenty."""
    row = _row("uk-blackjack", "blackjack", 6)
    width, height, left, top = 620, 300, 70, 40
    most = 800.0

    def place(hour: float, dollars: float) -> str:
        x = left + width * hour / HOURS
        return f"{x:.1f},{top + height * (most - dollars) / (2 * most):.1f}"

    steps = [hour / 10 for hour in range(10 * HOURS + 1)]
    means = [-row["edge"] * ROUNDS_AN_HOUR * hour * STAKE for hour in steps]
    swings = [SURE * sqrt(row["variance"] * ROUNDS_AN_HOUR * hour) * STAKE for hour in steps]
    above = [place(h, m + s) for h, m, s in zip(steps, means, swings, strict=True)]
    below = [place(h, m - s) for h, m, s in zip(steps, means, swings, strict=True)]
    mean = [place(h, m) for h, m in zip(steps, means, strict=True)]
    parts = [
        _text(10, 22, f"British Blackjack, six decks, ${STAKE} a round", "start"),
        f'<polygon points="{" ".join(above + below[::-1])}" fill="#dbe5f1"/>',
        f'<polyline points="{" ".join(mean)}" fill="none" stroke="#c0504d" stroke-width="2"/>',
        _text(left + width - 6, top + height / 2 + 34, "the average: the cost of the edge", "end"),
        _text(left + width - 6, top + 50, "nineteen evenings of twenty are in the band", "end"),
    ]
    for dollars in (-800, -400, 0, 400, 800):
        y = top + height * (most - dollars) / (2 * most)
        parts.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#cccccc"/>')
        parts.append(_text(left - 6, y + 4, f"${dollars}".replace("$-", "-$"), "end"))
    for hour in range(0, HOURS + 1, 2):
        x = left + width * hour / HOURS
        parts.append(_text(x, top + height + 18, f"{hour} h", "middle"))
    return _svg(left + width + 30, top + height + 30, parts)


_PLACES = {
    "nz-division-2": "New Zealand",
    "crown-melbourne-26": "Crown",
    "mbs-free-bet-3": "Singapore",
    "uk-blackjack": "Britain",
}


def _as_printed(row: dict[str, Any]) -> bool:
    """Return whether this is one variant with the rulebook's rules and the most decks."""
    most = max(open_rulebook(row["rulebook"], tuple(row["variants"]))["cards.decks"].value)
    return "by_total" in row and row["decks"] == most and len(row["variants"]) == 1


def _row(
    rulebook: str, variant: str, decks: int, *, blackjack: str = "", reading: str = ""
) -> dict[str, Any]:
    return next(
        row
        for row in stored()
        if (row["rulebook"], row["variants"], row["decks"]) == (rulebook, [variant], decks)
        and (row["blackjack"], row["reading"], row["wager"]) == (blackjack, reading, 10)
    )


def _percent(share: float, places: int = 4) -> str:
    return f"{100 * share:.{places}f} %"


def _cents(edge: float) -> str:
    return f"{100 * STAKE * edge:.1f}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: float, height: float, parts: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        'font-family="sans-serif" font-size="13">\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _strategy_picture() -> str:
    rules = money_rules(open_rulebook("crown-melbourne-26", ("vegas",)), 4)
    title = "crown-melbourne-26 vegas, 4 decks"
    return as_svg(figures_of(rules).strategy, title, rule_lines(rules))


# The generator of each page and picture in docs/ that contains figures, by file name.
PAGES = {
    "edges.md": edges_page,
    "game-costs.md": plain_page,
    "edges-by-game.svg": edges_picture,
    "one-evening.svg": evening_picture,
    "strategy-vegas.svg": _strategy_picture,
}
