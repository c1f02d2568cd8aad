"""Case files: one round at one table, written down so that anybody can replay it."""
