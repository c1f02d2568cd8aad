"""Processes to be killed, forked from one process with all imports, so that each starts fast."""

import multiprocessing

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pytest", "psycopg", "tests.meters.evening", "tests.meters.soak"])
