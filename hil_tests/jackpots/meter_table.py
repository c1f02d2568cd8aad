"""A live table that plays for prize meters, with a real controller that picks, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from cutcard.bench.client import Bench
from cutcard.devices.controller import Controller
from cutcard.engine.state import Placed
from cutcard.meters import Meters, MeterTerms, SystemTerms
from cutcard.meters.groups import NOTICE, SignChange
from cutcard.meters.ledger import balance, manager_account
from cutcard.table.jackpot.metered import JackpotMeter, WagerPicker
from cutcard.table.replay.replay_log import ReplayLog
from hil_tests.jackpots.jackpot_table import opened_controller
from hil_tests.live_rounds.live_table import Evening, Filled

PLACE = 3
RATE = Fraction(15, 1000)
SEEDS = {
    "blackjack-jackpots": {"blackjack-jackpots": 1_000_000},
    "supernova": {
        "supernova-major": 2_000_000,
        "supernova-minor": 50_000,
        "supernova-mystery": 100_000,
    },
}
MANAGERS = {"Ana": "pbm-1", "Ben": "pbm-2"}


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, 20, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass
class MeterTable:
    evening: Evening
    meters: Meters
    controller: Controller
    bench: Bench
    bet: str
    jackpot: JackpotMeter
    stopped: bool = False  # in a round that was not settled

    def bets(self, **boxes: int) -> list[Placed]:
        return [Placed(box, player, self.bet, 500) for player, box in boxes.items()]

    def won(self, player: str) -> int:
        return sum(
            line.net
            for line in self.evening.outcome
            if (line.key.player, line.key.bet) == (player, self.bet)
        )

    def held(self, player: str) -> int:
        """Return the balance of the player's Personal Bet Manager, in cents."""
        return int(balance(self.meters.database, manager_account(MANAGERS[player])))

    def value(self, meter: str) -> Fraction:
        return self.meters.system_of("T3")[1][meter].value

    def end(self) -> None:
        try:
            if not self.stopped:
                self.evening.check()
            assert not self.meters.check().problems
        finally:
            self.evening.close()
            self.controller.close()
            self.meters.close()
            assert self.bench.status()["crashes"] == 0


def opened_meters(bet: str, folder: Path) -> tuple[Meters, dict[str, str], int | None]:
    """Return new meters for table T3, the managers of its players, and its smallest chip."""
    clock = Clock()
    meters = Meters.open(str(folder / "meters.sqlite"), clock, create=True)
    terms = {name: MeterTerms(seed, RATE) for name, seed in SEEDS[bet].items()}
    payable = 100 if bet == "blackjack-jackpots" else 500
    meters.create("city", SystemTerms(bet, 500, terms, payable))
    meters.notice(SignChange("join", "city", "T3"), "sign")
    clock.now += NOTICE
    meters.carry_out("sign")
    managers = MANAGERS if bet == "blackjack-jackpots" else {}
    for manager in managers.values():
        meters.deposit(manager, 10_000, manager)
    return meters, managers, payable if bet == "supernova" else None


def meter_table(
    bench: Bench, cards: Bench, bet: str, one_in: int, folder: Path, filled: Filled | None
) -> MeterTable:
    """Open table T3 of the system `city`.

    Each wager is picked with a chance of 1 in `one_in`; with `one_in` 0 it is never picked.
    """
    meters, managers, chip = opened_meters(bet, folder)
    jackpot = JackpotMeter(meters, "T3", bet, managers)
    controllers: list[Controller] = []

    def equip(memory: ReplayLog) -> list[JackpotMeter]:
        controllers.append(opened_controller(bench, memory))
        jackpot.picks = WagerPicker(controllers[0], PLACE, one_in) if one_in else None
        return [jackpot]

    sign: dict[str, Any] = {"offers": {bet: ""}, "seeds": jackpot.seeds(), "chip": chip}
    evening = Evening(cards, "crown-melbourne-26", folder, 6, equip=equip, filled=filled, **sign)
    return MeterTable(evening, meters, controllers[0], bench, bet, jackpot)
