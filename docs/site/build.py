"""`make docs`: the pages of `docs/` as a site that opens from a folder, without a network.

Markdown in, HTML out, with one stylesheet and no script. A link to another page becomes a link to
its HTML. A file of the repository that a page links to (an example, a case) becomes a page with its
text, and a folder one with what it holds.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt
from markdown_it.token import Token

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUTSIDE_DOCS = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "host/cutcard/engine/README.md",
)
PICTURES = (".png", ".svg")
FENCE = "`" * 8  # longer than any in a file that is shown


def pages() -> list[Path]:
    """Every page of the site, by its path in the repository."""
    top = [Path(name) for name in OUTSIDE_DOCS]
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


def shown() -> dict[Path, str]:
    """What the pages link to and is no page itself, each as the text of one."""
    found: dict[Path, str] = {}
    for source in pages():
        for target in links((ROOT / source).read_text("utf-8")):
            name = target.partition("#")[0]
            if not name or "://" in target or name.endswith((".md", *PICTURES)):
                continue
            place = (ROOT / source).parent.joinpath(name).resolve()
            path = place.relative_to(ROOT)
            found[path] = _folder(place) if place.is_dir() else _file(place)
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
                child.attrSet("href", _to_html(path, str(child.attrGet("href"))))
    body = markdown.renderer.render(tokens, markdown.options, {})
    title = next((_plain(tokens[at + 1]) for at, t in enumerate(tokens) if _opens(t)), str(path))
    up = "../" * (len(_html(path).parts) - 1)
    return Template((HERE / "page.html").read_text("utf-8")).substitute(
        title=title, body=body, up=up, contents=_contents(path, up)
    )


def build(target: Path) -> int:
    """Write the site into a folder that is made anew; the number of its pages."""
    shutil.rmtree(target, ignore_errors=True)
    texts = {path: (ROOT / path).read_text("utf-8") for path in pages()} | shown()
    for path, text in texts.items():
        place = target / _html(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page(path, text), "utf-8")
    for picture in (ROOT / "docs").rglob("*"):
        if picture.suffix in PICTURES:
            shutil.copy(picture, target / picture.relative_to(ROOT))
    shutil.copy(HERE / "style.css", target / "style.css")
    return len(texts)


def _opens(token: Token) -> bool:
    return token.type == "heading_open"


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or ())


def _file(place: Path) -> str:
    return f"# {place.name}\n\n{FENCE}\n{place.read_text('utf-8')}{FENCE}\n"


def _folder(place: Path) -> str:
    held = [path for path in pages() if (ROOT / path).parent == place]
    lines = [f"- [{_title(path)}]({path.name})" for path in held]
    return "\n".join([f"# {place.name}", "", *lines]) + "\n"


def _title(path: Path) -> str:
    return (ROOT / path).read_text("utf-8").split("\n", 1)[0].removeprefix("# ")


def _html(path: Path) -> Path:
    if path == Path("README.md"):
        return Path("index.html")
    if path.suffix == ".md":
        return path.with_suffix(".html")
    return path / "index.html" if (ROOT / path).is_dir() else Path(f"{path}.html")


def _to_html(path: Path, target: str) -> str:
    """Where a link of a page leads within the site."""
    name, hash, place = target.partition("#")
    if not name or "://" in target or name.endswith(PICTURES):
        return target
    here = _html(path).parent  # in the site and in the repository alike
    there = (ROOT / here / name).resolve().relative_to(ROOT)
    return Path(os.path.relpath(_html(there), here)).as_posix() + hash + place


def _contents(current: Path, up: str) -> str:
    lines = []
    for path in pages():
        here = ' aria-current="page"' if path == current else ""
        lines.append(f'<li><a href="{up}{_html(path).as_posix()}"{here}>{_title(path)}</a></li>')
    return "\n".join(lines)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print(f"{build(folder)} pages: open {folder / 'index.html'}")
