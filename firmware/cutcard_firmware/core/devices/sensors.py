"""The sensors and actuators of a machine by number, and the debouncing of edges."""

from array import array

# Sensors with a level. 1 is: covered, seen, open (the door), stalled (a motor).
TRAY = 0  # cards are in the input tray; in a shoe, the stack
ENTRY = 1  # a card passes from the tray to the bins
HOME = 2  # bin 0 is at the feeder
EXIT = 3  # a card passes from a bin to the chute
CHUTE = 4  # cards are in the chute
MOUTH = 5  # a card passes out into the dealer's hand
FACE = 6  # the next card at the mouth is face up
CUT = 7  # the cutting card passes the mouth
DOOR = 8
STALL = 9
LEVELS = 10
# Reports: a value, not a level, and never bouncing.
SLOT = 10  # number of bins that the carousel moved, reported at the end of a turn
READ = 11  # the face of the card in the mouth
GUARDED = 12  # a guard (DOOR or a later one) has made the board switch off its motors
# A controller has other lines at these numbers: a button for each table from BUTTON on, and DOOR,
# its cabinet's. Its displays send reports of four bytes each, least first.
BUTTON = 0
METER = 16  # the bonus display of each table
PANEL = 20  # the central control panel, for each table
TABLES = 4
SENSORS = ("tray", "entry", "home", "exit", "chute", "mouth", "face", "cut", "door", "stall")

# Values of READ that are no card's code (0 to 51).
TOGETHER = 253  # the codes that follow were seen together: their order is unknown
FOREIGN = 254
UNREADABLE = 255

# Actuators. All are 0 when the power is off.
FEED = 0  # 1: pull cards from the tray
TURN = 1  # n: move n bins forward or back, then report SLOT
HALF = 1 << 10  # added to the number of a turn: it counts half bins
HOMING = 2  # 1: turn until bin 0 is at the feeder; SLOWLY: the same at a slow pace
SLOWLY = 2
EJECT = 3  # 1: push the cards of the bin at the feeder into the chute, one after the other
GATE = 4  # 1: the mouth is open
LIGHT = 5  # 0 off, 1 ready, 2 fault, 3 both: laboratory
POINT_CUT = 6  # n: show the hand the depth of the cut
POINT_PLACE = 7  # n: show the hand the place of the cutting card
ACTUATORS = 8
LAMP = 8  # in the button of each table of a controller: 1 while it is on offer

WRAP = 1 << 30  # the clock of a board counts milliseconds modulo this


def later(time, milliseconds):
    return (time + milliseconds) & (WRAP - 1)


def since(now, then):
    """Return the milliseconds from `then` to `now`, negative for a future `then`, across the
    wrap."""
    return ((now - then + (WRAP >> 1)) & (WRAP - 1)) - (WRAP >> 1)


def aged(then, now):
    """Return `then`, moved closer to `now` if it is older than a quarter of the clock's range.

    At half the range (six days) `since` would take it for a time in the future.
    """
    return later(now, -(WRAP >> 3)) if since(now, then) > WRAP >> 2 else then


class Edges:
    """Sensor edges in order. `push` is called by interrupt handlers: it allocates nothing."""

    def __init__(self, size=256):
        self.size = size
        self.times = array("I", bytes(4 * size))
        self.whats = array("H", bytes(2 * size))
        self.head = 0
        self.tail = 0
        self.lost = 0
        self.unseen = 0  # number of losses of edges because the ring was full

    def push(self, time, sensor, value):
        head = self.head
        following = head + 1
        if following == self.size:
            following = 0
        if following == self.tail:
            self.lost += 1
            return
        self.times[head] = time
        self.whats[head] = sensor << 8 | value
        self.head = following

    def pop(self):
        """Return the oldest (time, sensor, value), or None."""
        tail = self.tail
        if tail == self.head:
            return None
        self.tail = (tail + 1) % self.size
        what = self.whats[tail]
        return self.times[tail], what >> 8, what & 255


class Debounce:
    """Sensor levels that were stable for `hold` milliseconds, dated from their beginning."""

    def __init__(self, hold, levels):
        self.hold = hold
        self.stable = bytearray(levels)
        self.raw = bytearray(levels)
        self.changed = array("I", bytes(4 * LEVELS))
        self.pending = 0  # a bit for each sensor whose raw level differs from the stable one

    def edge(self, time, sensor, value):
        bit = 1 << sensor
        self.raw[sensor] = value
        if value == self.stable[sensor]:
            self.pending &= ~bit
        elif not self.pending & bit:
            self.pending |= bit
            self.changed[sensor] = time

    def settle(self, now):
        """Return the next (time, sensor, level) that was stable long enough, or None."""
        if self.pending:
            for sensor in range(LEVELS):
                bit = 1 << sensor
                if self.pending & bit and since(now, self.changed[sensor]) >= self.hold:
                    self.pending &= ~bit
                    self.stable[sensor] = self.raw[sensor]
                    return self.changed[sensor], sensor, self.raw[sensor]
        return None

    def due(self, now):
        """Return the milliseconds until `settle` may return a level, or None."""
        least = None
        if self.pending:
            for sensor in range(LEVELS):
                if self.pending & 1 << sensor:
                    left = self.hold - since(now, self.changed[sensor])
                    if least is None or left < least:
                        least = left
        return least
