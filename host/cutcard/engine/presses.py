"""The jackpot button: who may press it, and what the press pays."""

from __future__ import annotations

from fractions import Fraction

from cutcard.engine.choices import answer
from cutcard.engine.events import Press
from cutcard.engine.ledger import dollars
from cutcard.engine.payments import hand_back, pay
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round, Wager
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.readings import reading


def press(round: Round, pressed: Press) -> None:
    """One press at Crown pays one wager; in New Zealand it pays every one on the box."""
    if pressed.bet in round.out_of_order:
        raise RefusedError("the button is out of order", round.out_of_order[pressed.bet])
    if round.book.name == "crown-melbourne-26":
        _press_at_crown(round, pressed)
    else:
        _press_for_box(round, pressed)


def waiting(round: Round, bet: str, box: int | None = None) -> list[Wager]:
    """Won wagers whose prize has yet to be drawn, in the order they lie."""
    return [
        wager
        for wager in round.wagers
        if wager.open
        and wager.waits_for_press
        and wager.key.bet == bet
        and box in (None, wager.key.box)
    ]


def pay_prize(round: Round, wager: Wager, prize: int, rules: Rules) -> None:
    """A prize for each $1 wagered; the stake stays with its owner."""
    wager.open = wager.waits_for_press = False
    pay(round, wager.key, Fraction(prize * wager.amount), rules)
    hand_back(round, wager.key, "win", rules, money=wager.amount)
    total = dollars(prize * wager.amount)
    round.note(f"The button gives {wager.key.player} ${prize} for each $1: {total}.", rules)


def pay_without_press(round: Round, bet: str) -> None:
    """Won wagers whose prize cannot be drawn get the fixed payment (16.12; Crown 11.6.4(b))."""
    failure = round.book.side_wagers[bet].failure
    rules = tuple(failure["rules"])
    rules += (reading(failure["reading"]),) if "reading" in failure else ()
    for wager in waiting(round, bet):
        wager.open = wager.waits_for_press = False
        each = failure.get("for_each_dollar")
        prize = each * wager.amount if each is not None else failure["flat"] * 100
        pay(round, wager.key, Fraction(prize), rules)
        hand_back(round, wager.key, "win", rules, money=wager.amount)
        round.note(f"{wager.key.player} is paid {dollars(prize)} without a press.", rules)


def prize_rules(round: Round, bet: str, prize: int) -> Rules:
    """The rules of a prize of the table in use. Raises RefusedError where it has no such prize."""
    side = round.book.side_wagers[bet]
    column = side.column(round.table.offers[bet], round.table.decks, round.table.pack)
    if not column.prizes.has(prize):
        raise RefusedError(f"${prize} is not a prize of this table", (column.prizes.rule,))
    return column.prizes.won(prize, next(iter(side.wins.values()))).rules


def _press_for_box(round: Round, pressed: Press) -> None:
    """New Zealand: the caller presses, or another of the box whom he nominates (15A.9)."""
    wagers = waiting(round, pressed.bet, pressed.box)
    if not wagers:
        raise RefusedError("no won wager on this box waits for the button", ("15A.4", "15A.6"))
    box = round.boxes[pressed.box]
    entitled = {box.mains[0].player, *(wager.key.player for wager in wagers)}
    if pressed.player is not None and pressed.player not in entitled | set(round.book.roles):
        raise RefusedError(f"{pressed.player} may not press for box {pressed.box}", ("15A.9",))
    rules = prize_rules(round, pressed.bet, pressed.prize)
    for wager in wagers:
        pay_prize(round, wager, pressed.prize, (*rules, "15A.9"))


def _press_at_crown(round: Round, pressed: Press) -> None:
    """Crown: each player with a valid wager, the caller first (11.5.5); others press in vain."""
    wagers = waiting(round, pressed.bet, pressed.box)
    why = _why_he_presses(round, pressed, wagers)
    if why is None:
        _press_in_vain(round, pressed)
        return
    order = [main.player for main in round.boxes[pressed.box].mains]
    first = min(wagers, key=lambda wager: order.index(wager.key.player))
    if why == "11.5.5(a)" and first.key.player != pressed.player:
        raise RefusedError(f"{first.key.player} presses first", (why,))
    rules = prize_rules(round, pressed.bet, pressed.prize)
    pay_prize(round, first, pressed.prize, (*rules, why))


def _why_he_presses(round: Round, pressed: Press, wagers: list[Wager]) -> str | None:
    """Owner, staff, or somebody nominated who has no wager of his own that has won."""
    if not wagers:
        return None
    if pressed.player is None or pressed.player in round.book.roles:
        return "11.5.5(c)"
    if any(wager.key.player == pressed.player for wager in wagers):
        return "11.5.5(a)"
    if pressed.player in round.boxes[pressed.box].originals:
        return None
    if any(wager.key.player == pressed.player for wager in waiting(round, pressed.bet)):
        raise RefusedError(f"{pressed.player} has a prize of his own to draw", ("11.5.5(b)",))
    return "11.5.5(b)"


def _press_in_vain(round: Round, pressed: Press) -> None:
    """A Pontoon without the side wager may have the button, and the result is void (11.5.6)."""
    box = round.boxes.get(pressed.box)
    pontoon = box is not None and bool(box.hands) and box.hands[0].is_blackjack
    on_box = box is not None and pressed.player in box.originals
    valid = any(w.key[:2] == (pressed.box, pressed.player) for w in round.wagers)
    if pontoon and on_box and not valid:
        answer(round, None, ("11.5.6",), f"{pressed.player} presses without a wager: void.")
        return
    raise RefusedError("no won wager waits for the button", ("11.6.2", "11.4.4", "11.5.6"))
