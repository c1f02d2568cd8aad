"""The mechanisms without a device: the bin of each draw, and the counted contents of a bin."""

import core.storage.state as st
from core.cards.batch import Shelves, Slots
from core.cards.carousel import Carousel


class Draws:
    """A random source with prepared numbers, which records the bound of each draw."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)
        self.asked = []

    def below(self, n):
        self.asked.append(n)
        return self.numbers.pop(0)


class Spec:
    def __init__(self, bins, capacity, ejection="group", rows=(0,), weights=b""):
        self.BINS = bins
        self.CAPACITY = capacity
        self.CHUTE_LOW = 2
        self.EJECTION = ejection
        self.ROWS = rows
        self.WEIGHTS = weights or b"\1" * 2 * capacity


class Kept:
    """The numbers of a state, without its files."""

    def __init__(self, bins):
        self.numbers = [0] * (st.BIN + bins)

    def get(self, place):
        return self.numbers[place]

    def set(self, place, value):
        self.numbers[place] = value

    def add(self, place, change):
        self.numbers[place] += change


class Machine:
    def __init__(self, bins, *numbers):
        self.source = Draws(*numbers)
        self.state = Kept(bins)


def carousel(holding, *numbers, capacity=3, **spec):
    machine = Machine(len(holding), *numbers)
    for place, cards in enumerate(holding):
        machine.state.numbers[st.BIN + place] = cards
    return machine, Carousel(machine, Spec(len(holding), capacity, **spec))


WEIGHED = {"rows": (52, 104), "weights": bytes((9, 9, 9, 9, 9, 9, 5, 3, 1, 7, 4, 2))}


def test_a_cards_bin_is_drawn_by_the_weights_of_the_loads():
    """Loads in their order, bins of one load in theirs: 5 of the empty one, 3 each of two."""
    expected = [4] * 5 + [0] * 3 + [5] * 3 + [2]
    for number, chosen in enumerate(expected):
        machine, bins = carousel([1, 3, 2, 3, 0, 1], number, **WEIGHED)
        machine.state.set(st.PACK, 104)
        assert bins.choose() == chosen
        assert machine.source.asked == [len(expected)]


def test_the_next_push_is_drawn_by_the_weights_of_the_loads():
    expected = [3] * 7 + [1] * 4 + [2] * 2
    for number, chosen in enumerate(expected):
        machine, bins = carousel([0, 2, 3, 1], number, ejection="single", **WEIGHED)
        machine.state.set(st.PACK, 104)
        assert bins.next_push() == (chosen, 1)
        assert machine.source.asked == [len(expected)]


def test_a_machine_with_weights_admits_the_packs_that_have_a_row():
    bins = carousel([0], **WEIGHED)[1]
    assert [cards for cards in (48, 52, 104, 156) if bins.admits(cards)] == [52, 104]
    assert carousel([0])[1].admits(48)


def test_a_pack_without_a_row_uses_the_nearest_row():
    for pack, total in ((48, 9), (70, 9), (90, 5), (156, 5)):
        machine, bins = carousel([0], 0, **WEIGHED)
        machine.state.set(st.PACK, pack)
        bins.choose()
        assert machine.source.asked == [total]


def test_a_card_enters_any_bin_with_room_and_full_bins_are_not_drawn():
    for number, expected in ((0, 0), (1, 4), (2, 2)):
        machine, bins = carousel([0, 3, 2, 3, 1], number)
        assert bins.choose() == expected
        assert machine.source.asked == [3]


def test_any_bin_with_cards_may_be_pushed_out():
    for number, expected in ((0, (2, 2)), (1, (1, 3))):
        machine, bins = carousel([0, 3, 2, 0], number)
        assert bins.next_push() == expected
        assert machine.source.asked == [2]


def test_a_chute_above_its_low_mark_is_not_filled():
    machine, bins = carousel([1, 1])
    machine.state.set(st.SUPPLY, 3)
    assert bins.next_push() is None
    assert machine.source.asked == []


def test_a_bin_with_an_unknown_count_is_not_drawn():
    machine, bins = carousel([1, 1, 1], 0, 0)
    bins.unsure(0)
    assert bins.choose() == 1
    assert bins.next_push()[0] == 1
    assert machine.source.asked == [2, 2]
    assert bins.unsure_bins() == [0]
    assert bins.count() == 3


def test_a_spilled_bin_may_have_its_cards_in_the_chute():
    machine, bins = carousel([0, 3])
    bins.spill(1)
    assert bins.count() == 0
    assert machine.state.get(st.SLACK) == 3
    assert bins.unsure_bins() == [1]


def test_slots_draw_the_whole_permutation_first():
    machine = Machine(0, 2, 0, 1, 0)
    slots = Slots(machine, Spec(6, 1))
    slots.begin(4)
    assert machine.source.asked == [4, 3, 2, 1]
    order = []
    for _ in range(4):
        chosen = slots.choose()
        slots.put(chosen)
        order.append(chosen)
    assert sorted(order) == [0, 1, 2, 3]
    assert slots.count() == 4
    assert list(slots.order) == [0, 0, 0, 0]  # used slots are erased


def test_cards_leave_in_the_order_of_their_slots():
    machine = Machine(0, 2, 0, 1, 0)
    slots = Slots(machine, Spec(6, 1))
    slots.begin(4)
    for _ in range(4):
        slots.put(slots.choose())
    for slot in range(4):
        assert slots.next_push() == (slot, 1)
        slots.emptied(slot)
    assert slots.next_push() is None


def test_a_shelf_gets_cards_on_top_and_underneath_until_it_is_full():
    machine = Machine(0, 0, 1, 1, 2)
    shelves = Shelves(machine, Spec(2, 2))
    shelves.begin(3)
    for _ in range(3):
        shelves.put(shelves.choose())
    assert machine.source.asked == [4, 4, 4, 4]  # one draw was discarded: that shelf was full
    assert list(shelves.held) == [1, 1, 1, 0]
    assert shelves.next_push() == (0, 2)


def test_cards_seen_at_the_exit_are_no_longer_in_the_shelf():
    machine = Machine(0, 0, 1)
    shelves = Shelves(machine, Spec(2, 2))
    shelves.begin(2)
    for _ in range(2):
        shelves.put(shelves.choose())
    for left in (1, 0, 0):
        shelves.moved_to_chute(0)
        assert shelves.count() == left
