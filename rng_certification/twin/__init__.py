"""The firmware's random source and mechanisms again, compiled, for volume; never the definition."""
