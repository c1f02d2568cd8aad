"""The twin's output in any amount, in pieces: the data of a campaign.

    source = start("table 3")
    for piece in draws(source, 38, total=10**9): ...
    for decks in shuffles(source, Mechanism.of(find("shelves-10")), 52, total=100_000): ...
    for steps in history(source, Mechanism.of(find("carousel-38")), 312, total=10**8): ...

A source has a name, and its noise is computed only from that name. The same name gives the same
output everywhere; sources with different names are independent. In every other way it is the
firmware's own source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from cutcard.machines import Machine, Row
from cutcard.machines.entropy import noise_settings
from cutcard_firmware.core.random.health import HealthTests
from cutcard_firmware.core.random.source import RESEED_INTERVAL
from rng_certification.base.compiled import Bytes, Decks, Draws
from rng_certification.continuous.steps import Steps
from rng_certification.twin.carousel import CarouselTwin
from rng_certification.twin.source import TwinSource

PIECE_BYTES = 1 << 20
CYCLE_EVERY = (
    64  # rounds: about once per hour at a table; more often is slower without other effects
)
_LOWEST = bytes(number & 1 for number in range(256))  # the lowest bit of a byte


class NamedNoise:
    """Noise bits from a name and a counter through SHA-256."""

    def __init__(self, name: str) -> None:
        self._name = name.encode()
        self._blocks = 0

    def fill(self, samples: bytearray) -> None:
        for first in range(0, len(samples), 32):
            block = sha256(self._name + self._blocks.to_bytes(8, "big")).digest()
            self._blocks += 1
            samples[first : first + 32] = block.translate(_LOWEST)[: len(samples) - first]


class CarriedSeed:
    """The seed that a device's flash would hold."""

    def __init__(self) -> None:
        self._seed: bytes | None = None

    def read(self) -> bytes | None:
        return self._seed

    def write(self, seed: bytes) -> None:
        self._seed = seed


def start(
    name: str,
    *,
    entropy: float = 0.5,
    reseed_interval: int = RESEED_INTERVAL,
    prediction_resistance: bool = False,
) -> TwinSource:
    """Return a started random source of this name.

    Its noise has one bit of entropy in each sample, so it claims more than a board. An entropy
    input of fewer samples is as good, and reseeds take less of the time.
    """
    settings = noise_settings(entropy)
    health = HealthTests(
        settings.repetition_cutoff, settings.proportion_cutoff, settings.lag_cutoff
    )
    source = TwinSource(
        NamedNoise(name),
        CarriedSeed(),
        health,
        name.encode(),
        settings.entropy_samples,
        reseed_interval,
        prediction_resistance,
    )
    source.restart()
    return source


@dataclass(frozen=True)
class Mechanism:
    """The path of the cards according to a machine file."""

    kind: str
    bins: int
    capacity: int
    chute_low: int = 0
    single: bool = False
    rows: Mapping[int, Row] = field(default_factory=dict)  # by the cards of a pack

    @staticmethod
    def of(machine: Machine) -> Mechanism:
        return Mechanism(
            machine.mechanism,
            machine.whole("bins.count"),
            machine.whole("bins.capacity"),
            machine.whole("chute.low"),
            machine.single,
            machine.rows,
        )

    def row(self, pack: int) -> Row | None:
        """Return the weights for a pack; None if all bins are equal."""
        if not self.rows:
            return None
        if pack not in self.rows:
            raise ValueError(f"there are no weights for {pack} cards")
        return self.rows[pack]


def raw_bytes(source: TwinSource, total: int, piece: int = PIECE_BYTES) -> Iterator[Bytes]:
    for number in _pieces(total, piece):
        yield source.bytes(number)


def draws(
    source: TwinSource, span: int, total: int, piece: int = PIECE_BYTES // 4
) -> Iterator[Draws]:
    for number in _pieces(total, piece):
        yield source.draws(span, number)


def shuffles(
    source: TwinSource, mechanism: Mechanism, cards: int, total: int, piece: int = 0
) -> Iterator[Decks]:
    """Yield the cards of each pack by their place in the tray, as they leave.

    A carousel is dealt to its last card, which does not shuffle well, because a bin keeps the order
    of its cards. Use `history` for carousels.
    """
    for number in _pieces(total, piece or max(1, PIECE_BYTES // (2 * cards))):
        if mechanism.kind == "slots":
            yield source.slot_shuffles(cards, number)
        elif mechanism.kind == "shelves":
            yield source.shelf_shuffles(mechanism.bins, mechanism.capacity, cards, number)
        elif mechanism.kind == "carousel":
            numbers = (mechanism.bins, mechanism.capacity, cards, number)
            yield source.carousel_shuffles(*numbers, mechanism.single, mechanism.row(cards))
        else:
            raise ValueError(f"a {mechanism.kind} does not shuffle complete packs")


def history(
    source: TwinSource,
    mechanism: Mechanism,
    pack: int,
    total: int,
    piece: int = PIECE_BYTES // 4,
    cycle_every: int = CYCLE_EVERY,
) -> Iterator[Steps]:
    """Yield a carousel's history at a table, as `continuous.steps`, until `total` deals."""
    carousel = carousel_at_a_table(source, mechanism, pack, cycle_every)
    for number in _pieces(total, piece):
        yield carousel.steps(number)


def carousel_at_a_table(
    source: TwinSource, mechanism: Mechanism, pack: int, cycle_every: int = CYCLE_EVERY
) -> CarouselTwin:
    """Return a carousel that deals cards (`deal`) without a complete history, which is faster."""
    if mechanism.kind != "carousel":
        raise ValueError(f"{mechanism.kind} do not take discards back during a round")
    numbers = (mechanism.bins, mechanism.capacity, mechanism.chute_low, pack, cycle_every)
    return CarouselTwin(source, *numbers, mechanism.single, mechanism.row(pack))


def _pieces(total: int, piece: int) -> Iterator[int]:
    for first in range(0, total, piece):
        yield min(piece, total - first)
