"""The report as a PDF, typeset by typst: embedded fonts, tagged for screen readers, no network."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import matplotlib
import typst

from rng_certification.report.pictures import Picture

_TEMPLATE = Path(__file__).with_name("report.typ")
_GENERATOR = Path(__file__).with_name("generator.svg")
# DejaVu Sans is part of matplotlib, so that letters are the same on every computer.
_FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


def pdf_of(content: dict[str, Any], pictures: list[Picture]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="cutcard-report-") as name:
        folder = Path(name)
        for file in (_TEMPLATE, _GENERATOR):
            shutil.copy(file, folder / file.name)
        (folder / "content.json").write_text(json.dumps(content), encoding="utf-8")
        for picture in pictures:
            (folder / f"{picture.name}.svg").write_text(picture.svg, encoding="utf-8")
        shown = [
            {
                "title": picture.title,
                "caption": picture.caption,
                "alt": picture.alt,
                "file": f"{picture.name}.svg",
            }
            for picture in pictures
        ]
        (folder / "pictures.json").write_text(json.dumps(shown), encoding="utf-8")
        fonts = typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(_FONTS)]
        )
        compiler = typst.Compiler(str(folder / _TEMPLATE.name), root=str(folder), font_paths=fonts)
        # PDF/UA: tagged, with alternative texts; without a date, so that the bytes are
        # reproducible.
        made = compiler.compile(format="pdf", pdf_standards=["ua-1"])
    assert isinstance(made, bytes)
    return made
