"""The people around a table: they clear the machine, count cards, bring discards back, and rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from cutcard.bench.client import Bench
from cutcard.cards import Card
from cutcard.cases.codec import act_of, ruling_of, write_event
from cutcard.devices.hints import cards_in_words
from cutcard.engine.choice_owners import is_present
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.device_faults import ATTEMPTS, FACE_UP
from cutcard.engine.events import Act, Ruling
from cutcard.engine.state import DEALER, Box, Hand, Round
from cutcard.table.replay.replay_log import ReplayLog

T = TypeVar("T")
Decide = Callable[[Round, Box, Hand], Act]
Consider = Callable[[Round, Act], bool]  # whether a player takes an option outside the turns
Agree = Callable[[Round, Sequence[str], Act], str]  # the player among equal claims who takes it


class TakeOptions(Protocol):
    """The players' decisions outside their turns."""

    def consider(self, round: Round, act: Act) -> bool:
        """Return whether a player takes an option: insurance, surrender, and similar."""

    def agree(self, round: Round, players: Sequence[str], act: Act) -> str:
        """Return the player among equal claims who takes an option; "" if they do not agree."""


# The people's preferences if the rulebook leaves a choice: continue play, or, if the machine cannot
# be recovered, end the round.
PREFERRED = ("continue", "choose", "accept", "stay", "burn", "reconstruct", "void-hands")
OUT_OF_ORDER = ("void-round", "void-hands", "stay", "choose")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One of a person's counts after a fault, described for that person.

    `why` is the reason why the previous count failed. `expected` is the machine's own number. It is
    set on the last attempt only: until then the person must count independently of it.
    """

    number: int = 1
    why: str = ""
    expected: int | None = None

    @property
    def is_last(self) -> bool:
        return self.number == ATTEMPTS

    def __str__(self) -> str:
        said = " ".join(filter(None, (self.why, f"Attempt {self.number} of {ATTEMPTS}.")))
        if self.expected is None:
            return said
        return f"{said} The machine expects {cards_in_words(self.expected)} outside."


MISMATCH = "Count did not match."


class Floor(Protocol):
    """The people at the machine, and the people entitled to rule."""

    def clear(self, fault: str, attempt: Attempt) -> int:
        """Remove the cause of a fault; return the number of cards that are not in the machine."""

    def find_missing(self, attempt: Attempt) -> int:
        """Look for cards that a count missed; return the number that are not in the machine."""

    def lay_aside(self, cards: int) -> None:
        """Keep cards that a recovery ejected, to go back with the discards."""

    def read_card(self) -> Card | None:
        """Return the face of the last drawn card; None if it is not a card of this pack."""

    def read_face_up(self) -> Card:
        """Return the next card, which is face up in the machine; `clear` turns it over."""

    def disclosed(self, cards: Sequence[Card]) -> tuple[int, ...]:
        """Return the cards that were seen among those that left together; the first is 1."""

    def inspect(self, pack: int) -> str:
        """Count and inspect all cards; return "missing", "extra" or "foreign", or "" if they are
        right."""

    def renew(self, decks: int, pack: int) -> bool:
        """Replace all cards by new ones, ready to be loaded; return False without new cards."""

    def shuffle(self, decks: int, pack: int) -> bool:
        """Shuffle all cards, which are out, and put them into the shoe; return whether this was
        done."""

    def riffle(self, cards: int) -> bool:
        """Shuffle the discards, have them cut, and put them into the shoe; return whether this was
        done."""

    def bring_back(self) -> None:
        """Put the discards into the tray."""

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        """Ask the person entitled to rule. None means silence, if no choice is required."""


class RulingPreferences:
    """The people's preferences in rulings, the same at every table."""

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        """Return the first ruling of their preferences that the rulebook allows."""
        if not (choice.required or choice.holds):
            return None
        preferred = PREFERRED if machine_goes else OUT_OF_ORDER
        options = [option for option in choice.options if _fits(choice, option)]
        option = min(options or choice.options, key=lambda option: _rank(option, preferred))
        return ruling_for(round, choice, option)


class BenchFloor(RulingPreferences):
    """The people at a bench, through the person's port; they can see every card."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def clear(self, fault: str, attempt: Attempt) -> int:
        self.bench.do("clear")
        self.bench.do("door", how="close")
        self.bench.do("noise", how="good")
        if fault == FACE_UP and self._lies_face_up():
            self.bench.do("flip", where=self._next_to_come()[0])
        self.bench.settle()
        return self.outside()

    def find_missing(self, attempt: Attempt) -> int:
        """Put cards from a person's pocket on the table."""
        pocketed = len(self.bench.cards().get("pocket", ()))
        if pocketed:
            self.bench.do("take", where="pocket", count=pocketed, to="outside")
        return self.outside()

    def lay_aside(self, cards: int) -> None:
        """Do nothing: the cards are outside with all others, and go back with them."""

    def read_card(self) -> Card | None:
        try:
            return Card.parse(self.bench.cards()["outside"][-1]["card"])
        except ValueError:
            return None

    def read_face_up(self) -> Card:
        return Card.parse(self._next_to_come()[1])

    def disclosed(self, cards: Sequence[Card]) -> tuple[int, ...]:
        return ()

    def inspect(self, pack: int) -> str:
        if any(card in ("foreign", "unreadable") for card in self._lying()):
            return "foreign"
        there = self.outside()
        return "" if there == pack else "missing" if there < pack else "extra"

    def renew(self, decks: int, pack: int) -> bool:
        for place in ("outside", "tray", "stack"):
            cards = self.bench.cards().get(place, ())
            if cards:
                self.bench.do("take", where=place, count=len(cards), to="pocket")
        self.bench.put(decks, pack)
        self.bench.settle()
        return True

    def shuffle(self, decks: int, pack: int) -> bool:
        """Replace the ejected cards by decks shuffled in the meantime."""
        return self.renew(decks, pack)

    def riffle(self, cards: int) -> bool:
        self.bench.do("return", count=str(cards), shuffled=True)
        self.bench.settle()
        return True

    def bring_back(self) -> None:
        self.bench.return_cards()

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        """Rule when the machine is at rest, so that the same evening has the same rulings."""
        self.bench.settle()
        return super().rule(round, choice, machine_goes)

    def outside(self) -> int:
        return sum(card != "cutting" for card in self._lying())

    def _next_to_come(self) -> tuple[str, str]:
        """Return the place and the face of the next card."""
        places = self.bench.cards()
        where = "stack" if "stack" in places else "chute"
        return where, places[where][0]["card"]

    def _lies_face_up(self) -> bool:
        """Return whether the card is still face up: people who are asked again may have turned
        it."""
        places = self.bench.cards()
        row = places["stack" if "stack" in places else "chute"]
        return bool(row) and bool(row[0].get("face_up"))

    def _lying(self) -> list[str]:
        places = self.bench.cards()
        return [card["card"] for name in ("outside", "tray") for card in places.get(name, ())]


