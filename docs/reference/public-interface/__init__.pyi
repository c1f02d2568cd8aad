"""Written by `python -m docs.site.interface_baseline --write`."""
