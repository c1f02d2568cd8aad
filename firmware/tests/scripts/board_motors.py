"""Actuators move pins and generators; an active guard stops all motors and prevents each start."""

import steps
from board_doubles import (
    Clock,
    Generator,
    Interrupt,
    Pin,
    Spec,
    pending,
    under_locked_heap,
    watched,
)
from core.devices.sensors import (
    DOOR,
    EJECT,
    FEED,
    GATE,
    GUARDED,
    HALF,
    HOMING,
    LIGHT,
    POINT_CUT,
    POINT_PLACE,
    SLOT,
    SLOWLY,
    STALL,
    TURN,
    Edges,
)
from motors import Motors, ShoeMotors, Stepper

OUTPUTS = (
    "feed",
    "eject",
    "gate",
    "turn_enable",
    "turn_direction",
    "pointer_direction",
    "light_ready",
    "light_fault",
)


def unmasked(state=None):
    """Stand in for a board without interrupts."""


class Shuffler:
    def __init__(self, mask=unmasked, unmask=unmasked):
        self.pins = {name: Pin() for name in OUTPUTS}
        self.door, self.stall = Pin(), Pin()
        self.turner, self.homer = Generator(), Generator()
        self.clock = Clock()
        self.tidied = []  # outputs that were on at each garbage collection
        self.motors = Motors(
            Spec,
            self.pins,
            [self.door, self.stall],
            Stepper(self.turner.load),
            Stepper(self.homer.load),
            self.clock.now,
            self.clock.sleep_ms,
            lambda: self.tidied.append(self.on()),
            mask,
            unmask,
        )
        self.drive = self.motors.drive

    def on(self):
        """Return the names of the outputs that are high."""
        return sorted(name for name in self.pins if self.pins[name].level)

    def moves(self):
        """Return whether any motor runs or has current, or the gate is open."""
        driven = [name for name in self.on() if name != "turn_direction"]
        return bool(driven or self.turner.running or self.homer.running)

    def reports(self):
        edges = Edges()
        self.motors.report(edges)
        return pending(edges)


def test_no_output_is_on_at_first():
    machine = Shuffler()
    assert machine.on() == []
    assert not machine.turner.running
    assert not machine.homer.running


def test_feed_and_eject_hold_the_wheel():
    machine = Shuffler()
    machine.drive(FEED, 1)
    assert machine.on() == ["feed", "turn_enable"]
    machine.drive(FEED, 0)
    machine.drive(EJECT, 1)
    assert machine.on() == ["eject", "turn_enable"]


def test_garbage_is_collected_while_the_wheel_turns_once_for_each_card():
    machine = Shuffler()
    for _ in range(2):
        for leg in (3, -1, 1):
            machine.drive(TURN, leg)
            machine.drive(TURN, 0)
        machine.drive(EJECT, 1)
        machine.drive(EJECT, 0)
    assert machine.tidied == [["turn_enable"]] * 2


def test_garbage_is_collected_before_a_motor_starts_without_a_turn():
    machine = Shuffler()
    machine.drive(FEED, 1)
    machine.drive(FEED, 0)
    machine.drive(FEED, 1)
    assert machine.tidied == [[], ["turn_enable"]]


def test_garbage_is_collected_before_the_gate_opens_unless_a_card_moves():
    machine = Shuffler()
    machine.drive(GATE, 1)
    assert machine.tidied == [["gate"]]
    machine.drive(GATE, 0)
    machine.drive(EJECT, 1)
    machine.drive(GATE, 1)
    assert len(machine.tidied) == 2
    assert "eject" not in machine.tidied[1]


def test_at_rest_the_wheel_has_no_current():
    machine = Shuffler()
    machine.drive(FEED, 1)
    machine.drive(FEED, 0)
    machine.motors.rest()
    assert machine.on() == []


def test_turn_is_reported_only_after_its_end():
    machine = Shuffler()
    machine.drive(TURN, 5)
    assert machine.turner.running
    assert steps.pulses(machine.turner.words) == 5 * Spec.STEPS_BIN
    assert machine.reports() == []
    machine.clock.time = 90
    machine.motors.turned()
    assert machine.reports() == [(90, SLOT, 5)]
    assert machine.reports() == []


def test_a_driver_that_slept_gets_time_to_wake():
    machine = Shuffler()
    machine.drive(TURN, 1)
    assert machine.clock.time == 2
    machine.drive(TURN, 1)
    assert machine.clock.time == 2


def test_long_turn_is_reported_modulo_a_byte():
    machine = Shuffler()
    machine.drive(TURN, 300)
    machine.motors.turned()
    assert machine.reports()[0][2] == 300 & 255


def test_stopped_turn_is_never_reported():
    machine = Shuffler()
    machine.drive(TURN, 5)
    machine.drive(TURN, 0)
    machine.motors.turned()
    assert not machine.turner.running
    assert machine.reports() == []


def test_a_turn_backwards_sets_the_direction():
    machine = Shuffler()
    machine.drive(TURN, -3)
    assert machine.pins["turn_direction"].level == 1
    assert steps.pulses(machine.turner.words) == 3 * Spec.STEPS_BIN
    machine.drive(TURN, 3)
    assert machine.pins["turn_direction"].level == 0


