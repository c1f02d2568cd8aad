"""Find the weights of a carousel that pushes single cards; see python -m ... --help.

A bin whose cards leave one by one in the order of their entry is a queue. If every bin received and
released cards at constant rates, and had unlimited capacity, the waiting time of a card would be
memoryless: having seen it enter would not help to predict its exit. The limited capacity makes
exits predictable. Weights by load change both rates so that the waiting time is memoryless again.

The model is one bin among many. Its load is a birth-and-death chain with rates in proportion to the
weights, scaled so that its mean load is its share of the pack. Following one card from entry to
exit gives two leaks to a counter, in bits of the next card:

- its waiting: the deviation of its chance to leave, given its time inside, from a constant
  chance;
- its followers: the higher chance of a card that came back soon after the last dealt card,
  because it may be directly behind it in the same bin.

The sum of both is minimised over weights that are smooth in the load: their logarithms are
polynomials. The second leak counts several times, because each of the last cards has followers. The
model ignores the dependence between the loads of bins. Its figure is therefore not a certificate;
the resulting weights are measured on the machine itself.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize

from cutcard.machines import Row, find
from cutcard.machines.weight_rows import MOST_WEIGHT
from rng_certification.base.compiled import Counts, Floats

DEGREE = 3  # of the polynomials
FOLLOWED = 8.0  # number of last cards whose followers help a counter
AT_TABLE = 7  # mean number of cards outside the machine: half a round
SHARES_OF_A_MEAN = 48  # steps into which the mean waiting time is divided
LONGEST = 9  # mean waiting times, after which nearly all cards have left
EVALUATIONS = 1100
_IMPOSSIBLE = 99.0


@dataclass(frozen=True)
class Leakage:
    """Information that weights leak, in bits of the next card above an ideal machine."""

    waiting: float
    followers: float

    @property
    def bits(self) -> float:
        return self.waiting + FOLLOWED * self.followers


class Bin:
    """A bin of `capacity` places, and a card in it: the number of cards before it, and in total."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        states = [(before, load) for load in range(1, capacity + 1) for before in range(load)]
        place = {state: number for number, state in enumerate(states)}
        self._before = np.array([before for before, _ in states])
        self._load = np.array([load for _, load in states])
        self._fuller = _pairs(
            (at, place[before, load + 1]) for (before, load), at in place.items() if load < capacity
        )
        self._emptier = _pairs(
            (at, place[before - 1, load - 1]) for (before, load), at in place.items() if before
        )
        self._last = np.array([place[load - 1, load] for load in range(1, capacity + 1)])
        last_but_one = [place[load - 2, load] for load in range(2, capacity + 1)]
        self._last_but_one = np.array(last_but_one, dtype=np.int64)

    def leakage(self, into: Floats, out: Floats, bins: int, load: float) -> Leakage:
        """Return the leakage of a machine with `bins` bins and `load` cards in each on average."""
        waiting = bins * load  # cards dealt while one is inside, by Little's law
        shares = loads(into, out, load)
        arrives = shares[:-1] * into / (shares[:-1] @ into)
        comes = np.append(into, 0) / (shares[:-1] @ into) / bins  # one card, by load
        goes = np.insert(out, 0, 0) / (shares[1:] @ out) / bins
        rates = np.zeros((len(self._load),) * 2)
        rates[self._fuller[0], self._fuller[1]] = comes[self._load[self._fuller[0]]]
        rates[self._emptier[0], self._emptier[1]] = goes[self._load[self._emptier[0]]]
        np.fill_diagonal(rates, -comes[self._load] - goes[self._load])
        start = np.zeros(len(self._load))
        start[self._last] = arrives
        return Leakage(
            _waiting_bits(rates, start, waiting),
            self._follower_bits(rates, arrives, comes, goes, bins, waiting),
        )

    def _follower_bits(
        self, rates: Floats, arrives: Floats, comes: Floats, goes: Floats, bins: int, waiting: float
    ) -> float:
        """Return the bits that followers leak.

        X left last; Y, which came back k cards after X, is next if it is directly behind X and the
        same bin is pushed again.
        """
        leaves = np.where(self._before == 0, goes[self._load], 0.0)
        again = np.linalg.solve(-rates, leaves * goes[self._load - 1])
        behind = np.append(again[self._last_but_one], 0.0)  # by load without Y
        comes, goes = comes[1:], goes[1:]
        alone = arrives.copy()  # X is the last of its bin, by load
        same = float(arrives @ comes)
        bits, still_inside = 0.0, 1.0
        for _ in range(round(min(6 * bins, 3 * waiting))):
            ratio = 1 - same + waiting * float(alone @ (comes * behind)) / still_inside
            bits += still_inside / waiting * (ratio * np.log2(ratio) - (ratio - 1) / np.log(2))
            left = alone * goes
            alone = alone * (1 - comes - goes)
            alone[:-1] += left[1:]
            still_inside *= 1 - 1 / waiting
        return float(bits)