class RecordedFloor:
    """The people at a table: each answer is on the disk before it has any effect."""

    def __init__(self, people: Floor, memory: ReplayLog) -> None:
        self._people = people
        self._memory = memory

    def clear(self, fault: str, attempt: Attempt = Attempt()) -> int:  # noqa: B008 (it is frozen)
        return self._ask(f"clear {fault}", lambda: self._people.clear(fault, attempt))

    def find_missing(self, attempt: Attempt) -> int:
        return self._ask("find missing", lambda: self._people.find_missing(attempt))

    def lay_aside(self, cards: int) -> None:
        self._ask(f"lay {cards} aside", lambda: self._people.lay_aside(cards))

    def read_card(self) -> Card | None:
        def read(text: str | None) -> Card | None:
            return None if text is None else Card.parse(text)

        def write(card: Card | None) -> str | None:
            return None if card is None else str(card)

        return self._ask("read card", self._people.read_card, write, read)

    def read_face_up(self) -> Card:
        return self._ask("read face-up card", self._people.read_face_up, str, Card.parse)

    def disclosed(self, cards: Sequence[Card]) -> tuple[int, ...]:
        which = " ".join(map(str, cards))
        return self._ask(f"disclosed {which}", lambda: self._people.disclosed(cards), list, tuple)

    def inspect(self, pack: int) -> str:
        return self._ask("inspect", lambda: self._people.inspect(pack))

    def renew(self, decks: int, pack: int) -> bool:
        return self._ask("renew", lambda: self._people.renew(decks, pack))

    def shuffle(self, decks: int, pack: int) -> bool:
        return self._ask("shuffle", lambda: self._people.shuffle(decks, pack))

    def riffle(self, cards: int) -> bool:
        return self._ask(f"riffle {cards}", lambda: self._people.riffle(cards))

    def bring_back(self) -> None:
        self._ask("bring back", self._people.bring_back)

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        return self._ask(
            f"rule on {choice.irregularity.kind}",
            lambda: self._people.rule(round, choice, machine_goes),
            lambda ruling: None if ruling is None else write_event(ruling),
            lambda said: None if said is None else ruling_of(said),
        )

    def decide(self, decide: Decide, round: Round, box: Box, hand: Hand) -> Act:
        """Return the decision of a player."""
        return self._ask(
            f"decide {box.place_of(hand)}", lambda: decide(round, box, hand), write_event, act_of
        )

    def consider(self, consider: Consider, round: Round, act: Act) -> bool:
        """Return whether a player takes an option, such as insurance."""
        whose = f"for {act.for_player}" if act.for_player else None
        by = f"on box {act.box} by {act.player}"
        asked = " ".join(filter(None, (act.kind, act.bet, by, whose)))
        return self._ask(asked, lambda: consider(round, act))

    def agree(self, agree: Agree, round: Round, players: Sequence[str], act: Act) -> str:
        """Return the player among equal claims who insures for another; "" without an agreement."""
        asked = f"agree on box {act.box} for {act.for_player}: {', '.join(players)}"
        return self._ask(asked, lambda: agree(round, players, act))

    def _ask(
        self,
        asked: str,
        ask: Callable[[], T],
        write: Callable[[T], Any] = lambda said: said,
        read: Callable[[Any], T] = lambda said: said,
    ) -> T:
        return self._memory.ask("answer", asked, ask, write, read)


def ruling_for(round: Round, choice: Choice, option: Option) -> Ruling:
    """Return the ruling that takes an option, by the lowest entitled role."""
    by_player = option.by == PLAYER
    return Ruling(
        option.ruling,
        by=None if by_player else option.by or round.book.roles[-1],
        hands=choice.irregularity.hands if option.ruling == "void-hands" else (),
        chosen=(1,) if option.ruling == "choose" else (),
        player=choosing_player(round, option) if by_player else None,
    )


def _fits(choice: Choice, option: Option) -> bool:
    """Return whether the option can be taken: hands can be voided only if the affected player hands
    are known."""
    hands = choice.irregularity.hands
    return option.ruling != "void-hands" or (bool(hands) and DEALER not in hands)


def _rank(option: Option, preferred: tuple[str, ...]) -> int:
    known = option.ruling in preferred
    return preferred.index(option.ruling) if known else len(preferred)


def choosing_player(round: Round, option: Option) -> str | None:
    """Return the player who chooses: the first present one to whom the option is offered."""
    offered = option.players or tuple(placed.player for placed in round.placed)
    return next((player for player in offered if is_present(round, player)), None)