def test_a_leg_has_equal_pulses_in_both_directions():
    machine = Shuffler()
    words = {}
    for way, direction in ((1, 0), (-1, 1)):
        machine.drive(TURN, way * (7 + HALF))
        assert machine.pins["turn_direction"].level == direction
        words[way] = machine.turner.words
        machine.motors.turned()
        assert machine.reports()[0][2] == 7
    assert words[1] == words[-1]
    assert steps.pulses(words[1]) == 7 * Spec.STEPS_BIN // 2


def test_homing_runs_until_the_stop_command():
    machine = Shuffler()
    machine.drive(HOMING, 1)
    assert machine.homer.running
    machine.drive(HOMING, 0)
    assert not machine.homer.running


def test_homing_makes_its_turn_within_the_cores_patience():
    for pace, times in ((1, 1.5), (SLOWLY, 6)):
        machine = Shuffler()
        machine.drive(HOMING, pace)
        pulse = 2 * (machine.homer.words[-1] >> 16) + 9
        assert Spec.STEPS_BIN * pulse < times * Spec.TURN_BIN * 1000
        assert len(machine.homer.words) <= 4  # the generator accepts these without waiting


def test_a_guard_stops_everything_without_allocating():
    machine = Shuffler()
    machine.drive(FEED, 1)
    machine.drive(GATE, 1)
    machine.drive(TURN, 5)
    machine.drive(HOMING, 1)
    under_locked_heap(machine.motors.cut, machine.door)
    assert machine.on() == []
    assert not machine.turner.running
    assert not machine.homer.running


def test_the_end_of_a_turn_is_noted_without_allocating():
    machine = Shuffler()
    machine.drive(TURN, 5)
    under_locked_heap(machine.motors.turned, machine.turner)
    assert len(machine.reports()) == 1


def test_guard_that_cut_the_motors_is_reported_once_despite_a_power_failure():
    for guard, number in (("door", DOOR), ("stall", STALL)):
        machine = Shuffler()
        machine.drive(TURN, 5)
        under_locked_heap(machine.motors.cut, getattr(machine, guard))
        assert machine.reports() == [(machine.clock.now(), GUARDED, number - DOOR)]
        assert machine.reports() == []


def test_of_two_guards_the_first_is_the_cause():
    machine = Shuffler()
    machine.motors.cut(machine.stall)
    machine.motors.cut(machine.door)
    machine.motors.cut()  # as the main loop does after losing samples
    assert [what for _, _, what in machine.reports()] == [STALL - DOOR]


def test_power_cut_without_a_guard_is_not_reported_as_a_guard():
    machine = Shuffler()
    machine.motors.cut()
    assert machine.reports() == []


def test_no_motor_starts_while_a_guard_is_active():
    for guard in ("door", "stall"):
        machine = Shuffler()
        getattr(machine, guard).level = 1
        for actuator in (FEED, EJECT, GATE, TURN, HOMING):
            machine.drive(actuator, 1)
        assert machine.on() == []
        assert not machine.turner.running
        assert not machine.homer.running


WINDOWS = (
    # The core's earlier commands, and the start.
    ((), (FEED, 1)),
    ((), (EJECT, 1)),
    ((), (GATE, 1)),
    ((), (TURN, 5)),
    ((), (TURN, -7 - HALF)),
    ((), (HOMING, 1)),
    ((), (HOMING, SLOWLY)),
    (((FEED, 1), (FEED, 0)), (EJECT, 1)),  # the wheel has its current
    (((TURN, 3), (TURN, 0)), (TURN, -1)),
    (((GATE, 1),), (EJECT, 1)),
)


def interrupted(before, command, at, bounces):
    """Open a machine's door at that moment of the command; return (machine, whether it opened)."""

    def opens():
        machine.door.level = 1
        if bounces:
            machine.door.level = 0  # shut again, before any code has seen it open

    interrupt = Interrupt(0, opens, lambda: machine.motors.cut(machine.door))
    machine = Shuffler(interrupt.mask, interrupt.unmask)
    for each in before:
        machine.drive(*each)
    for pin in list(machine.pins.values()) + [machine.stall]:
        watched(pin, interrupt, "value")
    for generator in (machine.turner, machine.homer):
        watched(generator, interrupt, "load", "put", "active")
    watched(machine.motors, interrupt, "sleep_ms", "collect")
    value = machine.door.value

    def door_value():
        level = value()
        interrupt.moment()  # it may open just after the check
        return level

    machine.door.value = door_value
    interrupt.left = at
    machine.drive(*command)
    happened = interrupt.left <= 0
    interrupt.left = 0
    return machine, happened


def test_door_that_opens_at_any_moment_of_a_start_leaves_no_motor_running():
    for before, command in WINDOWS:
        for bounces in (False, True):
            at = 1
            while True:
                machine, happened = interrupted(before, command, at, bounces)
                if not happened:
                    break
                assert not machine.moves(), (before, command, at, bounces)
                assert (GUARDED, 0) in [edge[1:] for edge in machine.reports()]
                at += 1
            assert at > 5, "the door never opened within the start"
            assert machine.moves(), "the start does not work without the door either"


