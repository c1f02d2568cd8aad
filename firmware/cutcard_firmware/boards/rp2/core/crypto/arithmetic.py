# ruff: noqa: F821
# mypy: ignore-errors
"""The inner loops of cryptography in the processor's instructions: see `core/crypto/arithmetic.py`.

A number has eight words, least first, and may be any value below 2^256: a carry out of the top is
added at the bottom 38 times, because 2^256 is 38 modulo P. A Cortex-M0+ multiplies to 32 bits only,
so each word is split into halves. No branch and no address depends on a number, and on this
processor the time of a multiplication does not depend on its operands. A Cortex-M33 runs the same
instructions.
"""

import micropython

P = (1 << 255) - 19


def compress(state, words, rounds):
    """Hash a block of sixteen words, which is overwritten, into the eight words of the state."""
    _compress(state, words, rounds, bytearray(64))


@micropython.asm_thumb
def run(r0, r1, r2):  # a program, its size, the registers: numbers of 32 bytes, see `field`
    # r8: the next step. r9: the end. r10: the registers. Their earlier contents are restored at the
    # end.
    mov(r3, r8)
    mov(r4, r9)
    mov(r5, r10)
    mov(r6, r11)
    push({r3, r4, r5, r6})
    add(r1, r0, r1)
    mov(r8, r0)
    mov(r9, r1)
    mov(r10, r2)

    label(STEP)
    mov(r0, r8)
    mov(r1, r9)
    cmp(r0, r1)
    bne(GO_ON)
    b(DONE)
    label(GO_ON)
    ldrb(r7, [r0, 0])
    mov(r4, r10)
    ldrb(r1, [r0, 1])
    lsl(r1, r1, 5)
    add(r1, r1, r4)  # the result
    ldrb(r2, [r0, 2])
    lsl(r2, r2, 5)
    add(r2, r2, r4)  # the first operand
    ldrb(r3, [r0, 3])
    lsl(r3, r3, 5)
    add(r3, r3, r4)  # the second
    add(r0, 4)
    mov(r8, r0)
    cmp(r7, 0)
    bne(SUM)

    # The product of 16 words: a row for each word of the first operand.
    label(PRODUCT)
    push({r1})
    mov(r5, 0)
    str(r5, [r4, 0])
    str(r5, [r4, 4])
    str(r5, [r4, 8])
    str(r5, [r4, 12])
    str(r5, [r4, 16])
    str(r5, [r4, 20])
    str(r5, [r4, 24])
    str(r5, [r4, 28])
    add(r3, 32)
    mov(r11, r3)
    mov(r1, 8)
    label(ROW)
    # r1: rows left. r2: the word of the first operand. r4: where in the product. r11: the end of
    # the second operand.
    push({r1, r2})
    ldr(r5, [r2, 0])
    mov(r2, r4)
    lsr(r4, r5, 16)
    lsl(r5, r5, 16)
    lsr(r5, r5, 16)
    # r4, r5: high and low half of a. r2: where in the product. r3: the carry.
    # r1, and then r12: bytes to the end of the second operand, below zero.
    mov(r3, 0)
    mov(r1, 32)
    neg(r1, r1)
    label(WORD)
    mov(r12, r1)
    mov(r6, r11)
    add(r6, r6, r1)
    ldr(r6, [r6, 0])
    lsr(r7, r6, 16)
    data(2, 0xB2B6)  # uxth r6, r6: its low half
    mov(r0, r5)
    mul(r0, r6)  # low times low
    mul(r6, r4)  # a's high times low
    lsl(r1, r6, 16)
    lsr(r6, r6, 16)
    add(r0, r0, r1)
    mov(r1, 0)
    adc(r6, r1)
    mov(r1, r5)
    mul(r1, r7)  # low times b's high
    mul(r7, r4)  # high times high
    add(r7, r7, r6)
    lsl(r6, r1, 16)
    lsr(r1, r1, 16)
    add(r0, r0, r6)
    adc(r7, r1)
    mov(r1, 0)
    add(r0, r0, r3)
    adc(r7, r1)
    ldr(r6, [r2, 0])
    add(r0, r0, r6)
    adc(r7, r1)
    str(r0, [r2, 0])
    mov(r3, r7)
    add(r2, 4)
    mov(r1, r12)
    add(r1, 4)
    bne(WORD)
    str(r3, [r2, 0])
    mov(r4, r2)
    sub(r4, 28)
    pop({r1, r2})
    add(r2, 4)
    sub(r1, 1)
    bne(ROW)

    # The part above 2^256 is added at the bottom 38 times.
    pop({r1})
    mov(r2, r10)
    mov(r0, 8)
    mov(r3, 0)
    mov(r7, 38)
    label(FOLD)
    # r3: the carry. r2: where in the product.
    ldr(r5, [r2, 32])
    lsr(r6, r5, 16)
    lsl(r5, r5, 16)
    lsr(r5, r5, 16)
    mul(r5, r7)
    mul(r6, r7)
    add(r5, r5, r3)
    lsr(r3, r5, 16)
    add(r6, r6, r3)
    lsr(r3, r6, 16)
    lsl(r6, r6, 16)
    lsl(r5, r5, 16)
    lsr(r5, r5, 16)
    orr(r6, r5)
    ldr(r5, [r2, 0])
    mov(r4, 0)
    add(r5, r5, r6)
    adc(r3, r4)
    str(r5, [r1, 0])
    add(r2, 4)
    add(r1, 4)
    sub(r0, 1)
    bne(FOLD)
    sub(r1, 32)
    mul(r3, r7)
    b(CARRIED)

    # Sum or difference: a - b is a + ~b + (2^256 - 75), modulo 2^256 - 38.
    label(SUM)
    mov(r6, 1)
    sub(r6, r6, r7)  # 0, or all ones for a difference
    mov(r5, 74)
    mvn(r5, r5)
    and_(r5, r6)
    mov(r11, r5)
    mov(r0, 8)
    mov(r7, 0)  # the carry
    label(ADD_WORD)
    ldr(r4, [r2, 0])
    add(r4, r4, r7)
    mov(r7, 0)
    adc(r7, r7)
    ldr(r5, [r3, 0])
    eor(r5, r6)
    add(r4, r4, r5)
    mov(r5, 0)
    adc(r7, r5)
    mov(r5, r11)
    add(r4, r4, r5)
    mov(r5, 0)
    adc(r7, r5)
    mov(r11, r6)
    str(r4, [r1, 0])
    add(r1, 4)
    add(r2, 4)
    add(r3, 4)
    sub(r0, 1)
    bne(ADD_WORD)
    sub(r1, 32)
    mov(r3, 38)
    mul(r3, r7)

    # Add r3 to the result, twice if there is another carry out of the top.
    label(CARRIED)
    mov(r6, 0)
    ldr(r4, [r1, 0])
    add(r4, r4, r3)
    str(r4, [r1, 0])
    mov(r3, 7)
    mov(r5, 0)
    adc(r5, r5)
    label(CARRY)
    ldr(r4, [r1, 4])
    add(r4, r4, r5)
    mov(r5, 0)
    adc(r5, r5)
    str(r4, [r1, 4])
    add(r1, 4)
    sub(r3, 1)
    bne(CARRY)
    sub(r1, 28)
    mov(r3, 38)
    mul(r5, r3)
    ldr(r4, [r1, 0])  # which is small, if this is not zero
    add(r4, r4, r5)
    str(r4, [r1, 0])
    b(STEP)

    label(DONE)
    pop({r3, r4, r5, r6})
    mov(r8, r3)
    mov(r9, r4)
    mov(r10, r5)
    mov(r11, r6)
    mov(r0, 0)


