"""What every rulebook rules on every irregularity at every stage, asked of the engine."""
