"""Load the fixtures shuffler, shoe, controller, bench_device and device, and the option --port."""

pytest_plugins = ["cutcard.testing.plugin"]
