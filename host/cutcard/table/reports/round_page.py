"""One round of a journal as a page to print, for a dispute: its events and rules."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from cutcard.journal import read
from cutcard.table.reports.journal_text import StoryLine, journal_lines

_STYLE = """
@page { size: A4; margin: 18mm }
body { font: 11pt/1.4 Georgia, serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .2em .6em .2em 0 }
tr { break-inside: avoid; border-bottom: 1px solid #999 }
tr.fault td { font-weight: bold }
code { overflow-wrap: anywhere }
"""


class NoSuchRoundError(Exception):
    """Raised if a journal has no round of that number."""


def round_page(path: Path, number: int) -> str:
    """Return the page as self-contained HTML. Raises NoSuchRoundError and JournalDamagedError."""
    story = list(journal_lines(path))
    lines = [line for line in story if line.round == number]
    if not lines:
        played = sorted({line.round for line in story if line.round is not None})
        there = f"there are {played[0]} to {played[-1]}" if played else "there is none"
        raise NoSuchRoundError(f"{path}: no round {number}; {there}.")
    opened = next((line.text for line in story if line.round is None), "")
    first, last = lines[0].record, lines[-1].record
    hashes = {r.number: r.hash for r in read(path) if r.number in (first, last)}
    title = f"{lines[0].table}, round {number}"
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
            f"<h1>{escape(title)}</h1><p>{escape(opened)}</p>",
            '<table><tr><th scope="col">UTC</th><th scope="col">Event</th>'
            '<th scope="col">Rules</th></tr>',
            *_rows(lines),
            "</table>",
            f"<p>Records {first} to {last} of <code>{escape(path.name)}</code>. Hash of the first: "
            f"<code>{hashes[first]}</code>; of the last: <code>{hashes[last]}</code>. To verify "
            "that they are unchanged in the journal since this was printed: "
            f"<code>cutcard journal verify {escape(path.name)} --holds {hashes[last]}</code></p>",
            "</body></html>\n",
        )
    )


def _rows(lines: Iterable[StoryLine]) -> Iterable[str]:
    for line in lines:
        kind = ' class="fault"' if line.fault else ""
        rules = escape(", ".join(line.rules))
        when = escape(line.time[11:19])
        yield f"<tr{kind}><td>{when}</td><td>{escape(line.text)}</td><td>{rules}</td></tr>"
