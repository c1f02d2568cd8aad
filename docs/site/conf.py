"""Sphinx's settings for the site that `make docs` builds from the repository's Markdown pages."""

from __future__ import annotations

import importlib.metadata

project = "cutcard"
author = "the cutcard maintainers"
release = importlib.metadata.version("cutcard")

# The source folder is the root of the repository, so that pages link to files outside docs/.
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md", "host/cutcard/engine/README.md"]
exclude_patterns = [".*", "build", "tables"]

extensions = ["myst_parser"]
myst_heading_anchors = 6  # the same anchors as on a forge
suppress_warnings = ["misc.highlighting_failure"]  # `sh soak` and others are our own names
smartquotes = False  # quotation marks stay as in the page, which readers copy

html_theme = "furo"
html_title = f"cutcard {release}"
html_extra_path = ["entrance"]
html_show_sphinx = False
html_copy_source = False
