"""The firmware's own source and mechanisms, in the interpreter that runs this.

Prints the results that the twin must repeat: draws, packs through each mechanism, and the cards of
a carousel with their bins. It imports only the firmware's core, so that MicroPython runs it
unchanged.
"""

from array import array
from hashlib import sha256

from core.cards.shuffler import mechanism_of
from core.random.health import HealthTests
from core.random.source import RandomSource
from core.storage import state as st


class Noise:
    """Bits from a counter through SHA-256, identical to the twin's."""

    def __init__(self, name):
        self.name = name.encode()
        self.blocks = 0

    def fill(self, samples):
        for start in range(0, len(samples), 32):
            block = sha256(self.name + self.blocks.to_bytes(4, "big")).digest()
            self.blocks += 1
            for i in range(min(32, len(samples) - start)):
                samples[start + i] = block[i] & 1


class Seed:
    stored = None

    def read(self):
        return self.stored

    def write(self, seed):
        self.stored = seed


def start(make, name, interval, resists=False):
    """Return a source of the given class, ready to draw; `resists` is prediction resistance."""
    health = HealthTests(61, 810, 819)
    source = make(Noise(name), Seed(), health, name.encode(), 640, interval, resists)
    source.restart()
    return source


class Numbers:
    """The part of a device's state that a mechanism uses."""

    def __init__(self, bins):
        self.numbers = array("I", bytes(4 * (st.BIN + bins)))

    def get(self, place):
        return self.numbers[place]

    def set(self, place, value):
        self.numbers[place] = value

    def add(self, place, more):
        self.numbers[place] += more


class Record:
    """A digest of numbers below 65536, and their count: a board's heap cannot store them all."""

    def __init__(self):
        self.hash = sha256()
        self.some = array("H")
        self.number = 0

    def append(self, value):
        self.some.append(value)
        self.number += 1
        if len(self.some) == 256:
            self.hash.update(self.some)
            self.some = array("H")

    def digest(self):
        self.hash.update(self.some)
        return "".join("%02x" % byte for byte in self.hash.digest())  # noqa: UP031


class HistoryDevice:
    """A device that runs jobs immediately, with visible card faces."""

    def __init__(self, source, spec):
        self.source = source
        self.state = Numbers(spec.BINS)
        self.mechanism = mechanism_of(spec.MECHANISM)(self, spec)
        self.shelves = spec.MECHANISM == "shelves"
        self.cells = [[] for _ in range(spec.BINS)]
        self.chute = []
        self.bins = Record()

    def _push_out(self, chosen, cards):
        cell = self._cell(chosen)
        for _ in range(cards):
            self.chute.append(cell.pop(0))
            self.mechanism.moved_to_chute(chosen)
            self.state.add(st.SUPPLY, 1)
        if not cell:
            self.mechanism.emptied(chosen)

    def feed(self, card):
        chosen = self.mechanism.choose()
        self.mechanism.put(chosen)
        cell = self._cell(chosen)
        if self.shelves and not chosen & 1:
            cell.insert(0, card)
        else:
            cell.append(card)
        self.bins.append(chosen)

    def _cell(self, chosen):
        """Two positions are the top and the underside of one shelf."""
        return self.cells[chosen // 2 if self.shelves else chosen]

    def fill(self):
        push = self.mechanism.next_push()
        while push is not None:
            self._push_out(*push)
            push = self.mechanism.next_push()

    def leave(self):
        self.fill()
        self.state.add(st.SUPPLY, -1)
        return self.chute.pop(0)


def history(source, spec, pack, cards, cycle_every=0):
    """Return records of the first cards that leave, and of the bins of all cards fed until then."""
    device = HistoryDevice(source, spec)
    device.state.set(st.PACK, pack)
    for card in range(pack):
        device.feed(card)
    left = Record()
    number = 0
    while True:
        dealt = []
        for _ in range(4 + (number * 2654435761 >> 7) % 20):
            if left.number == cards:
                return left, device.bins
            dealt.append(device.leave())
            left.append(dealt[-1])
        for card in dealt:
            device.fill()
            if left.number == cards:
                return left, device.bins
            device.feed(card)
        device.fill()  # as in the firmware's `_serve`; the source cycles at rest
        number += 1
        if cycle_every and number % cycle_every == 0:
            source.cycle()


def packs(source, spec, cards, number):
    """Return a record of the cards of `number` packs, each dealt to its last card."""
    left = Record()
    device = HistoryDevice(source, spec)
    device.state.set(st.PACK, cards)
    for _ in range(number):
        device.mechanism.begin(cards)
        for card in range(cards):
            device.feed(card)
        device.fill()
        while device.chute:
            left.append(device.leave())
    return left


def digest(numbers):
    record = Record()
    for number in numbers:
        record.append(number)
    return record.digest()


class Spec:
    """A machine's description; `rows` are weights by pack, for cards and for pushes."""

    def __init__(self, mechanism, bins, capacity, low=0, single=False, rows=None):
        self.MECHANISM = mechanism
        self.BINS, self.CAPACITY, self.CHUTE_LOW = bins, capacity, low
        self.EJECTION = "single" if single else "group"
        rows = rows or {0: (b"\1" * capacity, b"\1" * capacity)}
        self.ROWS = tuple(sorted(rows))
        self.WEIGHTS = b"".join([bytes(rows[pack][0]) + bytes(rows[pack][1]) for pack in self.ROWS])


def show_history(
    name, interval, machine, pack, cards, cycle_every=0, resists=False, single=False, rows=None
):
    source = start(RandomSource, name, interval, resists)
    spec = Spec("carousel", *machine, single, rows)
    left, fed = history(source, spec, pack, cards, cycle_every)
    print(left.digest(), fed.digest(), fed.number)


def show_packs(name, interval, machines, cards, number):
    for mechanism, bins, capacity in machines:
        source = start(RandomSource, name, interval)
        print(packs(source, Spec(mechanism, bins, capacity, 8), cards, number).digest())


def show_draws(name, interval, spans, each, resists=False):
    source = start(RandomSource, name, interval, resists)
    for span in spans:
        record, total = (
            Record(),
            0,
        )  # not stored in a list: the firmware leaves little of a board's heap
        for _ in range(each):
            number = source.below(span)
            record.append(number & 0xFFFF)
            total += number
        source.cycle()
        print(record.digest(), total)
