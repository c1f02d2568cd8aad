"""`make docs`: the pages of `docs/` as a site that opens from a folder, without a network.

Markdown in, HTML out, with one stylesheet and no script. A link to another page becomes a link to
its HTML; a link to a file of the repository stays as it is written and is left out of the site.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt
from markdown_it.token import Token

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
AT_THE_TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
PICTURES = (".png", ".svg")


def pages() -> list[Path]:
    """Every page of the site, by its path in the repository."""
    top = [Path(name) for name in AT_THE_TOP]
    return [*top, *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))]


def anchor(heading: str) -> str:
    """The name of a heading within its page, as forges make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def headings(text: str) -> list[str]:
    """The anchors of a page."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [anchor(_plain(tokens[at + 1])) for at, token in enumerate(tokens) if _opens(token)]


def links(text: str) -> list[str]:
    """What a page links to: pages, files, pictures, addresses."""
    found: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for child in token.children or ():
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src")
            if target is not None:
                found.append(str(target))
    return found


def page(path: Path, text: str) -> str:
    """One page as HTML."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    for at, token in enumerate(tokens):
        if _opens(token):
            token.attrSet("id", anchor(_plain(tokens[at + 1])))
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _to_html(str(child.attrGet("href"))))
    body = markdown.renderer.render(tokens, markdown.options, {})
    title = next((_plain(tokens[at + 1]) for at, t in enumerate(tokens) if _opens(t)), str(path))
    up = "../" * (len(path.parts) - 1)
    return Template((HERE / "page.html").read_text("utf-8")).substitute(
        title=title, body=body, up=up, contents=_contents(path, up)
    )


def build(target: Path) -> int:
    """Write the site into a folder that is made anew; the number of its pages."""
    shutil.rmtree(target, ignore_errors=True)
    for path in pages():
        place = target / _html(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page(path, (ROOT / path).read_text("utf-8")), "utf-8")
    for picture in (ROOT / "docs").rglob("*"):
        if picture.suffix in PICTURES:
            shutil.copy(picture, target / picture.relative_to(ROOT))
    shutil.copy(HERE / "style.css", target / "style.css")
    return len(pages())


def _opens(token: Token) -> bool:
    return token.type == "heading_open"


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _html(path: Path) -> Path:
    return Path("index.html") if path == Path("README.md") else path.with_suffix(".html")


def _to_html(target: str) -> str:
    name, _, place = target.partition("#")
    if "://" in name or not name.endswith(".md"):
        return target
    there = name.removesuffix("README.md") + "index.html" if name.endswith("README.md") else ""
    return (there or name.removesuffix(".md") + ".html") + (f"#{place}" if place else "")


def _contents(current: Path, up: str) -> str:
    lines = []
    for path in pages():
        title = (ROOT / path).read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
        here = ' aria-current="page"' if path == current else ""
        lines.append(f'<li><a href="{up}{_html(path).as_posix()}"{here}>{title}</a></li>')
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(f"{build(folder)} pages: open {folder / 'index.html'}")
