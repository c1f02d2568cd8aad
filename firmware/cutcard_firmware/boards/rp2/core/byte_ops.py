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


def tested(samples, size, tally):
    # In stretches that end where a window does.
    at = 0
    while at < size:
        end = min(size, at + 1024 - tally[4])
        compared = tally[5]
        end = min(end, at + (32 if compared < 32 else 1056) - compared)
        if not tally[4]:
            tally[2] = samples[at]
            tally[3] = 0
        found = _counted(samples, at, end, tally)
        if found:
            return found
        tally[4] = (tally[4] + end - at) % 1024
        tally[5] = compared + end - at
        if tally[3] >= tally[19]:
            return 2
        if tally[5] == 32:
            _clear(tally)  # before, there is no sample at each lag
        elif tally[5] == 1056:
            if _outside(tally):
                return 3
            _clear(tally)
            tally[5] = 32
        at = end
    return 0


@micropython.viper
def _outside(tally: ptr32) -> bool:
    # Whether any lag has its cutoff of differing samples, or has less than 1,025 less the cutoff.
    number = tally[20]
    expected = 0
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
        if above | equal != expected:
            return True
        if expected:
            return False
        number = 1025 - number
        expected = -1


@micropython.viper
def _clear(tally: ptr32):
    for plane in range(7, 18):
        tally[plane] = 0


@micropython.viper
def _counted(samples: ptr8, at: int, end: int, tally: ptr32) -> int:
    return int(_count(int(samples) + at, end - at, int(tally)))


@micropython.asm_thumb
def _count(r0, r1, r2):
    # r0: the next of r1 samples, r2: the tally, r3: the past. Leaves with r0: as `tested`.
    ldr(r3, [r2, 24])
    label(SAMPLE)
    ldrb(r4, [r0, 0])
    cmp(r4, 1)
    bhi(NO_BIT)
    # How often the last sample has come in a row.
    ldr(r5, [r2, 0])
    ldr(r6, [r2, 4])
    cmp(r4, r5)
    beq(SAME)
    str(r4, [r2, 0])
    mov(r6, 0)
    label(SAME)
    add(r6, 1)
    str(r6, [r2, 4])
    ldr(r5, [r2, 72])
    cmp(r6, r5)
    bcs(TOO_OFTEN)
    # How often the window's first.
    ldr(r5, [r2, 8])
    cmp(r4, r5)
    bne(OTHER)
    ldr(r6, [r2, 12])
    add(r6, 1)
    str(r6, [r2, 12])
    label(OTHER)
    # At which lags it differs: the past if it is 0, its complement if it is 1.
    mov(r5, r3)
    lsl(r3, r3, 1)
    cmp(r4, 0)
    beq(ZERO)
    mvn(r5, r5)
    add(r3, 1)
    label(ZERO)
    mov(r6, r2)
    label(PLANE)
    cmp(r5, 0)
    beq(NEXT)
    ldr(r7, [r6, 28])
    mov(r4, r7)
    eor(r4, r5)
    str(r4, [r6, 28])
    and_(r5, r7)
    add(r6, 4)
    b(PLANE)
    label(NEXT)
    add(r0, 1)
    sub(r1, 1)
    bne(SAMPLE)
    str(r3, [r2, 24])
    mov(r0, 0)
    b(END)
    label(TOO_OFTEN)
    mov(r0, 1)
    b(END)
    label(NO_BIT)
    mov(r0, 4)
    label(END)
