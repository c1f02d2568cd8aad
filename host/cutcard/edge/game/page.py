"""Text of the page `docs/reference/edges.md`, with every figure computed here."""

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
        "# What the games cost",
        "",
        "What the house keeps of each dollar of the initial wager, under the best play. A "
        "continuous shuffler deals every round from the full pack, so the figures are exact for "
        "it, and not an approximation: every hand is played by its exact cards, with every card "
        "that is seen taken out. One box, no other cards seen, stakes that are paid without "
        "rounding; an ante is lost. `cutcard edge game RULEBOOK VARIANT --decks N` works one out "
        "and prints its strategy; `cutcard edge sweep` lists all of them; `cutcard edge figures` "
        "prints this page. What the figures mean is told [in plain words](game-costs.md).",
        "",
        "![How Vegas Blackjack is best played with four decks](../pictures/strategy-vegas.svg)",
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
        "The rulebooks allow these tables: the rules that are cited let them be offered, and none "
        "forbids them."
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
    yield from ("", "Side wagers that do, of every dollar staked on them:", "")
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
    """What is not as the rulebook has it in the first place."""
    said = [f"a Blackjack pays {each.blackjack}"] if each.blackjack else []
    said += [f"a wager of ${each.wager}"] if each.wager != 10 else []
    switch = each.switch
    said += [f"read otherwise: {switch.otherwise}"] if switch is not None else []
    return "; ".join(said)


