"""The page `docs/rulebooks/side-bet-arithmetic.md`: every figure on it is worked out here.

Only the sentences are written by hand; `cutcard edge page` prints it, a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache

from cutcard.edge.prize_tables import PrizeFigures, prize_figures
from cutcard.edge.side_bets import NOT_ENUMERATED, SideEdge, side_edges
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.book import contents

DECKS = (4, 6, 8)


def arithmetic_page() -> str:
    lines = [
        "# Side-bet arithmetic",
        "",
        "What the house keeps of a dollar staked on each side wager, exactly: every card of a "
        "fresh shoe is dealt to the wager, and the ways are counted in whole numbers. The "
        "percentages below are rounded; `cutcard edge side RULEBOOK BET --json` has the fractions, "
        "the chance of every row, and the other numbers of decks. `cutcard edge page` prints this "
        "page.",
        "",
        *_british(),
        *_every_wager(),
        *_players_tables(),
        *_prizes(),
    ]
    return "\n".join(lines) + "\n"


@cache
def _edges(rulebook: str, bet: str, decks: int) -> tuple[SideEdge, ...]:
    """Worked out once, however often the page speaks of it."""
    return tuple(side_edges(rulebook, bet, decks))


def rounded(value: Fraction, places: int) -> str:
    """A fraction to so many places, halves up as people round."""
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def percent(value: Fraction, places: int = 2) -> str:
    return rounded(value * 100, places)


def agrees(edge: SideEdge) -> bool:
    """Whether the rulebook's printed figure is the edge to as many places as it prints."""
    places = len(edge.printed.partition(".")[2]) if edge.printed else 0
    return edge.printed == percent(edge.edge, places)


def _british() -> Iterator[str]:
    yield "## The figures that the British rulebook prints for itself"
    yield ""
    yield "| wager | decks | printed | pay table gives | exactly | |"
    yield "|---|---|---|---|---|---|"
    for bet in contents("uk-blackjack").bets:
        for decks in DECKS:
            for edge in _edges("uk-blackjack", bet, decks):
                if edge.printed:
                    verdict = "agrees" if agrees(edge) else "**differs**"
                    yield (
                        f"| {bet} | {decks} | {edge.printed} % | {percent(edge.edge)} % "
                        f"| {edge.edge} | {verdict} |"
                    )
    yield ""
    yield (
        "- **21+3, six decks**: the edge is 3.2386 %, so 3.24 %. The printed 3.23 % was cut off "
        "instead of rounded."
    )
    yield (
        "- **Top 3**: the printed 9 % names no number of decks. It is right for eight decks only, "
        "which the same heading does not mention; with the four and six decks that it does mention "
        "the house keeps 15.04 % and 11.07 %."
    )
    yield "- **Perfect Pairs** and **21+3 with four decks** are as printed."
    yield ""


def _every_wager() -> Iterator[str]:
    yield "## Every wager that the first cards, or the dealer's hand, decide"
    yield ""
    yield (
        "A dash: the rulebook has no such pay table for that number of decks. Where a wager waits "
        "for a third card, the two lines are a player who always draws it and one who never does; "
        "where it is on the dealer's hand, soft 17 makes the difference. Wagers with a meter are "
        "shown without it, with the meter at which they would break even for a $1 wager."
    )
    for rulebook in RULEBOOKS:
        yield from ("", f"### {contents(rulebook).title}", "")
        yield "| wager | pays by | pack | " + " | ".join(f"{d} decks" for d in DECKS) + " | |"
        yield "|---|---|---|---|---|---|---|"
        for bet in (*contents(rulebook).bets, "insurance"):
            yield from _wager_lines(rulebook, bet)
        for bet, reason in NOT_ENUMERATED.items():
            if bet in contents(rulebook).bets:
                yield from ("", f"`{bet}` is not here: it {reason}.")
    yield ""


