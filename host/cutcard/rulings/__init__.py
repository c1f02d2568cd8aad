"""Every rulebook's ruling on every irregularity at every stage, computed by the engine.

for cell in matrix(irregularities=["face-up"]):
    print(cell.rulebook, cell.stage.value, in_one_line(cell))
"""

from cutcard.engine.irregularities.stage import Stage
from cutcard.rulings.matrix import IRREGULARITIES, STAGES, Cell, matrix
from cutcard.rulings.page import line as in_one_line

__all__ = ["IRREGULARITIES", "STAGES", "Cell", "Stage", "in_one_line", "matrix"]
