"""Sources of data: the twin, a bench, or the device at a port.

Each yields chunks of complete records endlessly; the caller decides when to stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Protocol

import numpy as np

from cutcard.devices import Shuffler, provisioning
from cutcard.devices.controller import Controller
from cutcard.devices.device import Device
from cutcard.devices.errors import WrongDeviceError
from cutcard.devices.laboratory import Laboratory
from cutcard.devices.ports import is_simulated
from cutcard.machines import find
from rng_certification.collect import benches
from rng_certification.collect.collection_request import RESTARTS, CollectionRequest
from rng_certification.collect.restarts import restarting, rows
from rng_certification.continuous.steps import DEALT, STEP_SHIFT
from rng_certification.jackpot.press_columns import MOST_TABLES, PressColumns, press_places
from rng_certification.jackpot.prizes import Prizes, find_prizes
from rng_certification.twin import streams
from rng_certification.twin.source import TwinSource
from rng_certification.twin.streams import Mechanism

ENDLESS = 1 << 62
HISTORY_PIECE = 1 << 16  # cards in a chunk from the twin
SOME = 4096  # records in a chunk from a device


class CannotCollectError(Exception):
    """This source does not give this kind of data; the message names a source that does."""


class SampleSource(Protocol):
    name: str

    @property
    def simulated(self) -> bool:
        """Return whether the noise and the mechanics are models."""
        ...

    def chunks(self, what: CollectionRequest, stream: str) -> Iterator[bytes]: ...

    def about(self) -> dict[str, Any]:
        """Return the identity of the source after it was opened."""
        ...


def span_of(what: CollectionRequest) -> int:
    if what.kind == "prizes":
        return find_prizes(what.prizes or "").total
    return what.span or 0


def require_possible(what: CollectionRequest) -> None:
    """Check that a source gives this kind of data. Raises CannotCollectError or a lookup error."""
    machine = find(what.machine)
    if machine.kind == "controller" and what.kind in ("shuffles", "cards"):
        raise CannotCollectError(f"{machine.name} has no cards: collect its prizes, bits or draws")
    if what.kind in ("prizes", "presses"):
        find_prizes(what.prizes or "")
    if what.kind == "draws" and not 2 <= span_of(what) <= 1 << 32:
        raise CannotCollectError(f"a range of {what.span} is invalid: use 2 to 4294967296")
    if what.kind == "shuffles" and (machine.continuous or machine.mechanism == "stack"):
        raise CannotCollectError(
            f"{machine.name} is not a batch machine: use drum-60, or collect cards"
        )
    if what.kind == "cards" and not machine.continuous:
        raise CannotCollectError(f"{machine.name} does not take discards back: use carousel-60")
    cards = what.deck or 52 * (what.decks or 0)
    if what.kind in ("shuffles", "cards") and (cards % 52 or not 52 <= cards <= machine.most_cards):
        raise CannotCollectError(
            f"{machine.name} takes 1 to {machine.most_cards // 52} decks of 52, not {cards} cards"
        )


def counted(what: CollectionRequest, chunk: bytes) -> int:
    """Return the number of records in a chunk; for a history, the number of dealt cards."""
    if what.kind == "cards":
        return int(np.count_nonzero(np.frombuffer(chunk, dtype="<u4") >> STEP_SHIFT == DEALT))
    return len(chunk) // what.record


class TwinSampleSource:
    name = "twin"
    simulated = True

    def chunks(self, what: CollectionRequest, stream: str) -> Iterator[bytes]:
        source = streams.start(stream)
        if what.kind in ("noise", RESTARTS):
            raise CannotCollectError(
                "noise of the twin is computed from a name: collect noise from a device"
            )
        if what.kind == "bits":
            return (piece.tobytes() for piece in streams.raw_bytes(source, ENDLESS))
        if what.kind in ("draws", "prizes"):
            pieces = streams.draws(source, span_of(what), ENDLESS)
            return (piece.astype("<u4").tobytes() for piece in pieces)
        if what.kind == "presses":
            return _pressed(source, find_prizes(what.prizes or ""))
        mechanism = Mechanism.of(find(what.machine))
        if what.kind == "shuffles":
            decks = streams.shuffles(source, mechanism, what.deck or 0, ENDLESS)
            return (piece.astype("<u2").tobytes() for piece in decks)
        pack = 52 * (what.decks or 0)
        steps = streams.history(source, mechanism, pack, ENDLESS, HISTORY_PIECE)
        return (piece.astype("<u4").tobytes() for piece in steps)

    def about(self) -> dict[str, Any]:
        return {}


def _pressed(source: TwinSource, prizes: Prizes) -> Iterator[bytes]:
    """Yield presses at the tables of one controller; tables and times are not the source's."""
    for first in count(0, SOME):
        places = press_places(first, SOME, MOST_TABLES)
        yield PressColumns(*places, source.draws(prizes.total, SOME)).as_bytes()


