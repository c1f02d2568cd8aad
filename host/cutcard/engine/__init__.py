"""The round as a fold over events: `start` gives a round, `step` the next one."""
