"""Edges from interrupts and their debouncing, also across the clock's wrap."""

from core.devices.sensors import DOOR, ENTRY, LEVELS, MOUTH, WRAP, Debounce, Edges, later, since

HOLD = 15


def lock_heap():
    """Lock the heap in MicroPython: allocating raises until the returned unlock is called."""
    try:
        import micropython
    except ImportError:
        return lambda: None
    micropython.heap_lock()
    return micropython.heap_unlock


def test_the_clock_wraps():
    assert later(WRAP - 5, 10) == 5
    assert since(5, WRAP - 5) == 10
    assert since(WRAP - 5, 5) == -10


def test_edges_are_returned_in_order():
    edges = Edges(8)
    for time in range(5):
        edges.push(time, ENTRY, time & 1)
    assert [edges.pop() for _ in range(6)] == [(t, ENTRY, t & 1) for t in range(5)] + [None]


def test_a_full_ring_keeps_the_oldest_and_counts_the_lost():
    edges = Edges(4)
    for time in range(10):
        edges.push(time, ENTRY, 1)
    assert [edges.pop()[0] for _ in range(3)] == [0, 1, 2]
    assert edges.lost == 7
    assert edges.pop() is None


def test_the_ring_wraps():
    edges = Edges(4)
    for time in range(100):
        edges.push(time, MOUTH, 0)
        assert edges.pop() == (time, MOUTH, 0)
    assert edges.lost == 0


def test_pushing_an_edge_does_not_allocate():
    edges = Edges(64)
    times = [WRAP - 1, WRAP - 2, 0, 5]
    unlock = lock_heap()
    try:
        for time in times:
            edges.push(time, ENTRY, 1)
    finally:
        unlock()
    assert edges.pop() == (WRAP - 1, ENTRY, 1)


def settled(debounce, now):
    found = []
    while True:
        change = debounce.settle(now)
        if change is None:
            return found
        found.append(change)


def test_a_stable_level_has_the_time_of_its_first_edge():
    debounce = Debounce(HOLD, bytes(LEVELS))
    debounce.edge(100, ENTRY, 1)
    assert settled(debounce, 114) == []
    assert debounce.due(110) == 5
    assert settled(debounce, 115) == [(100, ENTRY, 1)]
    assert debounce.due(115) is None


def test_a_bounce_restarts_the_debounce_time():
    debounce = Debounce(HOLD, bytes(LEVELS))
    for time, level in ((100, 1), (101, 0), (103, 1)):
        debounce.edge(time, ENTRY, level)
    assert settled(debounce, 117) == []
    assert settled(debounce, 118) == [(103, ENTRY, 1)]


def test_a_short_spike_is_ignored():
    debounce = Debounce(HOLD, bytes(LEVELS))
    debounce.edge(100, DOOR, 1)
    debounce.edge(110, DOOR, 0)
    assert settled(debounce, 1000) == []
    assert debounce.stable[DOOR] == 0


def test_it_debounces_across_the_wrap():
    for start in (WRAP - HOLD - 1, WRAP - HOLD, WRAP - 1, 0):
        debounce = Debounce(HOLD, bytes(LEVELS))
        debounce.edge(start, MOUTH, 1)
        assert settled(debounce, later(start, HOLD - 1)) == []
        assert settled(debounce, later(start, HOLD)) == [(start, MOUTH, 1)]


def test_levels_at_the_start_are_no_changes():
    debounce = Debounce(HOLD, bytes([1] * LEVELS))
    assert settled(debounce, 1000) == []
    debounce.edge(1000, DOOR, 0)
    assert settled(debounce, 1015) == [(1000, DOOR, 0)]
