"""The money rules of a game in words, for the tables and pages that apply to them only."""

from __future__ import annotations

from fractions import Fraction

from cutcard.edge.money_rules import ANY_NUMBER, MoneyRules

_DOUBLE_CARDS = {2: "two cards", 3: "two or three cards", ANY_NUMBER: "any number of cards"}
_TOTALS = {
    "any": "any total",
    "no-aces": "hands without an ace",
    "hard-9-10-11": "hard 9, 10 and 11 only",
    "hard-10-11": "hard 10 and 11 only",
}
_SURRENDER = {
    "in-turn": "in turn; a dealer's Blackjack takes the whole wager",
    "before-turns": "before the turns; a dealer's Blackjack takes the whole wager",
    "final": "before the turns; half is lost, also against a Blackjack",
}
_TAKES = {
    "whole": "the whole wager of the box",
    "original": "the original wager only",
    "busted-plus-one": "one original wager in addition to busted wagers",
}


def rule_lines(rules: MoneyRules) -> list[str]:
    """Return the rules of a game, each as one line for a reader of a strategy table."""
    soft = "draws" if rules.dealer_draws_soft_17 else "stands"
    lines = [
        f"{rules.decks} {'deck' if rules.decks == 1 else 'decks'} of {rules.pack} cards; "
        f"the dealer {soft} on soft 17; a Blackjack pays {_odds(rules.blackjack_odds)}",
        "The dealer checks an ace or a ten for a Blackjack before the turns"
        if rules.dealer_peeks
        else f"The dealer has one card; a Blackjack takes {_TAKES[rules.dealers_blackjack_takes]}",
        f"Double: {_doubles(rules)}",
        f"Split: {_splits(rules)}",
        f"Surrender: {_surrender(rules)}",
        "Insurance pays "
        f"{_odds(rules.insurance_odds)} for at most {_odds(rules.insurance_most)} of the wager"
        + ("; even money is offered" if rules.even_money else ""),
    ]
    return lines + _special(rules)


def _doubles(rules: MoneyRules) -> str:
    if not rules.double_cards:
        return "not offered"
    after = "also" if rules.double_after_split else "not"
    words = [_DOUBLE_CARDS[rules.double_cards], _TOTALS[rules.double_totals]]
    words += [f"{after} after a split"] if rules.split_allowed else []
    words += ["hard 9, 10 and 11 of two cards are free"] if rules.double_free else []
    words += ["aces then count one"] if rules.hard_aces else []
    words += ["the doubled part may be taken back"] if rules.rescue else []
    return ", ".join(words)


def _splits(rules: MoneyRules) -> str:
    if not rules.split_allowed:
        return "not offered"
    most = f"to {rules.split_hands} hands" if rules.split_hands else "without a limit"
    words = [most, "aces again" if rules.aces_resplit else "aces once, one card each"]
    words += ["free but for tens"] if rules.split_free else []
    return ", ".join(words)


def _surrender(rules: MoneyRules) -> str:
    if rules.surrender == "none":
        return "not offered"
    ranks = rules.surrender_against
    against = "any card" if len(ranks) == 13 else " ".join(ranks)
    return f"against {against}, {_SURRENDER[rules.surrender]}"


def _special(rules: MoneyRules) -> list[str]:
    lines = []
    if rules.twenty_one_at_once:
        lines.append("21 wins before the dealer draws")
    if rules.five_and_under:
        lines.append("Five cards under 21 win before the dealer draws")
    if rules.dealer_22_stands_off:
        lines.append("A dealer's 22 stands off")
    if rules.must_draw_hard:
        lines.append(
            f"A hand must draw below hard {rules.must_draw_hard}"
            + (f" and soft {rules.must_draw_soft}" if rules.must_draw_soft else "")
        )
    if rules.ante:
        lines.append(f"An ante of {rules.ante} of the wager is lost")
    return lines


def _odds(odds: Fraction) -> str:
    return f"{odds.numerator}:{odds.denominator}"