def _wager_lines(rulebook: str, bet: str) -> Iterator[str]:
    lines: dict[tuple[str, int, str], dict[int, SideEdge]] = {}
    for decks in DECKS:
        for edge in _edges(rulebook, bet, decks):
            lines.setdefault((edge.choice, edge.pack, remarks(edge)), {})[decks] = edge
    for (choice, pack, said), by_decks in lines.items():
        cells = [f"{percent(by_decks[d].edge)} %" if d in by_decks else "-" for d in DECKS]
        meters = [e.break_even for e in by_decks.values() if e.break_even is not None]
        if meters:
            said = f"breaks even with its meters at ${rounded(meters[0], 2)}"
        yield f"| {bet} | {choice} | {pack} | {' | '.join(cells)} | {said} |"


def remarks(edge: SideEdge) -> str:
    """What must be said beside a figure for it to be true."""
    if edge.soft_17:
        return f"dealer {'draws to' if edge.soft_17 == 'draw' else 'stands on'} soft 17"
    return edge.assuming


def _players_tables() -> Iterator[str]:
    yield "## Tables at which the player has the edge"
    yield ""
    yield (
        "The rulebooks do not say that these may not be offered, and cutcard accepts them; an "
        "operator should know. Most come from putting a pay table meant for 52 cards beside a "
        "Pontoon game, whose packs have no tens."
    )
    yield ""
    yield "| rulebook | wager | pays by | decks | pack | edge | |"
    yield "|---|---|---|---|---|---|---|"
    for rulebook in RULEBOOKS:
        for bet in contents(rulebook).bets:
            for decks in DECKS:
                for edge in _edges(rulebook, bet, decks):
                    if edge.edge < 0:
                        yield (
                            f"| {rulebook} | {bet} | {edge.choice} | {decks} | {edge.pack} "
                            f"| {percent(edge.edge)} % | {remarks(edge)} |"
                        )
    yield ""


def _prizes() -> Iterator[str]:
    yield "## Prizes drawn by button"
    yield ""
    yield (
        "For each $1 wagered, once the cards have won the press. The chance of a prize is its "
        "printed number over the total; no rulebook prints a total."
    )
    yield ""
    yield "| rulebook | wager | table | total | mean | variance | best prize |"
    yield "|---|---|---|---|---|---|---|"
    tables = list(_prize_tables())
    for rulebook, bet, choice, figures in tables:
        best, chance = max(figures.chances)
        yield (
            f"| {rulebook} | {bet} | {choice} | {figures.total:,} | ${rounded(figures.mean, 4)} "
            f"| {rounded(figures.variance, 2)} | ${best:,}: {chance} |"
        )
    yield from (
        "",
        "What does not fit:",
        "",
        "- Crown's tables 2 to 9 have means between $20.3895 and $20.3915, as if built for one "
        "return. Table 1 gives less ($20.3767) and table 10 more ($20.4000).",
        "- The totals of tables 1 to 8 are not round: 112,501, 51,566, 49,531, 37,501, 35,826, "
        "10,029, 20,437 and 37,633. Tables 1 and 4 look like 112,500 and 37,500 with the top prize "
        "added to a list that was complete without it; table 6 is 29 above 10,000. Tables 9 and 10 "
        "add up to 100, New Zealand's to 3,750.",
        "- A machine that fails pays $20 for each $1 at Crown (11.6.4(b)), a little under the mean "
        "of $20.39. In New Zealand it settles the wager with $25 (16.12), whatever was staked, "
        "where the mean for each $1 is $13.87.",
        "",
        "The chance of each prize:",
        "",
    )
    for rulebook, bet, choice, figures in tables:
        chances = ", ".join(f"${prize:,}: {chance}" for prize, chance in figures.chances)
        name = f"{rulebook}, {bet}" + (f", table {choice}" if choice else "")
        yield f"- {name}: {chances}"


def _prize_tables() -> Iterator[tuple[str, str, str, PrizeFigures]]:
    for rulebook in RULEBOOKS:
        for bet, wager in contents(rulebook).bets.items():
            for column in wager.columns:
                if column.prizes.chances:
                    yield rulebook, bet, column.choice, prize_figures(column.prizes)
