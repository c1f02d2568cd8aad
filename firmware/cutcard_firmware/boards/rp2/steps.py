"""The words for the step generators: stretches of equal pulses, and the end of a turn.

A word is `delay << 16

pulses`; a pulse is high and low for `delay` microseconds each, plus the generator's own 7. Eight
words fit its FIFO, and a turn has no more, so no words must be added during the turn. A motor does
not start at full speed: a turn begins and ends with a few pulses at a quarter, a half and three
quarters of it.
"""

OWN = 7  # microseconds of a pulse that the generator uses in addition to the two delays
OVER = 0  # the word that ends a turn
_RAMP = ((4, 1), (2, 1), (4, 3))  # multiples of the period at full speed
_RAMP_PULSES = 4
# The core allows 1.5 times the full-speed time; a slow search uses only the first pace.
_SEARCH = ((3, 1), (2, 1), (5, 4))


def turn(pulses, period):
    """Return the words for a turn of this many pulses, at full speed `period` microseconds each."""
    up = []
    left = pulses
    reached = _RAMP[0]
    for speed in _RAMP:
        count = min(_RAMP_PULSES, left // 2)
        if not count:
            break
        reached = speed
        up.append(_word(count, period * speed[0] // speed[1]))
        left -= 2 * count
    else:
        reached = (1, 1)
    middle = [_word(left, period * reached[0] // reached[1])] if left else []
    return up + middle + up[::-1] + [OVER]


def search(period, slowly):
    """Return the words for a search for home, at full speed `period` microseconds each pulse.

    The generator makes one pulse more than a word counts. The last stretch has no end.
    """
    paces = _SEARCH[:1] if slowly else _SEARCH
    words = [_word(_RAMP_PULSES - 1, period * pace[0] // pace[1]) for pace in paces]
    words[-1] |= 0xFFFF
    return words


def duration(words):
    """Return the duration of these words in microseconds."""
    return sum((word & 0xFFFF) * pulse(word) for word in words)


def pulse(word):
    """Return the duration of one of a word's pulses in microseconds."""
    return 2 * (word >> 16) + OWN


def pulses(words):
    return sum(word & 0xFFFF for word in words)


def _word(count, period):
    return _delay(period) << 16 | count


def _delay(period):
    return max((period - OWN) // 2, 0)
