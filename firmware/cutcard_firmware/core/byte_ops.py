"""The most frequent loops over single bytes of a random source, a frame and a record.

This version runs anywhere. An image contains the board's own version instead, in its processor's
own instructions (`boards/rp2/core/byte_ops.py`).
"""

_WINDOW = 1024  # samples, of the adaptive proportion test and of the lag test
_LAGS = 32
_DIGITS = 16  # of the binary number that has the count of each lag side by side
_ONES = int("0001" * _LAGS, 16)
_ALL = (1 << _LAGS * _DIGITS) - 1


def add(number, addend):
    """Compute number += addend modulo its size, big-endian, byte by byte, without a large
    integer."""
    i = len(number)
    j = len(addend)
    carry = 0
    while i and (j or carry):
        i -= 1
        carry += number[i]
        if j:
            j -= 1
            carry += addend[j]
        number[i] = carry & 255
        carry >>= 8


def difference(a, b, first, size):
    """Return 0 if `size` bytes are equal, those of `b` starting at `first`.

    All bytes are compared, so the time does not depend on the position of a difference.
    """
    found = 0
    for at in range(size):
        found |= a[at] ^ b[first + at]
    return found


def mix(data, at, end, stream):
    """Combine bytes of a stream into `data` from `at` to before `end`, by exclusive or; return
    their number.

    Into zeros this copies.
    """
    size = min(end - at, len(stream))
    mixed = int.from_bytes(data[at : at + size], "little") ^ int.from_bytes(stream[:size], "little")
    data[at : at + size] = mixed.to_bytes(size, "little")
    return size


def shorten(numbers, first, end, out):
    """Encode the numbers from `first` to before `end`; return the bytes used.

    Each byte has seven bits, least first, because most numbers are small.
    """
    at = 0
    for place in range(first, end):
        value = numbers[place]
        while value > 127:
            out[at] = value & 127 | 128
            value >>= 7
            at += 1
        out[at] = value
        at += 1
    return at


def stuff(frame, size):
    """Apply COBS in place: the byte at 1, and each zero after it, becomes the distance to the next
    zero.

    The last zero is the frame's last byte, which remains.
    """
    code = 1
    for at in range(2, size - 1):
        if not frame[at]:
            frame[code] = at - code
            code = at
    frame[code] = size - 1 - code


def unstuff(frame, size):
    """Reverse COBS in place from 0 on; return False if the distances do not end at `size`."""
    at = 0
    while at < size:
        run = frame[at]
        if not 0 < run <= 254:
            return False
        frame[at] = 0
        at += run
    return at == size


def wipe(secret):
    """Zero a bytearray in place."""
    try:
        secret[:] = bytes(len(secret))
    except MemoryError:  # one by one, which takes longer
        for at in range(len(secret)):
            secret[at] = 0


def new_tally(repetition, proportion, lag):
    """The tally of the health tests before the first sample, with their cutoffs.

    It has the repeated sample and its count; the first sample of the window, its count, and the
    number of samples seen; of the lag test the number of samples seen, the last 32 samples with
    the newest lowest, and how many samples differ from that at each lag.
    """
    return [2, 0, 2, 0, 0, 0, 0, 0, repetition, proportion, lag]  # no sample repeats a 2


def tested(samples, size, tally):
    """Add samples to a tally.

    Return 0 if they pass; 1, 2 or 3 if the repetition count, the adaptive proportion or the lag
    test fails; 4 for a sample that is not 0 or 1.
    """
    last, run, first, count, seen, compared, past, differing, repetition, proportion, lag = tally
    for at in range(size):
        sample = samples[at]
        if sample > 1:
            return 4
        if sample == last:
            run += 1
            if run >= repetition:
                return 1
        else:
            last = sample
            run = 1
        if seen == 0:
            first = sample
            count = 1
        elif sample == first:
            count += 1
            if count >= proportion:
                return 2
        seen += 1
        if seen == _WINDOW:
            seen = 0
        if compared >= _LAGS:  # before, there is no sample at each lag
            differing += past ^ _ONES if sample else past
        past = past << _DIGITS & _ALL | sample
        compared += 1
        if compared == _LAGS + _WINDOW:
            for _ in range(_LAGS):
                if not _WINDOW - lag < differing & 0xFFFF < lag:
                    return 3
                differing >>= _DIGITS
            compared = _LAGS
    tally[:8] = (last, run, first, count, seen, compared, past, differing)
    return 0
