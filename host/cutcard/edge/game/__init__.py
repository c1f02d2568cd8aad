"""The exact house edge of a main game: combinatorial analysis with every seen card removed."""
