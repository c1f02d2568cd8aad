# ruff: noqa: F821
# mypy: ignore-errors
"""The loops over single bytes in the processor's own instructions: see `core/byte_ops.py`."""

from array import array

import micropython


def add(number, addend):
    """number += addend modulo its size, big-endian."""
    _add(number, len(number), addend, len(addend))


@micropython.viper
def _add(number: ptr8, size: int, addend: ptr8, count: int):
    carry = 0
    while size:
        size -= 1
        carry += number[size]
        if count:
            count -= 1
            carry += addend[count]
        number[size] = carry
        carry >>= 8


@micropython.viper
def difference(a: ptr8, b: ptr8, first: int, size: int) -> int:
    found = 0
    for at in range(size):
        found |= a[at] ^ b[first + at]
    return found


def mix(data, at, end, stream):
    size = min(end - at, len(stream))
    _mix(data, at, stream, size)
    return size


@micropython.viper
def _mix(data: ptr8, first: int, stream: ptr8, size: int):
    for at in range(size):
        data[first + at] = data[first + at] ^ stream[at]


@micropython.viper
def shorten(numbers: ptr32, first: int, end: int, out: ptr8) -> int:
    at = 0
    for place in range(first, end):
        value = uint(numbers[place])
        while value > uint(127):
            out[at] = int(value) & 127 | 128
            value >>= uint(7)
            at += 1
        out[at] = int(value)
        at += 1
    return at


@micropython.viper
def stuff(frame: ptr8, size: int):
    code = 1
    for at in range(2, size - 1):
        if not frame[at]:
            frame[code] = at - code
            code = at
    frame[code] = size - 1 - code


@micropython.viper
def unstuff(frame: ptr8, size: int) -> bool:
    at = 0
    while at < size:
        run = frame[at]
        if run == 0 or run == 255:
            return False
        frame[at] = 0
        at += run
    return at == size


def wipe(secret):
    _mix(secret, 0, secret, len(secret))  # with itself: zeros


def new_tally(repetition, proportion, lag):
    # Bit k of plane n, of 11, is the binary digit n of the count of lag k + 1: one addition with
    # carry counts all lags.
    return array("I", [2, 0, 2, 0, 0, 0, 0] + [0] * 11 + [repetition, proportion, lag])


@micropython.viper
def tested(samples: ptr8, size: int, tally: ptr32) -> int:
    last = tally[0]
    run = tally[1]
    first = tally[2]
    count = tally[3]
    seen = tally[4]
    compared = tally[5]
    past = tally[6]
    for at in range(size):
        sample = int(samples[at])
        if sample > 1:
            return 4
        if sample == last:
            run += 1
            if run >= tally[18]:
                return 1
        else:
            last = sample
            run = 1
        if seen == 0:
            first = sample
            count = 1
        elif sample == first:
            count += 1
            if count >= tally[19]:
                return 2
        seen += 1
        if seen == 1024:
            seen = 0
        if compared >= 32:
            carry = past ^ (0 - sample)
            plane = 7
            while carry:
                digit = tally[plane]
                tally[plane] = digit ^ carry
                carry &= digit
                plane += 1
        past = past << 1 | sample
        compared += 1
        if compared == 1056:
            number = tally[20]
            least = 0
            while True:
                above = 0
                equal = -1
                plane = 18
                while plane > 7:
                    plane -= 1
                    digit = tally[plane]
                    if number >> plane - 7 & 1 == 0:
                        above |= equal & digit
                        digit ^= -1
                    equal &= digit
                if above | equal != least:
                    return 3
                if least:
                    break
                number = 1025 - number
                least = -1
            while plane < 18:
                tally[plane] = 0
                plane += 1
            compared = 32
    tally[0] = last
    tally[1] = run
    tally[2] = first
    tally[3] = count
    tally[4] = seen
    tally[5] = compared
    tally[6] = past
    return 0