def interrupted_shoe(at, bounces):
    """Open a shoe's door while its gate opens; return (shoe, whether the door opened)."""

    def opens():
        shoe.door.level = 0 if bounces else 1

    interrupt = Interrupt(0, opens, lambda: shoe.motors.cut(shoe.door))
    shoe = Shoe(interrupt.mask, interrupt.unmask)
    for pin in list(shoe.pins.values()) + [shoe.door]:
        watched(pin, interrupt, "value")
    interrupt.left = at
    shoe.motors.drive(GATE, 1)
    return shoe, interrupt.left <= 0


def test_shoes_gate_stays_shut_if_the_door_opens_at_any_moment_of_its_opening():
    for bounces in (False, True):
        at = 1
        while True:
            shoe, happened = interrupted_shoe(at, bounces)
            if not happened:
                break
            assert shoe.pins["gate"].level == 0, (at, bounces)
            at += 1
        assert at > 3
        assert shoe.pins["gate"].level == 1


def test_motor_that_a_guard_kept_from_starting_is_reported_until_the_core_has_taken_it():
    machine = Shuffler()
    edges = Edges()
    machine.motors.cut(machine.door)  # the door has opened and shut again
    machine.motors.report(edges)
    machine.drive(FEED, 1)  # before the core has taken the report
    machine.motors.report(edges)
    assert machine.on() == []
    assert [edge[1:] for edge in pending(edges)] == [(GUARDED, 0)] * 2
    machine.motors.report(edges)
    assert pending(edges) == []
    machine.drive(FEED, 1)
    assert machine.on() == ["feed", "turn_enable"]


def test_guard_that_is_high_without_an_edge_is_reported_when_a_motor_is_to_start():
    machine = Shuffler()
    machine.stall.level = 1
    machine.drive(EJECT, 1)
    assert [edge[1:] for edge in machine.reports()] == [(GUARDED, 1)]


def test_guard_that_rises_while_its_report_is_taken_is_reported_again():
    machine = Shuffler()
    machine.motors.cut(machine.door)
    assert len(machine.reports()) == 1
    machine.motors.cut(machine.door)
    assert len(machine.reports()) == 1
    assert machine.reports() == []


def test_stopping_works_under_a_guard():
    machine = Shuffler()
    machine.drive(FEED, 1)
    machine.door.level = 1
    machine.drive(FEED, 0)
    assert machine.pins["feed"].level == 0


def test_lights_work_under_a_guard():
    machine = Shuffler()
    machine.door.level = 1
    machine.drive(LIGHT, 2)
    assert machine.on() == ["light_fault"]
    machine.drive(LIGHT, 1)
    assert machine.on() == ["light_ready"]
    machine.drive(LIGHT, 0)
    assert machine.on() == []


class Shoe:
    def __init__(self, mask=unmasked, unmask=unmasked):
        self.pins = {name: Pin() for name in OUTPUTS}
        self.door = Pin()
        self.pointer = Generator()
        self.motors = ShoeMotors(
            Spec,
            self.pins,
            [self.door],
            Stepper(self.pointer.load),
            lambda: 0,
            lambda: None,
            mask,
            unmask,
        )

    def moved(self):
        """Return the steps of the current move, negative towards the stop, and end it."""
        back = self.pins["pointer_direction"].level
        count = steps.pulses(self.pointer.words)
        self.motors.turned()
        return -count if back else count


def test_a_pointer_moves_to_its_stop_first():
    shoe = Shoe()
    assert shoe.moved() == -(Spec.CAPACITY + 1) * Spec.STEPS_CARD


def test_a_pointer_moves_from_its_position_to_its_target():
    shoe = Shoe()
    shoe.moved()
    shoe.motors.drive(POINT_CUT, 7)
    shoe.motors.report(Edges())
    assert shoe.moved() == 7 * Spec.STEPS_CARD
    shoe.motors.drive(POINT_PLACE, 2)
    shoe.motors.report(Edges())
    assert shoe.moved() == -5 * Spec.STEPS_CARD


def test_a_pointer_finishes_one_move_before_the_next():
    shoe = Shoe()
    shoe.motors.drive(POINT_CUT, 7)
    shoe.motors.report(Edges())
    assert shoe.moved() == -(Spec.CAPACITY + 1) * Spec.STEPS_CARD
    shoe.motors.report(Edges())
    assert shoe.moved() == 7 * Spec.STEPS_CARD


def test_a_shoes_gate_obeys_the_door():
    shoe = Shoe()
    shoe.motors.drive(GATE, 1)
    assert shoe.pins["gate"].level == 1
    under_locked_heap(shoe.motors.cut, shoe.door)
    assert shoe.pins["gate"].level == 0
    shoe.door.level = 1
    shoe.motors.drive(GATE, 1)
    assert shoe.pins["gate"].level == 0
