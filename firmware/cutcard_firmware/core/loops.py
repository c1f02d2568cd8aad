"""The loops over single bytes that a random source runs through most.

This version runs anywhere. A board brings its own, in its processor's own instructions
(`boards/rp2/core/loops.py`), which an image has in this one's place.
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
