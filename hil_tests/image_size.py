"""The sizes of an image: all modules in a slot of the flash, and the modules that stay in
memory."""

from __future__ import annotations

from cutcard.image.build import files
from cutcard.machines import find

MACHINES = ("carousel-38", "shoe-8", "controller-4")  # one of each kind
# Modules that are loaded on demand and unloaded afterwards.
RARE = {
    "core/arithmetic.mpy",
    "core/attest.mpy",
    "core/ed25519.mpy",
    "core/field.mpy",
    "core/identity.mpy",
    "core/known_answer.mpy",
    "core/laboratory.mpy",
    "core/manifest.mpy",
    "core/refused.mpy",
    "core/sealed.mpy",
    "core/sha512.mpy",
    "core/trust.mpy",
    "core/update.mpy",
    "core/x25519.mpy",
    "answering.mpy",
    "chip.mpy",
    "start.mpy",
}
RARE_IN_CARD_MACHINES = {"core/signing.mpy", "core/statement.mpy"}


def sizes(machine: str) -> tuple[int, int]:
    """Return the bytes of all modules in a slot, and of those that stay in memory."""
    modules = {name: len(data) for name, data in files("rp2", find(machine)).items()}
    in_slot = {name: size for name, size in modules.items() if not name.startswith("/")}
    rare = RARE | (set() if machine.startswith("controller") else RARE_IN_CARD_MACHINES)
    if not set(in_slot) > rare:
        raise ValueError(f"not in an image of {machine}: {', '.join(rare - set(in_slot))}")
    return sum(in_slot.values()), sum(size for name, size in in_slot.items() if name not in rare)
