"""Verify a prize draw that a controller signed, with only the controller's public key."""

from dataclasses import replace

from cutcard.devices import Controller
from cutcard.prizes import verify

with Controller.open("bench:controller-4?seed=7") as controller:
    controller.set_prizes(1, "1 1000\n10 100\n89 5\n")  # one of 1000, ten of 100, 89 of 5
    draw = controller.press(1, round=1, box=3, wager=500)
    public_key = controller.identity().public_key  # published once

print(f"Prize {draw.prize} of {draw.prizes}: ${draw.amount} for each $1")

honest = verify([draw], public_key)
print(f"Original record: {'valid' if honest.ok else honest.problems}")

forged = verify([replace(draw, amount=1000)], public_key)
print(f"Changed amount: {'valid' if forged.ok else forged.problems}")
