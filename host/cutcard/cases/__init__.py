"""Case files: one round at one table in a file, which can be replayed."""
