"""Measures the console from device to page: eight tables in play, and twenty viewers.

python -m cutcard.console.bench: every event of eight machines is stamped when its bytes leave the
machine, and again when a viewer's page is told of it; and whether each viewer was told all of them.
Machines, tables, server and viewers are programs of their own; the viewers are HTTP clients without
a browser. A bare echo of the same server is measured beside the same tables.
"""