class OnBench:
    name = "bench"
    simulated = True

    def __init__(self) -> None:
        self._about: dict[str, Any] = {}

    def chunks(self, what: CollectionRequest, stream: str) -> Iterator[bytes]:
        if what.kind == "presses":
            raise CannotCollectError(
                "only the twin gives presses with their times: collect prizes here"
            )
        if what.kind == RESTARTS:
            port = AtPort(f"bench:{what.machine}?seed={benches.seed_of(stream)}")
            for row in port.chunks(what, stream):
                self._about = port.about()
                yield row
        with benches.bench_of(what.machine, stream) as (bench, device):
            self._about = described(device)
            if what.kind == "shuffles" and isinstance(device, Shuffler):
                for pack in benches.packs(bench, device, what.deck or 0):
                    yield pack.astype("<u2").tobytes()
            elif what.kind == "cards" and isinstance(device, Shuffler):
                for steps in benches.history(bench, device, what.decks or 0):
                    yield steps.astype("<u4").tobytes()
            elif what.kind == "prizes" and isinstance(device, Controller):
                for prize in benches.presses(bench, device, find_prizes(what.prizes or "")):
                    yield prize.to_bytes(4, "little")
            else:
                with device.laboratory() as laboratory:
                    yield from from_laboratory(laboratory, what)

    def about(self) -> dict[str, Any]:
        return self._about


class AtPort:
    """A board, or a bench run by the user. A person moves its cards.

    `power` is a command that switches its power off and on, for restarts.
    """

    def __init__(self, port: str, power: str = "") -> None:
        self.simulated = is_simulated(port)
        self.name = "chip" if port.startswith("chip:") else "bench" if self.simulated else "board"
        self._port = port
        self._power = power
        self._about: dict[str, Any] = {}

    def chunks(self, what: CollectionRequest, stream: str) -> Iterator[bytes]:
        if what.kind in ("shuffles", "cards", "presses"):
            raise CannotCollectError(
                "a person must feed the machine for its outcomes: collect its noise, "
                "bits and draws here, and deal its cards at a table, where the journal "
                "records every card"
            )
        kind = provisioning.identify(self._port).kind
        if kind not in benches.DRIVERS:
            raise WrongDeviceError(
                f"{self._port}: the device kind {kind!r} is unknown.", "Use another port."
            )
        with benches.DRIVERS[kind].open(self._port) as device:
            self._about = described(device)
            if what.kind == RESTARTS:
                yield from rows(device, restarting(self._power))
            with device.laboratory() as laboratory:
                self._about["gaps"] = laboratory.gaps
                yield from from_laboratory(laboratory, what)

    def about(self) -> dict[str, Any]:
        return self._about


def source_of(text: str, power: str = "") -> SampleSource:
    if text == "twin":
        return TwinSampleSource()
    return OnBench() if text == "bench" else AtPort(text, power)


def described(device: Device) -> dict[str, Any]:
    return {"machine": device.machine, "serial": device.serial, "firmware": device.firmware}


def from_laboratory(laboratory: Laboratory, what: CollectionRequest) -> Iterator[bytes]:
    while True:
        if what.kind == "noise":
            pieces = laboratory.noise(SOME)
        elif what.kind == "bits":
            pieces = laboratory.output(SOME)
        else:
            drawn = laboratory.draws(span_of(what), SOME)
            pieces = (np.array(numbers, dtype="<u4").tobytes() for numbers in drawn)
        yield b"".join(pieces)
