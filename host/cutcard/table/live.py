"""A live table: what the device tells goes to the engine, what the engine wants goes to the
device, and everything goes into the journal first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutcard.cases.writing import result_of, step_of, table_of, wager_of
from cutcard.devices.device import Device
from cutcard.devices.errors import InFault
from cutcard.devices.events import FaultRaised, Returned
from cutcard.engine.device_faults import irregularity, stage_of
from cutcard.engine.events import Deal, Event, Settled
from cutcard.engine.results import WagerResult, results
from cutcard.engine.round import finish, owed, start, step
from cutcard.engine.state import Phase, Placed, Table
from cutcard.engine.turn import hand_in_turn, next_card_goes_to
from cutcard.journal import Journal
from cutcard.table import floor as people
from cutcard.table.floor import Floor
from cutcard.table.players import decide

Tell = Callable[[str], None]


class LiveTable:
    """One table with its device. `tell` gets a line for whatever a bystander would see."""

    def __init__(
        self, table: Table, device: Device, journal: Journal, floor: Floor, tell: Tell
    ) -> None:
        self.table = table
        self.device = device
        self.journal = journal
        self.floor = floor
        self.tell = tell
        self.faults = 0
        journal.append("table", table_of(table))

    def play(self, placed: Sequence[Placed]) -> list[WagerResult]:
        """One round from the wagers to the settlement, whatever the machine does meanwhile."""
        self.journal.append("round", {"wagers": [wager_of(wager) for wager in placed]})
        self.round = start(self.table, placed)
        self.device.begin_round()
        while not self.round.over:
            if self.round.phase is Phase.BEFORE_INTERIM:
                self._take(Settled("interim"))
            elif owed(self.round) is None:
                break
            else:
                self._one_more()
        self.round = finish(self.round)
        outcome = results(self.round)
        self.journal.append(
            "settled",
            {
                "round": "void" if self.round.phase is Phase.VOID else "complete",
                "results": [result_of(line) for line in outcome],
            },
        )
        return outcome

    def bring_back_discards(self) -> None:
        """Between rounds (a continuous shuffler also takes them during one)."""
        self.floor.bring_back()
        while True:
            try:
                self.device.wait_for(Returned, deadline=60)
                break
            except InFault as stopped:
                self._stopped(stopped)

    def _one_more(self) -> None:
        required = [choice for choice in self.round.choices if choice.required]
        if required:
            ruling = people.rule(self.round, required[-1])
            self.tell(f"   ruling: {ruling.kind} by {ruling.by or ruling.player}")
            self._take(ruling)
        elif next_card_goes_to(self.round) is not None:
            self._deal()
        else:
            turn = hand_in_turn(self.round)
            assert turn is not None, owed(self.round)
            self._take(decide(self.round, turn.box, turn.hand))

    def _deal(self) -> None:
        try:
            dealt = self.device.deal()
        except InFault as stopped:
            self._stopped(stopped)
            return
        assert dealt.card is not None  # what cannot be read is a fault
        self._take(Deal(dealt.card))

    def _take(self, event: Event) -> None:
        self.journal.append("event", step_of(event))
        rulings = len(self.round.rulings)
        self.round = step(self.round, event)
        for ruled in self.round.rulings[rulings:]:
            self.tell(f"   {ruled.fault}: {ruled.ruling or 'by rule'} [{', '.join(ruled.rules)}]")

    def _stopped(self, stopped: InFault) -> None:
        """The machine stands still: put it to the rules, then get it going again."""
        raised = stopped.event
        assert raised is not None
        self.faults += 1
        cards = [card for card in raised.cards if card is not None]
        stage = stage_of(self.round)
        self.journal.append(
            "device",
            {
                "fault": raised.fault,
                "detail": raised.detail,
                "cards": [str(card) for card in cards],
                "stage": stage.value,
            },
        )
        self.tell(f"   machine: {raised.fault} {' '.join(map(str, cards))}({stage.value})")
        if not self.round.over:
            self._take(irregularity(raised.fault, self.round, self.device.KIND, cards))
            while not self.round.over and any(choice.required for choice in self.round.choices):
                self._one_more()
        self._recover(raised)

    def _recover(self, raised: FaultRaised) -> None:
        """Clear, count, verify. A count that does not come out is looked into once."""
        try:
            recovered = self.device.recover(self.floor.clear(raised.fault))
        except InFault as again:
            self.tell(f"   machine: {again.fault}; counting again")
            recovered = self.device.recover(self.floor.find_missing())
        self.journal.append("recovered", {"inside": recovered.inside, "outside": recovered.outside})
        self.tell(f"   verified: {recovered.inside} inside, {recovered.outside} outside")
