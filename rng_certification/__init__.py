"""Statistical tests of random bits, draws and shuffles, and the verdict over their results."""
