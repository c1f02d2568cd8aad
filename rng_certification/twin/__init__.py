"""The firmware's random source and mechanisms, compiled for volume; never the definition."""
