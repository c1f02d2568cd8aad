"""The console: a page that shows a pit of tables as they are, and as they were at any moment."""
