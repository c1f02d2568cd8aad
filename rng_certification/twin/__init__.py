"""The firmware's random source and carousel again, compiled, for volume; never the definition."""
