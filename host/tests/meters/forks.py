"""Processes to be killed: one that has everything imported forks them, so that each is cheap."""

import multiprocessing

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pytest", "psycopg", "tests.meters.evening", "tests.meters.soak"])
