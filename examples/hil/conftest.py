"""Brings the fixtures: shuffler, shoe, controller, bench_device, device; and the option --port."""

pytest_plugins = ["cutcard.testing.plugin"]
