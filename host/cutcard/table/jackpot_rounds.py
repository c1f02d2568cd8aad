"""Rounds at a table with a jackpot button: a shuffler, a controller, and a check of its draws.

New Zealand blackjack with Madness 21 (15A). Everybody wagers on it, and whoever has a Blackjack
presses. The power of the controller fails once, between the record of a prize and its display.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from cutcard.bench.client import Bench
from cutcard.devices.controller import Controller
from cutcard.devices.shuffler import Shuffler
from cutcard.engine.state import Table
from cutcard.journal import read
from cutcard.prizes.draw import Draw
from cutcard.prizes.tables import rulebook_tables
from cutcard.prizes.verify import Findings, verify
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.button import BenchButton, JackpotButton, Pressed
from cutcard.table.device import TableDevice
from cutcard.table.evening import Balance, Tell, play_rounds, remembered
from cutcard.table.floor import BenchFloor
from cutcard.table.live import LiveTable
from cutcard.table.players import Player
from cutcard.table.titles import words

BET = "madness-21"
STAKE = 500  # in cents, as the sign at the table says (15A.3)
PLACE = 1  # of the four tables that the controller serves
PLAYERS = tuple(
    Player(name, box, 1000, ((BET, STAKE),)) for box, name in enumerate(("Ana", "Ben", "Cleo"), 1)
)


class PowerFailsOnce(BenchButton):
    """A person at the button whose power fails once, after the draw and before it is shown."""

    def __init__(self, bench: Bench, tell: Tell) -> None:
        super().__init__(bench)
        self.tell = tell
        self.failed = False

    def press(self, place: int, player: str) -> Pressed:
        if self.failed:
            return super().press(place, player)
        self.failed = True
        self.tell("[yellow]-- the controller's power will fail before the prize is shown[/]")
        self.bench.do("power", how="cycle", after=1, step="show")
        pressed = super().press(place, player)
        self.tell(f"   the controller has started {self.bench.status()['starts']} times")
        return pressed


@dataclass(frozen=True, slots=True)
class Drawn:
    """The draws of a journal, and whether they can be verified."""

    draws: tuple[Draw, ...]
    public_key: bytes
    found: Findings

    @property
    def ok(self) -> bool:
        """Whether every draw is signed, in the chain, and worth what its table says."""
        return not self.draws or (self.found.ok and self.found.priced == len(self.draws))


def jackpot_table(rounds: int, seed: int, journal: Path, tell: Tell) -> Balance:
    """A table with cards from one bench, prizes from another, and one journal."""
    book = open_rulebook("nz-division-2", ("blackjack",))
    table = Table(book, 6, "continuous", minimum=1000, maximum=100_000, offers={BET: ""})
    tell(f"[bold]{book.title}[/]\n   blackjack with {words(BET)}, carousel-38 and controller-4")
    chance, luck = Random(seed), Random(seed + 1)  # the host's shares, for the same rounds again
    with (
        Bench.start("carousel-38", seed=seed, decks=6) as cards,
        Bench.start("controller-4", seed=seed) as buttons,
        remembered(journal, table) as memory,
        Shuffler.open(
            cards.port, key=cards.key, randomness=chance.randbytes, log=memory.log("cards")
        ) as shuffler,
        Controller.open(
            buttons.port, key=buttons.key, randomness=luck.randbytes, log=memory.log("controller")
        ) as controller,
    ):
        tell(f"   {TableDevice(shuffler, memory).fill(6, 52).cards} cards counted in")
        button = JackpotButton(controller, PLACE, BET, PowerFailsOnce(buttons, tell))
        floor = BenchFloor(cards)
        live = LiveTable(table, shuffler, memory, floor, tell, jackpots=[button])
        balance = play_rounds(live, cards, rounds, tell, players=PLAYERS)
        balance.faults += buttons.status()["starts"] - 1
        return balance


def check_draws(journal: Path) -> Drawn:
    """Check draws from the journal alone, as a third party would."""
    records = list(read(journal))
    public = next(bytes.fromhex(r.data["public"]) for r in records if r.kind == "key")
    draws = tuple(Draw.from_json(record.data) for record in records if record.kind == "draw")
    text = rulebook_tables()[BET][0].encode()
    found = verify(draws, public, {sha256(text).digest(): text}) if draws else Findings()
    return Drawn(draws, public, found)
