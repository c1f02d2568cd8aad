"""The text of the page `docs/reference/edges.md`, with all figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutcard.edge.game.needless_cards import READING, both_ways
from cutcard.edge.game.other_readings import UNSWITCHED
from cutcard.edge.game.published import published, stored_beside
from cutcard.edge.game.stored_sides import cited, hangs_on_play, stored_sides
from cutcard.edge.game.sweep import Configuration, configuration_of, stored
from cutcard.edge.side_readings import side_readings
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import contents, layer_of
from cutcard.rulebooks.readings import readings

Rows = tuple[dict[str, Any], ...]
MUCH = 0.001  # a reading that moves a tenth of a per cent


def edges_page() -> str:
    lines = [
        "# House edges",
        "",
        "With this page you can look up the house edge of every game and side wager in the "
        "built-in rulebooks: the share of the initial wager that the house keeps under the best "
        "play. Compute one, with its strategy, or print all:",
        "",
        "```sh",
        "cutcard edge game uk-blackjack --decks 6",
        "cutcard edge sweep",
        "```",
        "",
        "[What a game costs, in plain words](game-costs.md) explains the figures. "
        "`cutcard edge figures` prints this page.",
        "",
        "A continuous shuffler deals every round from the full pack, so the figures are exact for "
        "it, and not an approximation: every hand is played by its exact cards, with every visible "
        "card removed from the pack. Assumptions: one box, no other visible cards, payments "
        "without rounding, and an ante that is always lost.",
        "",
        "![The best play of Vegas Blackjack with four decks](../pictures/strategy-vegas.svg)",
        "",
        *_for_the_player(),
        *_beside_others(),
        *_by_rulebook(),
        *_readings(),
        *_side_wagers(),
        *_how(),
    ]
    return "\n".join(lines) + "\n"


def _percent(share: float, places: int = 4) -> str:
    return f"{100 * share:.{places}f} %"


def _game(configuration: Configuration) -> str:
    titles = (_title(configuration.rulebook, variant) for variant in configuration.variants)
    return " with ".join(titles)


def _for_the_player() -> Iterator[str]:
    yield from ("## Games that favour the player", "")
    yield (
        "The rulebooks allow these tables: the cited rules permit them, and no rule forbids them."
    )
    yield from (
        "",
        "| rulebook | game | decks | | edge | allowed by |",
        "|---|---|---|---|---|---|",
    )
    for row in sorted((row for row in stored() if row["edge"] < 0), key=_edge):
        each = configuration_of(row)
        yield (
            f"| {each.rulebook} | {_game(each)} | {each.decks} | {_beside(each)} "
            f"| {_percent(row['edge'])} | {', '.join(each.cited)} |"
        )
    yield from (
        "",
        "Side wagers that favour the player, as a share of every dollar staked on them:",
        "",
    )
    yield "| rulebook | side wager | at | decks | assuming | edge | allowed by |"
    yield "|---|---|---|---|---|---|---|"
    for row in sorted((row for row in stored_sides() if row["edge"] < 0), key=_edge):
        games = ", ".join(_title(row["rulebook"], game) for game in row["games"])
        yield (
            f"| {row['rulebook']} | {_wager(row)} | {games} | {row['decks']} | {row['assuming']} "
            f"| {_percent(row['edge'])} | {', '.join(cited(row))} |"
        )
    yield ""


def _edge(row: dict[str, Any]) -> float:
    return float(row["edge"])


def _title(rulebook: str, variant: str) -> str:
    return layer_of(rulebook, f"variant-{variant}").title


def _wager(row: dict[str, Any]) -> str:
    return str(row["side"]) + (f", pays by {row['choice']}" if row["choice"] else "")


def _beside(each: Configuration) -> str:
    """Return the differences of this game from its rulebook."""
    said = [f"a Blackjack pays {each.blackjack}"] if each.blackjack else []
    said += [f"a wager of ${each.wager}"] if each.wager != 10 else []
    switch = each.switch
    said += [f"other reading: {switch.otherwise}"] if switch is not None else []
    return "; ".join(said)


def _beside_others() -> Iterator[str]:
    yield from ("## Comparison with published figures", "")
    yield (
        "Published figures are mostly for play by total, and often from simulation: they should "
        "equal our figure by total, within their last place. The difference is to the nearer of "
        "our two figures; a published figure between them counts as agreeing. Some rules were "
        "tried because a first comparison differed (aces split again, the dealer takes all without "
        "surrender). If the changed game agrees, that is a possible explanation of the figure, and "
        "not proof of the meaning of its source."
    )
    yield ""
    yield "| game | decks | printed | source | ours, by cards | ours, by total | difference | |"
    yield "|---|---|---|---|---|---|---|---|"
    for entry, found in zip(published(), stored_beside(), strict=True):
        away = distance(entry.figure, found)
        verdict = "agrees" if abs(away) <= entry.slack else "**differs**"
        yield (
            f"| {entry.what} | {entry.game[2]} | {' to '.join(entry.figure)} % | {entry.source} "
            f"| {_percent(found['edge'])} | {_percent(found['by_total'])} "
            f"| {away:+.3f} | {verdict}{'. ' + entry.why if entry.why else ''} |"
        )
    yield ""


def distance(figure: tuple[str, ...], found: dict[str, float]) -> float:
    """Return per cent from the published figures to ours; 0 if the ranges overlap."""
    low, high = float(figure[0]), float(figure[-1])
    best, worst = 100 * found["edge"], 100 * found["by_total"]
    if best > high:
        return best - high
    return worst - low if worst < low else 0.0


def _by_rulebook() -> Iterator[str]:
    yield from ("## Every game, by number of decks", "")
    yield (
        "The edge under the best play by a hand's exact cards, and in brackets the additional cost "
        "of play by total. The last columns are for the largest number of decks: the share of all "
        "money wagered that the house keeps, and the variance of a round."
    )
    for rulebook in RULEBOOKS:
        plain = [row for row in stored() if row["rulebook"] == rulebook and "by_total" in row]
        decks = sorted({row["decks"] for row in plain})
        yield from ("", f"### {contents(rulebook).title}", "")
        yield "| game | " + " | ".join(f"{d} decks" for d in decks) + " | of action | variance |"
        yield "|---" * (len(decks) + 3) + "|"
        for variants in dict.fromkeys(tuple(row["variants"]) for row in plain):
            rows = {row["decks"]: row for row in plain if tuple(row["variants"]) == variants}
            cells = [_cell(rows[d]) if d in rows else "-" for d in decks]
            last = rows[max(rows)]
            yield (
                f"| {_game(configuration_of(last))} | {' | '.join(cells)} "
                f"| {_percent(last['edge'] / last['action'])} | {last['variance']:.3f} |"
            )
    yield from ("", *_options(stored()))


def _cell(row: dict[str, Any]) -> str:
    return f"{_percent(row['edge'])} ({_percent(row['by_total'] - row['edge'])})"


def _options(rows: Rows) -> Iterator[str]:
    yield from ("### Layouts and wagers that change the edge", "")
    yield from ("With the largest number of decks; `cutcard edge sweep` has every number.", "")
    yield from ("| rulebook | game | decks | | edge |", "|---|---|---|---|---|")
    for row in rows:
        each = configuration_of(row)
        option = each.blackjack or each.wager != 10
        if option and not each.reading and each.decks == _most(each):
            yield (
                f"| {each.rulebook} | {_game(each)} | {each.decks} | {_beside(each)} "
                f"| {_percent(row['edge'])} |"
            )
    yield ""


def _most(each: Configuration) -> int:
    return int(max(open_rulebook(each.rulebook, each.variants)["cards.decks"].value))


def _readings() -> Iterator[str]:
    yield from ("## Doubtful rules, both ways", "")
    yield (
        "If a rule can be read in two ways, cutcard uses one reading "
        "([readings.md](rulebooks/readings.md)). The table has the effect of each reading, with "
        "the largest number of decks. Bold: a tenth of a per cent or more, which management and "
        "regulator should settle explicitly. cutcard changes no reading by itself."
    )
    yield ""
    yield "| reading | game | decks | as read | the other way | | difference |"
    yield "|---|---|---|---|---|---|---|"
    plain = {
        (row["rulebook"], *row["variants"], row["decks"]): row
        for row in stored()
        if "by_total" in row
    }
    for row in stored():
        key = (row["rulebook"], *row["variants"], row["decks"])
        each = configuration_of(row)
        as_printed = not each.blackjack and each.wager == 10 and each.decks == _most(each)
        if not each.reading or not as_printed:
            continue
        moved = row["edge"] - plain[key]["edge"]
        number = readings()[row["reading"].partition("/")[0]].number
        difference = f"{100 * moved:+.4f} %"
        switch = each.switch
        yield (
            f"| {number} | {each.rulebook}, {_game(each)} | {each.decks} "
            f"| {_percent(plain[key]['edge'])} | {_percent(row['edge'])} "
            f"| {switch.otherwise if switch else ''} "
            f"| {f'**{difference}**' if abs(moved) >= MUCH else difference} |"
        )
    yield ""
    yield (
        "Three readings decide whether a published figure agrees. "
        f"Reading {readings()['british-splits'].number} (split aces in Britain): "
        "the rulebook's 0.40 and 0.45 require aces that are split again. "
        f"Reading {readings()['crown-21-against-blackjack'].number} (21 against a "
        "dealer's Blackjack at Crown): with the stand-off of 5.6.4, Crown's games cost a "
        "third of a per cent less than the published figures, and some favour the player; if "
        "a Blackjack beats 21 they are in the published range. "
        f"Reading {readings()['plus-wins-at-once'].number} (Blackjack Plus): "
        "the figure of Victoria's regulator agrees with ours, and is far from the other reading. "
        "We propose that Crown states in 5.6.6 the result of a Blackjack against 21, and that the "
        "British rulebook states whether aces are split only once. For the other readings we know "
        "of no published figure that would distinguish the two."
    )
    yield from ("", *_side_readings(), *_needless_cards(), "The other readings:", "")
    for why, names in UNSWITCHED.items():
        numbers = ", ".join(str(readings()[name].number) for name in names)
        yield f"- {numbers}: {why}"
    yield ""


def _side_readings() -> Iterator[str]:
    yield from ("Side wagers, with six decks; a third card is drawn and Blackpot carried:", "")
    yield "| reading | wager | as read | the other way | | difference |"
    yield "|---|---|---|---|---|---|"
    for each in side_readings():
        scale = f", pays by {each.choice}" if each.choice else ""
        yield (
            f"| {readings()[each.reading].number} | {each.rulebook}, {each.bet}{scale} "
            f"| {_percent(float(each.as_read))} | {_percent(float(each.other))} "
            f"| {each.otherwise} | {100 * float(each.other - each.as_read):+.4f} % |"
        )
    yield ""
    yield (
        f"Reading {readings()['magnificent-two-sevens'].number} decides whether a wager favours "
        "the player: Magnificent Sevens by pay scale 2 at the games with 48 cards costs the house "
        "a tenth of every dollar under our reading of 13.7.1, and no money if two suited sevens "
        "need a third card of their suit. We propose that the rule states the requirement. Reading "
        f"{readings()['same-value'].number} is settled by the British rulebook's figure for "
        "Perfect Pairs, 1.93 % with six decks: if all tens were pairs the wager would pay back "
        "nearly twice its stake."
    )
    yield ""


def _needless_cards() -> Iterator[str]:
    yield (
        f"Reading {readings()[READING].number}, with six decks next to one box of plain Blackjack "
        "under the best play: does the dealer draw if only a wager on the dealer's hand is left? "
        "Under the other reading this wager is lost if the box has busted, or was paid "
        "immediately, before the dealer drew. Split boxes with only busted hands are between the "
        "two figures."
    )
    yield from ("", "| wager | as read | the other way, at least | at most |", "|---|---|---|---|")
    for rulebook, each in both_ways():
        yield (
            f"| {rulebook}, {each.bet}, pays by {each.choice} | {_percent(each.as_read)} "
            f"| {_percent(each.least)} | {_percent(each.most)} |"
        )
    yield ""
    yield (
        "The figure for Singapore's table, with surrendered hands and free bets, is not computed. "
        "About fifteen cents of every dollar depend on this reading, so we propose that each "
        "rulebook states it explicitly."
    )
    yield ""


def _side_wagers() -> Iterator[str]:
    yield from ("## Side wagers that depend on the play of the box", "")
    yield (
        "The edge under the best play of the main game; a wager that may be left riding rides if "
        "that gains. Other rows have the best play of both wagers together, with a side wager as "
        "large as the main wager and a fifth of it: their edge includes the cost to the main "
        "wager. For Pot of Gold that is a bound, because only the play of the first two cards "
        "changes. Riding wagers at Free Bet Blackjack are not computed: a free bet is only as "
        "large as the wager. "
        "`cutcard edge beside RULEBOOK VARIANT --decks N` has the other numbers of decks."
    )
    yield ""
    yield "| game | decks | wager | assuming | edge |"
    yield "|---|---|---|---|---|"
    for row in stored_sides():
        if hangs_on_play(row):
            game = f"{row['rulebook']}, {_title(row['rulebook'], row['games'][0])}"
            yield (
                f"| {game} | {row['decks']} | {_wager(row)} | {row['assuming']} "
                f"| {_percent(row['edge'])} |"
            )
    yield ""
    yield (
        "For House Money with six decks and the best decision to leave it riding, "
        "discountgambling.net prints 2.6 %; we do not know its pay scale and rules, so the table "
        "above does not compare the two."
    )
    yield ""


def _how() -> Iterator[str]:
    yield from ("## Method", "")
    yield (
        "- The dealer's hand: every set of cards that it may end with, in every order, from the "
        "pack without the player's hand and the dealer's first card."
    )
    yield (
        "- Hands: from the highest total down, the best of standing, drawing and doubling; for two "
        "cards also splitting and surrendering. At Pontoon 6-7, 6-8, 7-8 and 7-7 by suit, with the "
        "suit of the dealer's card taken out."
    )
    yield (
        "- Splits: each hand plays as it would unsplit, with the same stake (money or a free bet). "
        "Then the means of the hands add up, except for the part that a dealer's Blackjack takes: "
        "that part is enumerated over all hands of the split together, up to four. Britain's "
        "splits without limit are cut off at 18 hands; `cutcard edge game` prints the bound."
    )
    yield (
        "- By total: each cell is the best action on average over its hands, by their frequency."
    )
    yield (
        "- A table or strategy file does not distinguish the suit of the dealer's card, or an ace "
        "of the first two cards from a later ace. At Pontoon both matter for doubling, so a "
        "file plays slightly below the best there, and with less variance."
    )
    yield (
        "- The variance assumes that split hands are correlated only through the dealer's total; "
        "it is accurate to about three places."
    )
    yield (
        "- Tests enumerate splits of small packs card by card, and get the same "
        "figures to twelve places. The simulator, which plays as the engine does, follows the "
        "strategies for twenty million rounds each. A sample of this page is computed again."
    )
