# ruff: noqa: F821
# mypy: ignore-errors
"""The loops over single bytes in the processor's own instructions: see `core/byte_ops.py`."""

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


@micropython.viper
def tested(samples: ptr8, size: int, tally: ptr32) -> int:
    repetition = tally[5]
    proportion = tally[6]
    window = tally[7]
    alphabet = tally[8]
    last = tally[0]
    run = tally[1]
    first = tally[2]
    count = tally[3]
    seen = tally[4]
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
    tally[0] = last
    tally[1] = run
    tally[2] = first
    tally[3] = count
    tally[4] = seen
    return 0
