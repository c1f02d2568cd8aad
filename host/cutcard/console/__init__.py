"""The console: a web page that shows a pit of tables, live and at any earlier moment."""