def _beside_others() -> Iterator[str]:
    yield from ("## Beside what others printed", "")
    yield (
        "Printed figures are mostly for play by total, and often from simulation: they should lie "
        "at ours by total, within their last place. A difference is to the nearer of our two "
        "figures; a printed figure that lies between them counts as agreeing. Some rules were "
        "tried because a first comparison differed (aces split again, the dealer takes all without "
        "surrender): that such a game agrees shows what would explain the figure, not what its "
        "source meant."
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
    """In per cent: from the printed figures to ours, 0 where the ranges meet."""
    low, high = float(figure[0]), float(figure[-1])
    best, worst = 100 * found["edge"], 100 * found["by_total"]
    if best > high:
        return best - high
    return worst - low if worst < low else 0.0


def _by_rulebook() -> Iterator[str]:
    yield from ("## Every game, by number of decks", "")
    yield (
        "The edge by a hand's exact cards; in brackets what playing by total costs more. The last "
        "columns are for the most decks: what the house keeps of all money wagered, and the "
        "variance of a round."
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
    yield from ("### Layouts and wagers that move money", "")
    yield from ("With the most decks; `cutcard edge sweep` has them for all.", "")
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
        "Where a rule can be read in two ways, cutcard takes one reading "
        "([readings.md](rulebooks/readings.md)). This is what each of them is worth, with the most "
        "decks. Bold: a tenth of a per cent and more, which management and regulator should settle "
        "in so many words; cutcard changes no reading on its own."
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
        said = f"{100 * moved:+.4f} %"
        switch = each.switch
        yield (
            f"| {number} | {each.rulebook}, {_game(each)} | {each.decks} "
            f"| {_percent(plain[key]['edge'])} | {_percent(row['edge'])} "
            f"| {switch.otherwise if switch else ''} "
            f"| {f'**{said}**' if abs(moved) >= MUCH else said} |"
        )
    yield ""
    yield (
        "Three of them decide whether a printed figure is met. "
        f"Reading {readings()['british-splits'].number} (split aces in Britain): "
        "the rulebook's own 0.40 and 0.45 need aces that are split again. "
        f"Reading {readings()['crown-21-against-blackjack'].number} (21 against a "
        "dealer's Blackjack at Crown): with the stand-off that 5.6.4 gives, Crown's games cost a "
        "third of a per cent less than what was printed of them, and some favour the player; with "
        "a Blackjack that beats 21 they come to the printed range. "
        f"Reading {readings()['plus-wins-at-once'].number} (Blackjack Plus): "
        "what Victoria's regulator printed agrees with ours, and is far from the other way. We "
        "propose that Crown says in 5.6.6 what a Blackjack does to 21, and that the British "
        "rulebook says whether aces are split once. For the others nothing printed is known to us "
        "that would tell the two ways apart."
    )
    yield from ("", *_side_readings(), *_needless_cards(), "The other readings:", "")
    for why, names in UNSWITCHED.items():
        numbers = ", ".join(str(readings()[name].number) for name in names)
        yield f"- {numbers}: {why}"
    yield ""


def _side_readings() -> Iterator[str]:
    yield from ("Of side wagers, with six decks; a third card is drawn and Blackpot carried:", "")
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
        "a tenth of every dollar as we read 13.7.1, and nothing if two suited sevens need a third "
        "card of their suit. We propose that the rule says which. Reading "
        f"{readings()['same-value'].number} is settled by what the British rulebook prints for "
        "Perfect Pairs, 1.93 % with six decks: if all tens were pairs the wager would pay back "
        "nearly twice what is staked."
    )
    yield ""


def _needless_cards() -> Iterator[str]:
    yield (
        f"Reading {readings()[READING].number}, with six decks beside one box of plain Blackjack "
        "under the best play: whether the dealer draws for a wager on his hand alone. The other "
        "way it is lost where the box has busted, or was paid at once, before he drew. Split boxes "
        "of which every hand busts are between the two figures."
    )
    yield from ("", "| wager | as read | the other way, at least | at most |", "|---|---|---|---|")
    for rulebook, each in both_ways():
        yield (
            f"| {rulebook}, {each.bet}, pays by {each.choice} | {_percent(each.as_read)} "
            f"| {_percent(each.least)} | {_percent(each.most)} |"
        )
    yield ""
    yield (
        "At Singapore's table, where hands are given up and played with free bets, it is not "
        "worked out. About fifteen cents of every dollar hang on it, so we propose that each book "
        "says it in so many words."
    )
    yield ""


def _side_wagers() -> Iterator[str]:
    yield from ("## Side wagers that hang on how the box is played", "")
    yield (
        "Under the best play of the main game; what may be left riding rides where that gains. "
        "Beside it stands the best play of both together, with a side wager as large as the main "
        "one and a fifth of it: what it costs the main wager is counted in. For Pot of Gold that "
        "is a bound, for only the first two cards are then played otherwise. What rides at Free "
        "Bet Blackjack is not worked out: a free bet is as large as the wager alone. "
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
        "discountgambling.net prints 2.6 %; we do not know its pay scale and rules, so the two are "
        "not held against each other."
    )
    yield ""


def _how() -> Iterator[str]:
    yield from ("## How it is worked out", "")
    yield (
        "- The dealer's hand: every set of cards that it may end with, in every order, from what "
        "is left when the hand and his first card are gone."
    )
    yield (
        "- Hands: from the highest total down, the best of standing, drawing and doubling; for two "
        "cards also splitting and surrendering. At Pontoon 6-7, 6-8, 7-8 and 7-7 by suit, with the "
        "suit of the dealer's card taken out."
    )
    yield (
        "- Splits: each hand plays as it would unsplit, with the same stake (money or a free bet). "
        "Then the means of the hands add up, and only what a dealer's Blackjack takes does not: "
        "that part is enumerated over all hands of the split together, up to four. Britain's "
        "splits without limit are cut off at 18 hands; `cutcard edge game` prints the bound."
    )
    yield (
        "- By total: each cell is what is best for its hands on average, as often as they come up."
    )
    yield (
        "- A table or strategy file tells neither the suit of the dealer's card nor an ace of the "
        "first two cards from one that came later. At Pontoon both matter to who doubles, so a "
        "file plays a little short of the best there, and with less variance."
    )
    yield (
        "- The variance takes split hands to hang together through the dealer's total alone; it is "
        "good to about three places."
    )
    yield (
        "- Tests deal splits of small packs out to the end, card by card, and come to the same "
        "figures to twelve places; the simulator, which plays as the engine does, follows the "
        "strategies for twenty million rounds each; and a sample of this page is worked out again."
    )
