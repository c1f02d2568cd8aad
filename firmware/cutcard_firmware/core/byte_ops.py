"""The loops over single bytes that a random source, a frame and a record run through most.

This version runs anywhere. A board brings its own, in its processor's own instructions
(`boards/rp2/core/byte_ops.py`), which an image has in this one's place.
"""


def add(number, addend):
    """number += addend modulo its size, big-endian, byte by byte: no large integer holds it."""
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
    """0 where so many bytes are the same, those of `b` from `first` on; every one is looked at,
    whatever the first says."""
    found = 0
    for at in range(size):
        found |= a[at] ^ b[first + at]
    return found


def mix(data, at, end, stream):
    """Bytes of a stream into `data` from `at` to before `end`, by exclusive or; how many those are.
    Into zeros it copies."""
    size = min(end - at, len(stream))
    mixed = int.from_bytes(data[at : at + size], "little") ^ int.from_bytes(stream[:size], "little")
    data[at : at + size] = mixed.to_bytes(size, "little")
    return size


def shorten(numbers, first, end, out):
    """Those from `first` to before `end`, seven bits a byte, least first, as most are small; how
    many bytes that takes."""
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
    """COBS in place: at 1, and at each zero behind it, is put how far it is to the next zero. The
    last is the frame's last byte, and stays."""
    code = 1
    for at in range(2, size - 1):
        if not frame[at]:
            frame[code] = at - code
            code = at
    frame[code] = size - 1 - code


def unstuff(frame, size):
    """The other way, from 0 on; False where the distances do not end at `size`."""
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


def tested(samples, size, tally):
    """Take samples into the tally of the health tests: 0 if they pass, 1 or 2 for the test that
    they fail, 3 for one outside the alphabet.

    The tally has, of the repetition count, the sample that repeats and how often it did; of the
    adaptive proportion, the window's first sample, how often it came, and how much of the window
    was seen; then the two cutoffs, the size of the window and that of the alphabet.
    """
    last, run, first, count, seen, repetition, proportion, window, alphabet = tally
    for at in range(size):
        sample = samples[at]
        if sample >= alphabet:
            return 3
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
        if seen == window:
            seen = 0
    for at, number in enumerate((last, run, first, count, seen)):
        tally[at] = number
    return 0
