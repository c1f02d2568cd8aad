"""Text of `docs/reference/rulebooks/side-bet-arithmetic.md`, with every figure computed here.

Only the sentences are written by hand; `cutcard edge page` prints it, a test compares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from statistics import median

from cutcard.edge.decimals import percent, rounded
from cutcard.edge.meter_prizes import MeterFigures, meter_figures
from cutcard.edge.prize_tables import PrizeFigures, prize_figures
from cutcard.edge.side_bets import NOT_ENUMERATED, SideEdge, side_edges
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.book import contents

DECKS = (4, 6, 8)
HALF_A_CENT = Fraction(1, 200)
ROUND = 50  # a total that is a multiple of this was meant to be one
_Drawn = tuple[str, str, str, PrizeFigures]  # rulebook, bet, table, figures


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
        *_meters(),
    ]
    return "\n".join(lines) + "\n"


@cache
def _edges(rulebook: str, bet: str, decks: int) -> tuple[SideEdge, ...]:
    """Worked out once, however often the page speaks of it."""
    return tuple(side_edges(rulebook, bet, decks))


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
    yield from ("", "What fits together, and what does not:", "", *_mismatches(tables))
    yield from ("", "The chance of each prize:", "")
    for rulebook, bet, choice, figures in tables:
        chances = ", ".join(f"${prize:,}: {chance}" for prize, chance in figures.chances)
        name = f"{rulebook}, {bet}" + (f", table {choice}" if choice else "")
        yield f"- {name}: {chances}"


def _mismatches(tables: Sequence[_Drawn]) -> Iterator[str]:
    """Yield the figures of choices for one wager that differ from the others."""
    for bet in dict.fromkeys((rulebook, bet) for rulebook, bet, _, _ in tables):
        of_bet = {choice: figures for *which, choice, figures in tables if tuple(which) == bet}
        if len(of_bet) > 1:
            yield _unlike_means(bet[1], of_bet)
        yield _odd_totals(bet[1], of_bet)
        yield _without_a_press(*bet, of_bet)


def _unlike_means(bet: str, tables: Mapping[str, PrizeFigures]) -> str:
    usual = median(figures.mean for figures in tables.values())
    alike = [c for c, figures in tables.items() if abs(figures.mean - usual) < HALF_A_CENT]
    means = [tables[choice].mean for choice in alike]
    others = ", ".join(
        f"table {choice} gives {'less' if figures.mean < usual else 'more'} "
        f"(${rounded(figures.mean, 4)})"
        for choice, figures in tables.items()
        if choice not in alike
    )
    return (
        f"- `{bet}`: tables {', '.join(alike)} have means between ${rounded(min(means), 4)} and "
        f"${rounded(max(means), 4)}, as if built for one return; {others}."
    )


def _odd_totals(bet: str, tables: Mapping[str, PrizeFigures]) -> str:
    odd = {choice: f.total for choice, f in tables.items() if f.total % ROUND}
    if not odd:
        (total,) = {figures.total for figures in tables.values()}
        return f"- `{bet}`: the prizes add up to a round number, {total:,}."
    listed = ", ".join(f"{total:,} (table {choice})" for choice, total in odd.items())
    one_more = [f"{c} ({total - 1:,})" for c, total in odd.items() if (total - 1) % ROUND == 0]
    even = [choice for choice in tables if choice not in odd]
    return (
        f"- `{bet}`: these totals are not round: {listed}. Tables {' and '.join(one_more)} look "
        "like lists that were complete before the top prize was added; tables "
        f"{' and '.join(even)} are round."
    )


def _without_a_press(rulebook: str, bet: str, tables: Mapping[str, PrizeFigures]) -> str:
    failure = contents(rulebook).bets[bet].failure
    rule = failure["rules"][0]
    means = sorted(figures.mean for figures in tables.values())
    mean = f"${rounded(means[0], 2)}" + (f" to ${rounded(means[-1], 2)}" if means[1:] else "")
    if "flat" in failure:
        paid = f"settles the wager with ${failure['flat']}, whatever was staked"
    else:
        paid = f"pays ${failure['for_each_dollar']} for each $1"
    return f"- `{bet}`: a machine that fails {paid} ({rule}); the mean for each $1 is {mean}."


def _meters() -> Iterator[str]:
    yield from ("", "## Prizes out of a meter", "")
    yield (
        "For a $1 wager, the meters in dollars, one winner, nothing rounded up; the variance is "
        "the mean square less the mean squared. Who is picked at random is in no figure: no rule "
        "says how often the jackpot system picks."
    )
    for rulebook in RULEBOOKS:
        for side in contents(rulebook).bets.values():
            if side.meter_share:
                for figures in meter_figures(rulebook, side):
                    yield from _metered(rulebook, figures)


def _metered(rulebook: str, figures: MeterFigures) -> Iterator[str]:
    yield from ("", f"{rulebook}, `{figures.side.bet}`, {figures.decks} decks:", "")
    yield from ("| hand | pays | chance | |", "|---|---|---|---|")
    for row in figures.rows:
        one_in = f"1 in {rounded(1 / row.chance, 1)}"
        yield f"| {row.hand} | {figures.prize(row)} | {row.chance} | {one_in} |"
    yield f"| nothing | | {figures.loses} | {percent(figures.loses)} % |"
    yield ""
    yield f"Mean prize {figures.formula(1)}. Mean square {figures.formula(2)}."


def _prize_tables() -> Iterator[_Drawn]:
    for rulebook in RULEBOOKS:
        for bet, wager in contents(rulebook).bets.items():
            for column in wager.columns:
                if column.prizes.chances:
                    yield rulebook, bet, column.choice, prize_figures(column.prizes)
