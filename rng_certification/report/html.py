"""The report as one HTML page, with styles and pictures inside."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from rng_certification.report.pictures import Picture

_FOLDER = Path(__file__).parent


def html_of(content: dict[str, Any], pictures: list[Picture]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(inline=_inline, base64=_base64, breakable=_breakable)
    css = Markup((_FOLDER / "report.css").read_text(encoding="utf-8"))
    template = environment.get_template("report.html.j2")
    drawing = (_FOLDER / "generator.svg").read_text(encoding="utf-8")
    return template.render(content, pictures=pictures, css=css, drawing=drawing).lstrip()


def _inline(text: str) -> Markup:
    """Convert `code` and *emphasis*, the only marks in the prose."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", marked))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _breakable(text: str) -> Markup:
    """Allow line breaks in long names after a slash or an underscore."""
    return Markup(re.sub(r"([/_])", r"\1<wbr>", str(escape(text))))
