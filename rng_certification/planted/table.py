"""The table of planted defects: their sizes, and the tests that must find them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rng_certification.certification import PrizeDraws, Subject, subject_of
from rng_certification.continuous.law import BATCH
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.jackpot.subject import Presses
from rng_certification.planted import bits, continuous, draws, hidden, jackpot, shuffles, unseen

MIB = 1 << 20
REFERENCE_CARDS = 96 * BATCH


@dataclass(frozen=True)
class Planted:
    """A known-bad source; `caught_by` begins the names of the tests that must find it."""

    name: str
    kind: str
    sample: int  # bytes, draws, shuffles, presses or cards at which it is always caught
    make: Callable[..., Any]
    caught_by: str
    size: int = 0  # range of the draws, cards of the deck
    instead: str = ""  # for a defect that no test of output finds: the check that finds it

    def data(self, seed: int) -> bytes:
        random = np.random.default_rng(seed)
        arguments = (self.sample, self.size) if self.size else (self.sample,)
        made: bytes = np.ascontiguousarray(self.make(random, *arguments)).tobytes()
        return made

    def subject(self) -> Subject:
        if self.kind == "prizes":
            return PrizeDraws(jackpot.PRIZES)
        if self.kind == "presses":
            return Presses([jackpot.PRIZES] * jackpot.TABLES)
        if self.kind == "continuous":
            return ContinuousHistory(continuous.MACHINE, REFERENCE_CARDS)
        return subject_of(self.kind, self.size)


def _bits(name: str, sample: int, make: Callable[..., Any], caught_by: str) -> Planted:
    return Planted(name, "bits", sample, make, caught_by)


def _draws(name: str, size: int, sample: int, make: Callable[..., Any], caught_by: str) -> Planted:
    return Planted(name, "draws", sample, make, caught_by, size)


def _shuffles(
    name: str, size: int, sample: int, make: Callable[..., Any], caught_by: str
) -> Planted:
    return Planted(name, "shuffles", sample, make, caught_by, size)


def _prizes(name: str, sample: int, make: Callable[..., Any], caught_by: str) -> Planted:
    return Planted(name, "prizes", sample, make, caught_by)


def _presses(name: str, sample: int, make: Callable[..., Any], caught_by: str) -> Planted:
    return Planted(name, "presses", sample, make, caught_by)


def _continuous(name: str, sample: int, fault: int, often: float, caught_by: str) -> Planted:
    make = partial(continuous.history, fault=fault, often=often)
    return Planted(name, "continuous", sample, make, caught_by)


DEFECTS = (
    _bits("ones 50.1 %", 3 * MIB, partial(bits.leaning, share=0.501), "periods/"),
    _bits("bits correlated by 0.003", 2 * MIB, partial(bits.sticky, correlation=0.003), "autocor"),
    _bits("4 KiB of zeros", 4 * MIB, bits.stuck_stretch, "longest-run-of-all"),
    _bits("4 KiB sent twice", 4 * MIB, bits.copied_stretch, "bytes/repeated-stretches"),
    _bits("a zero byte in 4096", MIB, partial(bits.zero_byte_every, period=4096), "periods/"),
    _bits(
        "a stuck bit in 64 KiB", 4 * MIB, partial(bits.stuck_bit_every, period=1 << 16), "periods/"
    ),
    _bits(
        "repeats after 2^20 bytes",
        2 * MIB,
        partial(bits.repeating_after, period=MIB),
        "bytes/repeated",
    ),
    _bits("alternating bits", MIB, bits.alternating, "sp800-22/"),
    _bits("a counter", MIB, bits.counter, "sp800-22/"),
    _bits("four ones in every byte", MIB, bits.evened_out, "sp800-22/"),
    _bits("RANDU", MIB, bits.randu, "bytes/"),
    _bits("low bits of an LCG", MIB, bits.low_bits_of_ansi_c, "bytes/repeated"),
    _bits("xorshift32", MIB, bits.xorshift32, "bit-planes/"),
    _bits("xorshift128", MIB, bits.xorshift128, "bit-planes/"),
    _bits("MT19937", MIB, bits.mersenne_twister, "bit-planes/"),
    _bits("two devices, one seed", MIB, bits.two_devices_in_turn, "bytes/repeated"),
    _bits(
        "1 % of bits echo after 1000",
        MIB,
        partial(hidden.echoing_bits, lag=1000, share=0.01),
        "autocorrelation/far-lags",
    ),
    _bits(
        "6 % of words keep their weight", MIB, partial(hidden.weights_stay, share=0.06), "weights/"
    ),
    _bits(
        "RC4, a new key every 16 bytes", MIB, partial(hidden.rc4, length=16), "bytes/subsequences"
    ),
    _bits(
        "a sum of four bits of 16 is even 1.5 % too often",
        MIB,
        partial(bits.sum_that_leans, mask=0x2409, share=0.015),
        "words/16-bits/parities/",
    ),
    _draws("remainder of a byte", 52, 50_000, draws.remainder_of_a_byte, "frequency/"),
    _draws(
        "remainder of a word", 3_000_000_000, 50_000, draws.remainder_of_a_word, "folding/below"
    ),
    _draws("16 bits scaled to 3000", 3000, 2_000_000, draws.scaled_16_bits, "frequency/"),
    _draws("one bin never chosen", 38, 20_000, draws.one_never, "frequency/"),
    _draws(
        "one bin half a point likelier",
        38,
        200_000,
        partial(draws.one_likelier, by=0.19),
        "frequency/",
    ),
    _draws(
        "serial correlation 0.01",
        52,
        1_000_000,
        partial(draws.correlated, correlation=0.01),
        "serial-correlation/lag-1",
    ),
    _draws("never the same twice", 1000, 50_000, draws.never_twice, "equal-draws/lag-1"),
    _draws("two tables share a stream", 38, 20_000, draws.shared_by_two, "equal-draws/lag-1"),
    _draws(
        "repeats after 2^20 draws",
        38,
        1_200_000,
        partial(draws.repeating_after, period=1 << 20),
        "repeated-stretches",
    ),
    _draws(
        "stuck for 20 draws",
        38,
        2_000_000,
        partial(draws.stuck_for_a_while, length=20),
        "repeated-stretches",
    ),
    _draws(
        "every 1024th leans",
        38,
        1_000_000,
        partial(draws.leaning_every, period=1024),
        "subsequences/",
    ),
    _draws("dealt from a bag", 38, 50_000, draws.without_replacement, "equal-draws/"),
    _draws("seeded from the clock", 38, 500_000, draws.clock_seeds, "repeated-stretches"),
    _draws("an LCG of 32 bits", 1 << 32, 1_000_000, draws.congruential, "duplicates"),
    _draws("RANDU as draws", 1 << 31, 100_000, draws.randu, "folding/"),
    _draws(
        "5 % of draws echo after 312",
        38,
        1_000_000,
        partial(hidden.echo, lag=312, share=0.05),
        "far-lags/ranks",
    ),
    _draws(
        "2 % echo after 700, nine added",
        38,
        1_000_000,
        partial(hidden.echo, lag=700, share=0.02, step=9),
        "far-lags/characters",
    ),
    _draws("an LCG of 48 bits modulo 52", 52, 1_000_000, hidden.congruential_48, "low-bits/"),
    _draws(
        "high bits of an LCG of 48",
        1 << 24,
        1_000_000,
        hidden.high_bits_of_48,
        "far-lags/low-bits",
    ),
    _draws(
        "the high words of xorshift128+",
        1 << 32,
        20_000,
        hidden.high_words_of_xorshift,
        "parities/gray",
    ),
    _draws("an LCG of 48 bits scaled to 3750", 3750, 20_000, hidden.scaled_48, "lattice/"),
    _draws(
        "the minimal standard scaled to 10,000", 10_000, 20_000, hidden.scaled_minstd, "lattice/"
    ),
    _draws(
        "one value of 3750 echoes after 312, 1 in 8",
        3750,
        400_000,
        partial(hidden.one_value_echoes, lag=312, share=0.125),
        "far-lags/one-value",
    ),
    _draws(
        "a draw in 2000 comes again after 5000",
        10_000,
        400_000,
        partial(hidden.echo, lag=5000, share=0.0005),
        "far-lags/equal-draws",
    ),
    _draws("MT19937 scaled to 38", 38, 100_000, draws.mersenne_twister, "draw-planes/"),
    _shuffles("naive swaps", 52, 20_000, shuffles.naive_swaps, "position-card/"),
    _shuffles("Sattolo's", 52, 2_000, shuffles.sattolo, "cycles"),
    _shuffles("Fisher-Yates off by one", 52, 2_000, shuffles.off_by_one, "position-card/"),
    _shuffles("10 shelves, one pass", 52, 1_000, partial(shuffles.shelves, number=10), "peaks"),
    _shuffles(
        "38 shelves for six decks", 312, 1_600, partial(shuffles.shelves, number=38), "peaks"
    ),
    _shuffles("35 shelves, one pass", 52, 2_000, partial(shuffles.shelves, number=35), "peaks"),
    _shuffles("6 riffles", 52, 1_000, partial(shuffles.riffles, number=6), "rising-sequences"),
    _shuffles("8 riffles", 52, 5_000, partial(shuffles.riffles, number=8), "rising-sequences"),
    _shuffles(
        "7 riffles of the last order",
        52,
        3_000,
        partial(shuffles.riffled_on, number=7),
        "successive/1-before/",
    ),
    _shuffles("sorted by a random byte", 52, 20_000, shuffles.sorted_by_bytes, "descents"),
    _shuffles(
        "a seed of 32 bits", 52, 300_000, partial(shuffles.seeds_of, seeds=1 << 32), "duplicates"
    ),
    _shuffles(
        "a seed from the clock", 52, 5_000, partial(shuffles.seeds_of, seeds=86_400), "duplicates"
    ),
    _shuffles(
        "the last shuffle again, once in 5000",
        52,
        20_000,
        partial(shuffles.same_again, period=5000),
        "duplicates",
    ),
    _shuffles(
        "bottom card sticks, 2 %",
        52,
        20_000,
        partial(shuffles.bottom_card_stays, share=0.02),
        "position-card/extreme",
    ),
    _shuffles(
        "two cards stick, 2 %",
        52,
        20_000,
        partial(shuffles.pairs_stick, share=0.02),
        "adjacency/extreme",
    ),
    _shuffles(
        "leftovers open the next",
        52,
        5_000,
        partial(shuffles.leftovers, kept=4),
        "successive/1-before/",
    ),
    _shuffles(
        "opens with the last card before, 2 %",
        52,
        20_000,
        partial(hidden.opens_with_the_last, share=0.02),
        "successive/1-before/place-place",
    ),
    _shuffles(
        "a pair stays together, 2 %",
        52,
        20_000,
        partial(hidden.pair_stays, share=0.02),
        "successive/1-before/kept-pairs",
    ),
    _shuffles(
        "shuffled again after an ace, 1 in 5",
        52,
        20_000,
        partial(hidden.no_ace_first, share=0.2),
        "position-rank/extreme",
    ),
    _shuffles(
        "aces at place 26, 10 % more",
        52,
        150_000,
        partial(hidden.aces_at, place=25, more=0.1),
        "position-rank/extreme",
    ),
    _prizes("prize table off by one", 100_000, jackpot.last_never, "frequency/extreme-value"),
    _prizes("prize table counted from 1", 100_000, jackpot.first_never, "frequency/extreme-prize"),
    _prizes(
        "prizes above $20 are 5 % rarer",
        200_000,
        partial(jackpot.better_rarer, by=0.05),
        "frequency/prizes",
    ),
    _prizes("never the same prize twice", 50_000, jackpot.never_twice, "pairs/prizes"),
    _presses(
        "two tables of a controller share a stream",
        20_000,
        jackpot.shared_stream,
        "tables/repeated-stretches",
    ),
    _presses("one table's best prize is missing", 400_000, jackpot.one_table_worse, "tables/4/"),
    _presses(
        "one box gets 10 % fewer good prizes",
        100_000,
        partial(jackpot.one_box_worse, by=0.1),
        "players/box-3",
    ),
    _presses(
        "good prizes 40 % rarer within two seconds",
        100_000,
        partial(jackpot.worse_after_quick_press, by=0.4),
        "pauses/any-table",
    ),
    _presses(
        "better prizes after longer waits, up to 25 %",
        100_000,
        partial(jackpot.better_with_patience, by=0.25),
        "pauses/same-table/correlation",
    ),
    _presses(
        "the best prize only after a minute",
        300_000,
        jackpot.best_after_a_minute,
        "pauses/same-table/extreme-prize",
    ),
    _presses(
        "10 % of prizes by the millisecond",
        60_000,
        partial(jackpot.by_the_millisecond, by=0.1),
        "clock/modulo-16-ms",
    ),
    _continuous("carousel: bin 7 never chosen", 20_000, continuous.NEVER_BIN_7, 1.0, "bins/"),
    _continuous("carousel: bin 7 likelier", 100_000, continuous.BIN_7_LIKELIER, 0.01, "bins/"),
    _continuous(
        "carousel: the same bin again, 2 %",
        100_000,
        continuous.SAME_BIN_AGAIN,
        0.02,
        "bins/extreme-step",
    ),
    _continuous("carousel: bins in turn", 20_000, continuous.BINS_IN_TURN, 1.0, "bins/after"),
    _continuous(
        "carousel: half the wheel by the clock",
        100_000,
        continuous.BY_THE_CLOCK,
        0.15,
        "bins/by-time",
    ),
    _continuous("carousel: aces apart", 100_000, continuous.ACES_APART, 0.5, "bins/by-rank"),
    _continuous(
        "carousel: into the bin just emptied, 3 %",
        100_000,
        continuous.AFTER_THE_LAST_PUSH,
        0.03,
        "bins/load",
    ),
    _continuous("carousel: pushed in turn", 20_000, continuous.PUSHES_IN_TURN, 1.0, "pushes/after"),
    _continuous(
        "carousel: the fullest bin first, 10 %",
        100_000,
        continuous.FULLEST_FIRST,
        0.1,
        "pushes/load",
    ),
    _continuous(
        "chute: bins upside down, 2 %", 100_000, continuous.UPSIDE_DOWN, 0.02, "followers/"
    ),
    _continuous(
        "chute: two cards change places, 5 %",
        100_000,
        continuous.TWO_CARDS_SWAPPED,
        0.05,
        "followers/",
    ),
    _continuous(
        "chute: a card slips in, 1 in 1000", 20_000, continuous.SHORTCUT, 0.001, "chute/latency"
    ),
    _continuous(
        "carousel: a card stays behind, 1 in 100",
        20_000,
        continuous.CARD_LEFT_BEHIND,
        0.01,
        "pushes/whole",
    ),
)

# Invented after the tests were settled (`unseen.py`), without a test for any of them.
UNSEEN = (
    _draws(
        "zero every 100,003 draws",
        3750,
        1_000_000,
        partial(unseen.zero_now_and_then, period=100_003),
        "",
    ),
    _draws("rejected words are halved", 52, 1_000_000, unseen.rejected_and_used, ""),
    _draws(
        "2 % are the sum of the two before",
        38,
        400_000,
        partial(unseen.three_add_up, share=0.02),
        "",
    ),
    _draws("leans more and more, to 2 %", 38, 400_000, partial(unseen.drifting, most=0.02), ""),
    _bits("2 % of bytes inverted 4 KiB later", MIB, unseen.two_streams_by_turns, ""),
    _bits("1 % of odd bytes made even", MIB, partial(unseen.bytes_of_even_parity, share=0.01), ""),
    _shuffles(
        "1 % of packs only cut", 52, 5_000, partial(unseen.cut_but_not_shuffled, share=0.01), ""
    ),
    _shuffles(
        "suits clump in 30 % of packs", 52, 20_000, partial(unseen.a_suit_clumps, share=0.3), ""
    ),
    _presses(
        "1 % the same prize within three seconds",
        200_000,
        partial(unseen.same_prize_at_once, within=3_000, share=0.01),
        "",
    ),
    _presses("better at night, by 4 %", 200_000, partial(unseen.better_at_night, by=0.04), ""),
)

# Found only in samples that take a minute and a gigabyte: these are for `make soak`.
LARGE_DEFECTS = (
    _draws(
        "one bin 0.5 % likelier",
        38,
        90_000_000,
        partial(draws.one_likelier, by=0.005),
        "frequency/",
    ),
    _bits(
        "RC4, a new key every 256 bytes",
        7_000_000,
        partial(hidden.rc4, length=256),
        "bytes/subsequences",
    ),
    _shuffles(
        "aces at place 26, 2 % more",
        52,
        4_000_000,
        partial(hidden.aces_at, place=25, more=0.02),
        "position-rank/extreme",
    ),
)

# Defects that the output does not show, in these samples or in any: they pass, and other checks
# find them.
UNCAUGHT = (
    Planted(
        "a seed of 63 bits",
        "shuffles",
        20_000,
        partial(shuffles.seeds_of, seeds=1 << 63),
        "",
        52,
        "the review of seeding and conditioning; seeds collide in three thousand million shuffles",
    ),
    Planted(
        "MT19937 scaled to 37",
        "draws",
        200_000,
        draws.mersenne_twister,
        "",
        37,
        "the review of the construction; its raw bits, and even ranges, fail by linear complexity",
    ),
    Planted(
        "aces at place 26, 2 % more, in a small sample",
        "shuffles",
        20_000,
        partial(hidden.aces_at, place=25, more=0.02),
        "",
        52,
        "four million packs, as in the table; each test states it as `detectable`",
    ),
    Planted(
        "the same seed at every power-up",
        "draws",
        200_000,
        draws.good,
        "",
        38,
        "the first draws after power cuts, compared by row and by column, and between devices",
    ),
    Planted(
        "one bin 0.5 % likelier, in a small sample",
        "draws",
        1_000_000,
        partial(draws.one_likelier, by=0.005),
        "",
        38,
        "ninety million draws, as in the table; each test states it as `detectable`",
    ),
    Planted(
        "carousel: an aid that knows the draws in advance",
        "continuous",
        50_000,
        continuous.history,
        "",
        0,
        "the device's claims: undealt cards are never reported, and no state is exported",
    ),
)
