"""The product of a certificate: one machine file, its pack, its rulebooks and its prize tables.

The text of the machine file is part of the plan. Every worker and every later reader therefore runs
the campaign with exactly the certified machine, regardless of its original path.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cutcard.machines import DEFAULT_MACHINE, Machine, MachineFileError, find, shipped
from cutcard.machines.library import check
from cutcard.rulebooks import RULEBOOKS
from cutcard.untrusted import BadContentError, content, text_of, toml_from
from rng_certification.jackpot.prizes import UnknownPrizesError, all_prizes, find_prizes

MACHINE = "machine.toml"  # in the folder of a certificate
REFERENCE = DEFAULT_MACHINE  # the default machine of a certificate
# The rulebooks of a product that names no others. In each of them an ordinary player loses enough
# to leave a margin; docs/evidence/certification.md publishes the figures of every rulebook.
COVERED = ("nz-division-2", "mbs-free-bet-3", "uk-blackjack")
DECK = 52
MOST_LETTERS = 100_000  # of a machine file
# The parts of a campaign that only some products have, by the beginnings of their names.
_ONLY_FOR = {
    "continuous-": "carousel",
    "shuffles-slots-": "slots",
    "shuffles-shelves-": "shelves",
    "jackpot-": "prizes",
    "bench-": "cards",
    "predictability-": "cards",
}
_LACKING = {
    "carousel": "is not a continuous shuffler",
    "slots": "has no slots",
    "shelves": "has no shelves",
    "prizes": "has no prize table",
    "cards": "does not shuffle cards",
}


class BadProductError(ValueError):
    """The machine, the number of decks or a prize table is invalid for a product."""


@dataclass(frozen=True)
class Product:
    """One machine file with a pack of `decks` decks, its rulebooks and its prize tables.

    `decks` is 0 and `rulebooks` is empty for a controller, which has no cards.
    """

    machine_file: str
    decks: int
    prizes: tuple[str, ...] = ()
    own: bool = False  # a custom machine file
    rulebooks: tuple[str, ...] = ()

    @staticmethod
    def of(
        machine: str,
        decks: int | None = None,
        prizes: Sequence[str] = (),
        rulebooks: Sequence[str] = (),
    ) -> Product:
        """Return the product of a machine's name or file.

        Without `decks` the pack is the machine's largest, and without `rulebooks` they are those in
        COVERED. A controller without `prizes` has every prize table. Raises BadProductError.
        """
        for rulebook in rulebooks:
            if rulebook not in RULEBOOKS:
                known = ", ".join(RULEBOOKS)
                raise BadProductError(f"unknown rulebook {rulebook!r}; use one of {known}")
        try:
            found = find(machine)
            text = text_of(content(found.file, MOST_LETTERS))
            tables = tuple(find_prizes(each).id for each in prizes)
            own = found.file not in shipped()
        except (MachineFileError, BadContentError, UnknownPrizesError) as error:
            raise BadProductError(str(error)) from error
        if found.kind == "controller":
            if decks is not None:
                raise BadProductError(f"{found.name} has no cards: omit --decks")
            if rulebooks:
                raise BadProductError(f"{found.name} has no cards: omit --rulebooks")
            tables = tables or tuple(each.id for each in all_prizes().values())
            return Product(text, 0, tables, own)
        admitted = sorted(number for number, deck in found.admitted() if deck == DECK)
        if not admitted:
            raise BadProductError(
                f"{found.name} does not allow decks of {DECK}: only those are certified"
            )
        if decks is not None and decks not in admitted:
            known = ", ".join(map(str, admitted))
            raise BadProductError(
                f"{found.name} does not allow {decks} decks of {DECK}: use {known}"
            )
        games = tuple(sorted(set(rulebooks or COVERED)))
        return Product(text, decks or admitted[-1], tables, own, games)

    @staticmethod
    def read(data: Any) -> Product:
        """Validate the product of a plan from JSON. Raises BadProductError."""
        if not isinstance(data, dict):
            raise BadProductError("the plan's product is not a table")
        text, decks, prizes = data.get("machine_file"), data.get("decks"), data.get("prizes")
        if type(data.get("own_file")) is not bool:
            raise BadProductError(
                "the plan does not state whether the machine file is a custom one"
            )
        if not isinstance(text, str) or len(text) > MOST_LETTERS:
            raise BadProductError("the plan's machine file is missing or too long")
        if type(decks) is not int or not isinstance(prizes, list):
            raise BadProductError("the plan's decks or prize tables are invalid")
        if not all(isinstance(each, str) and each in all_prizes() for each in prizes):
            raise BadProductError("the plan has an unknown prize table")
        rulebooks = data.get("rulebooks")
        if not isinstance(rulebooks, list) or not all(each in RULEBOOKS for each in rulebooks):
            raise BadProductError("the plan has an unknown rulebook")
        product = Product(text, decks, tuple(prizes), data["own_file"], tuple(rulebooks))
        try:
            machine = product.machine
        except (MachineFileError, BadContentError) as error:
            raise BadProductError(f"the plan's machine file is invalid: {error}") from None
        cards = machine.kind != "controller"
        if cards and (decks, DECK) not in machine.admitted():
            raise BadProductError(f"the plan's machine does not allow {decks} decks of {DECK}")
        return product

    @cached_property
    def machine(self) -> Machine:
        return check(Path("machine.toml"), toml_from(self.machine_file))

    @property
    def name(self) -> str:
        return self.machine.name

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the machine file."""
        return hashlib.sha256(self.machine_file.encode()).hexdigest()

    @property
    def pack(self) -> int:
        """Return the number of cards in the certified pack; 0 for a controller."""
        return self.decks * DECK

    @property
    def features(self) -> frozenset[str]:
        """Return the properties that `_ONLY_FOR`, `layers.toml` and `declared.toml` refer to."""
        found = {self.machine.kind}
        if self.machine.has_bins:
            found |= {"cards", self.machine.mechanism}
        if self.prizes:
            found.add("prizes")
        return frozenset(found)

    def lacks(self, test: str) -> str:
        """Return the reason why tests of this name or pattern do not apply; empty if they do."""
        for beginning, feature in _ONLY_FOR.items():
            if test.startswith(beginning) and feature not in self.features:
                return f"{self.name} {_LACKING[feature]}"
        return ""

    @property
    def argument(self) -> str:
        """Return the machine as an argument: a name, or the file in the certificate's folder."""
        return MACHINE if self.own else self.name

    @property
    def options(self) -> str:
        """Return the options of `cutcard certify` that name this product."""
        words = [f"--machine {self.argument}"]
        if self.decks:
            words.append(f"--decks {self.decks}")
        if self.rulebooks and set(self.rulebooks) != set(COVERED):
            words.append(f"--rulebooks {','.join(self.rulebooks)}")
        if self.prizes:
            words.append(f"--prizes {','.join(self.prizes)}")
        return " ".join(words)

    def as_json(self) -> dict[str, Any]:
        return {
            "machine": self.name,
            "machine_sha256": self.sha256,
            "machine_file": self.machine_file,
            "own_file": self.own,
            "decks": self.decks,
            "prizes": list(self.prizes),
            "rulebooks": list(self.rulebooks),
        }


@contextmanager
def machine_on_disk(machine_file: str, name: str) -> Iterator[str]:
    """Yield the path of a temporary file with this machine, for programs that need a file."""
    with tempfile.TemporaryDirectory(prefix="cutcard-machine-") as folder:
        path = Path(folder) / f"{name}.toml"
        path.write_text(machine_file, encoding="utf-8")
        yield str(path)
