"""Print the ruling of each rulebook for a shuffler that fails during a player's turn."""

from cutcard.rulings import STAGES, in_one_line, matrix

IRREGULARITY = "malfunction, continuous shuffler"

at_turn = [stage for stage in STAGES if stage.value == "a player's turn"]
for cell in matrix(irregularities=[IRREGULARITY], stages=at_turn):
    print(f"{cell.rulebook}\n    {in_one_line(cell)}\n")