@micropython.viper
def _compress(state: ptr32, words: ptr32, rounds: ptr32, work: ptr32):
    # Eight bytes are two words, the lower first. Each round rotates the eight of `work` by one: a
    # is at `at`, b behind it, and so on.
    for i in range(16):
        work[i] = state[i]
    at = 0
    for number in range(80):
        i = (number & 15) << 1
        low = uint(words[i])
        high = uint(words[i + 1])
        if number > 15:
            j = (number + 9 & 15) << 1
            x = uint(words[j])
            low = uint(low + x)
            high = uint(high + uint(words[j + 1]) + (1 if low < x else 0))
            j = (number + 1 & 15) << 1
            x = uint(words[j])
            y = uint(words[j + 1])
            z = uint((x >> 1 | y << 31) ^ (x >> 8 | y << 24) ^ (x >> 7 | y << 25))
            low = uint(low + z)
            high = uint(
                high
                + uint((y >> 1 | x << 31) ^ (y >> 8 | x << 24) ^ y >> 7)
                + (1 if low < z else 0)
            )
            j = (number + 14 & 15) << 1
            x = uint(words[j])
            y = uint(words[j + 1])
            z = uint((x >> 19 | y << 13) ^ (y >> 29 | x << 3) ^ (x >> 6 | y << 26))
            low = uint(low + z)
            high = uint(
                high
                + uint((y >> 19 | x << 13) ^ (x >> 29 | y << 3) ^ y >> 6)
                + (1 if low < z else 0)
            )
            words[i] = int(low)
            words[i + 1] = int(high)
        j = number << 1
        z = uint(rounds[j])
        low = uint(low + z)
        high = uint(high + uint(rounds[j + 1]) + (1 if low < z else 0))
        h = at + 14 & 15
        z = uint(work[h])
        low = uint(low + z)
        high = uint(high + uint(work[h + 1]) + (1 if low < z else 0))
        e = at + 8 & 15
        f = at + 10 & 15
        g = at + 12 & 15
        x = uint(work[e])
        y = uint(work[e + 1])
        z = uint((x >> 14 | y << 18) ^ (x >> 18 | y << 14) ^ (y >> 9 | x << 23))
        low = uint(low + z)
        high = uint(
            high
            + uint((y >> 14 | x << 18) ^ (y >> 18 | x << 14) ^ (x >> 9 | y << 23))
            + (1 if low < z else 0)
        )
        z = uint(uint(work[g]) ^ x & (uint(work[f]) ^ uint(work[g])))
        low = uint(low + z)
        high = uint(
            high
            + uint(uint(work[g + 1]) ^ y & (uint(work[f + 1]) ^ uint(work[g + 1])))
            + (1 if low < z else 0)
        )
        d = at + 6 & 15
        z = uint(uint(work[d]) + low)
        work[d] = int(z)
        work[d + 1] = int(uint(work[d + 1]) + high + (1 if z < low else 0))
        b = at + 2 & 15
        c = at + 4 & 15
        x = uint(work[at])
        y = uint(work[at + 1])
        z = uint((x >> 28 | y << 4) ^ (y >> 2 | x << 30) ^ (y >> 7 | x << 25))
        low = uint(low + z)
        high = uint(
            high
            + uint((y >> 28 | x << 4) ^ (x >> 2 | y << 30) ^ (x >> 7 | y << 25))
            + (1 if low < z else 0)
        )
        z = uint(x & uint(work[b]) | uint(work[c]) & (x | uint(work[b])))
        low = uint(low + z)
        work[h] = int(low)
        work[h + 1] = int(
            high
            + uint(y & uint(work[b + 1]) | uint(work[c + 1]) & (y | uint(work[b + 1])))
            + (1 if low < z else 0)
        )
        at = h
    for i in range(0, 16, 2):
        x = uint(state[i])
        y = uint(x + uint(work[i]))
        state[i] = int(y)
        state[i + 1] = int(uint(state[i + 1]) + uint(work[i + 1]) + (1 if y < x else 0))
