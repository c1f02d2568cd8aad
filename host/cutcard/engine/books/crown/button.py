"""Crown's button, Pontoon Pandemonium: one press per wager, and the entitled persons (11.5)."""

from __future__ import annotations

from cutcard.engine.button import ButtonRules, pay_prize, prize_rules, waiting
from cutcard.engine.choices import answer
from cutcard.engine.events import Press
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Round, Wager


def press(round: Round, pressed: Press) -> None:
    """Pay one won wager for a press, the caller's first (11.5.5), or void or refuse the press."""
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
    """Return the rule that entitles to the press: for the owner, staff, or a nominated person.

    A nominated person must not have another won wager to draw for.
    """
    if not wagers:
        return None
    if pressed.player is None or pressed.player in round.book.roles:
        return "11.5.5(c)"
    if any(wager.key.player == pressed.player for wager in wagers):
        return "11.5.5(a)"
    if pressed.player in round.boxes[pressed.box].originals:
        return None
    if any(wager.key.player == pressed.player for wager in waiting(round, pressed.bet)):
        raise RefusedError(
            f"{pressed.player} must first draw for another won wager", ("11.5.5(b)",)
        )
    return "11.5.5(b)"


def _press_in_vain(round: Round, pressed: Press) -> None:
    """Record a press for a Pontoon without the side wager as void (11.5.6); refuse any other."""
    box = round.boxes.get(pressed.box)
    pontoon = box is not None and bool(box.hands) and box.hands[0].is_blackjack
    on_box = box is not None and pressed.player in box.originals
    valid = any(w.key[:2] == (pressed.box, pressed.player) for w in round.wagers)
    if pontoon and on_box and not valid:
        answer(
            round,
            None,
            ("11.5.6",),
            f"{pressed.player} presses without a wager: the press is void.",
        )
        return
    raise RefusedError("no won wager waits for the button", ("11.6.2", "11.4.4", "11.5.6"))


def _staked(round: Round, wager: Wager) -> int:
    return wager.amount


BUTTON = ButtonRules(press, _staked, panel_prevails=True, not_offered=("11.6.4(c)",))
