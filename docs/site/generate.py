"""`make pages`: regenerate every generated page, picture and section.

`GENERATED` is the only list of them. `host/tests/test_generated_pages.py` fails for a stale one. It
excludes recordings and measurements: docs/pictures/pins-carousel-38.svg, the screenshots and
docs/evidence/simulator-oracle.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from cutcard.rulebooks.register.entries import REGISTERS
from docs.site import sections

ROOT = Path(__file__).parents[2]
SCHEMA = "firmware/cutcard_firmware/core/schema/messages.py"
WIRE = "docs/reference/wire-protocol.md"
EDGES = (
    "reference/edges.md",
    "reference/game-costs.md",
    "pictures/edges-by-game.svg",
    "pictures/one-evening.svg",
    "pictures/strategy-vegas.svg",
)


class Generated(NamedTuple):
    """One generated text. `write` takes the current file and returns the new one."""

    path: str
    part: str  # the section; empty if all of the file is generated
    write: Callable[[str], str]

    def is_fresh(self) -> bool:
        """Return whether the file has this text."""
        file = ROOT / self.path
        return file.exists() and file.read_text("utf-8") == self.new()

    def new(self) -> str:
        """Return the new contents of the file."""
        file = ROOT / self.path
        return self.write(file.read_text("utf-8") if file.exists() else "")


def write_all() -> Iterator[str]:
    """Write each stale file; yield its path."""
    for each in GENERATED:
        if not each.is_fresh():
            (ROOT / each.path).write_text(each.new(), "utf-8")
            yield f"{each.path} {each.part}".strip()


def _page(path: str, text: Callable[[], str]) -> Generated:
    return Generated(path, "", lambda _: text())


def _section(path: str, name: str, text: Callable[[], str]) -> Generated:
    return Generated(path, name, lambda page: sections.replace(page, name, text()))


# Each imports its modules itself: those of the wire must read the schema after it is written.


def _schema(source: str) -> str:
    from docs.site.faults import with_names

    return with_names(source)


def _faults() -> str:
    from docs.site.faults import table

    return table()


def _device_faults() -> str:
    from cutcard.engine.device_faults import page

    return page()


def _rulings() -> str:
    from cutcard.rulings.page import page

    return page()


def _readings() -> str:
    from cutcard.rulebooks.readings import as_markdown

    return as_markdown()


def _register(name: str) -> Generated:
    def text() -> str:
        from cutcard.rulebooks.register.page import register_page

        return register_page(name)

    return _page(f"docs/reference/rulebooks/{name}.md", text)


def _wire_tables() -> str:
    from docs.site.wire_protocol import tables

    return tables()


def _wire_session() -> str:
    from hil_tests.wire_transcript import record, written

    return written(record())


def _threats() -> str:
    from hil_tests.threats import table

    return table()


def _interface() -> str:
    from docs.site.api import page

    return page()


def _commands() -> str:
    from docs.site.commands import page

    return page()


def _layers() -> str:
    from docs.site.layers import PAGE, layers, picture

    return picture(layers(PAGE.read_text("utf-8")))


def _wiring() -> str:
    from cutcard.machines import find
    from cutcard.machines.wiring import wiring_svg

    return wiring_svg(find("carousel-38"), "pico")


def _known_generators() -> str:
    from rng_certification.known.page import page

    return page()


def _edges(name: str) -> Generated:
    def text() -> str:
        from cutcard.edge.plain_page import PAGES

        return PAGES[Path(name).name]()

    return _page(f"docs/{name}", text)


SESSION = _section(WIRE, "session", _wire_session)
GENERATED = (
    Generated(SCHEMA, "FAULTS", _schema),
    _section("docs/reference/faults.md", "faults", _faults),
    _page("docs/reference/rulebooks/device-faults.md", _device_faults),
    _page("docs/reference/rulebooks/rulings.md", _rulings),
    _page("docs/reference/rulebooks/readings.md", _readings),
    *map(_register, REGISTERS),
    _section(WIRE, "tables", _wire_tables),
    SESSION,
    _section("docs/explanation/security.md", "threats", _threats),
    _page("docs/reference/api.md", _interface),
    _page("docs/reference/commands.md", _commands),
    _page("docs/pictures/layers.svg", _layers),
    _page("docs/pictures/wiring-carousel-38.svg", _wiring),
    _page("docs/reference/known-generators.md", _known_generators),
    *map(_edges, EDGES),
)


if __name__ == "__main__":
    for written in write_all():
        print(written)
