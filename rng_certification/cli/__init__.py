"""The command line of `cutcard certify`."""

from rng_certification.base import one_core  # noqa: F401  (before anything loads numpy)