def loads(into: Floats, out: Floats, mean: float) -> Floats:
    """Return the chances of 0, 1 ... cards in a bin with `mean` cards on average."""
    steps = np.append(0, np.cumsum(np.log(into) - np.log(out)))
    load = np.arange(len(steps))

    def shares(tilt: float) -> Floats:
        exponents = steps + tilt * load
        weights: Floats = np.exp(exponents - exponents.max())
        weights /= weights.sum()
        return weights

    tilt = brentq(lambda tilt: float(shares(tilt) @ load) - mean, -60, 60)
    return shares(tilt)


def _waiting_bits(rates: Floats, start: Floats, waiting: float) -> float:
    """Return the mean of log2 of the current chance to leave relative to a constant chance."""
    step = max(1, int(waiting / SHARES_OF_A_MEAN))
    on = np.linalg.matrix_power(np.eye(len(rates)) + rates, step)
    inside, bits = 1.0, 0.0
    for _ in range(LONGEST * SHARES_OF_A_MEAN):
        start = start @ on
        left = float(start.sum())
        chance = 1 - (left / inside) ** (1 / step)
        bits += (inside - left) * float(np.log2(max(chance * waiting, 1e-12)))
        inside = left
        if inside < 1e-5:
            break
    return bits


def _pairs(pairs: object) -> Counts:
    return np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T  # type: ignore[call-overload]


def smooth(coefficients: Floats, capacity: int) -> tuple[Floats, Floats]:
    """Return weights with logarithms that are polynomials of the load, without a constant."""
    load = np.linspace(-1, 1, capacity)
    powers = np.array([load**power for power in range(1, DEGREE + 1)])
    into, out = np.exp(coefficients.reshape(2, DEGREE) @ powers)
    return into, out


def whole_numbers(weights: Floats) -> tuple[int, ...]:
    """Return the same proportions in integers; the largest is the limit of machine files."""
    scaled = weights / weights.max() * MOST_WEIGHT
    return tuple(max(1, round(float(weight))) for weight in scaled)


def derive(
    bins: int, capacity: int, chute_low: int, pack: int, evaluations: int = EVALUATIONS
) -> Row:
    """Return the weights for a pack."""
    load = (pack - chute_low - 1 - AT_TABLE) / bins
    if not 0 < load < capacity:
        raise ValueError(f"{pack} cards do not fit into {bins} bins of {capacity}")
    model = Bin(capacity)

    def cost(coefficients: Floats) -> float:
        into, out = smooth(coefficients, capacity)
        most = np.log(MOST_WEIGHT)
        spread = sum(max(0.0, float(np.ptp(np.log(w))) - most) ** 2 for w in (into, out))
        with np.errstate(all="ignore"):
            try:
                bits = model.leakage(into, out, bins, load).bits
            except (ValueError, np.linalg.LinAlgError):
                return _IMPOSSIBLE
        return bits + spread if np.isfinite(bits) else _IMPOSSIBLE

    best = np.array([-1.3, 0, 0, -1.1, 0, 0])
    for share in (0.6, 0.4):  # the second search starts from the result of the first
        options = {"maxfev": int(evaluations * share), "xatol": 1e-3, "fatol": 1e-5}
        best = minimize(cost, best, method="Nelder-Mead", options=options).x
    into, out = smooth(best, capacity)
    return Row(whole_numbers(into), whole_numbers(out))


def leakage_of(bins: int, chute_low: int, pack: int, row: Row) -> Leakage:
    """Return the leakage of a row of weights."""
    into, out = (np.array(weights, dtype=np.float64) for weights in row)
    load = (pack - chute_low - 1 - AT_TABLE) / bins
    return Bin(len(into)).leakage(into, out, bins, load)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m rng_certification.continuous.weights",
        description=("Derive the weights of a machine file for its packs, as text for that file."),
    )
    parser.add_argument("machine", help="name of a machine, or path of a machine file")
    parser.add_argument(
        "--packs", help=("numbers of cards, such as 104,312 (default: all that the machine allows)")
    )
    parser.add_argument("--json", action="store_true", help="print JSON for scripts")
    asked = parser.parse_args()
    machine = find(asked.machine)
    bins, capacity, low = (machine.whole(k) for k in ("bins.count", "bins.capacity", "chute.low"))
    packs = asked.packs.split(",") if asked.packs else {d * n for d, n in machine.admitted()}
    for pack in sorted(map(int, packs)):
        row = derive(bins, capacity, low, pack)
        leaked = leakage_of(bins, low, pack, row)
        if asked.json:
            line = {"pack": pack, "in": row.into, "out": row.out, "model_bits": leaked.bits}
            print(json.dumps(line), flush=True)
        else:
            print(
                f"[weights.{pack}]  # by the model: {leaked.waiting:.4f} of the waiting, ", end=""
            )
            print(f"{leaked.followers:.4f} of the followers of one card")
            print(f"in = {list(row.into)}\nout = {list(row.out)}\n", flush=True)


if __name__ == "__main__":
    main()
