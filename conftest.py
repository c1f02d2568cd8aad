"""For every test: how long an example takes tells of the machine's load, not of the code."""

from hypothesis import HealthCheck, settings

settings.register_profile("cutcard", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cutcard")
