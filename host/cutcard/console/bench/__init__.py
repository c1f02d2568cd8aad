"""Measure the console from device to page: eight tables in play, and twenty viewers.

`python -m cutcard.console.bench`: every event of eight machines gets a timestamp when its bytes
leave the machine, and again when a viewer's page receives it; lost events are counted. Machines,
tables, server and viewers are separate programs; the viewers are HTTP clients without a browser.
For comparison, a bare echo of the same server is measured with the same tables.
"""
