"""Count phrases that make sentences hard to read, per 1,000 words of each package and area.

    python -m tests.plain_words FOLDER ...      the rates, and the phrases found there
    python -m tests.plain_words --record        lower the recorded rates to the measured ones

Run both in `host`. `plain_words.toml` has the phrases and the limits, `plain_words_rates.toml` the
rates of packages that are still above a limit.
"""

from __future__ import annotations

import argparse
import ast
import math
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RATES = HERE / "plain_words_rates.toml"

DATA = tomllib.loads((HERE / "plain_words.toml").read_text("utf-8"))
LIMITS: dict[str, float] = DATA["limits"]
DOCUMENTATION, DOCSTRINGS, STRINGS, TEST_NAMES = LIMITS
PHRASES = {phrase["name"]: re.compile(phrase["pattern"], re.I) for phrase in DATA["phrase"]}
ANY = re.compile("|".join(phrase["pattern"] for phrase in DATA["phrase"]), re.I)
# Words that identifiers avoid, because each had several meanings.
AMBIGUOUS_WORDS = {"told", "untold", "tell", "tells", "telling", "teller", "foretell", "foretold"}
AMBIGUOUS = re.compile("told|tell", re.I)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")

WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
CODE = re.compile(r"`[^`\n]*`")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.S | re.M)
COMMENT = re.compile(r"(?:^|\s{2})# ?(.*)$", re.M)
MARKUP = re.compile(r"\{[{%#].*?[}%#]\}|<style.*?</style>|<[^>]*>", re.S)
SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n")
SHORTEST = 4  # words of a string that counts as a sentence; shorter ones are codes and labels
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *DEFINITIONS)

# Folders of this depth are packages; anything else is counted with its first folder.
DEPTHS = {"host/cutcard": 3, "host/tests": 3, "firmware/cutcard_firmware": 3}


class Text(NamedTuple):
    """One piece of prose: its file, relative to the root, and its area."""

    file: str
    area: str
    prose: str


class Rate(NamedTuple):
    """The number of words and of phrases in one area of a package."""

    words: int
    phrases: int

    def per_thousand(self) -> float:
        return 1000 * self.phrases / max(1, self.words)


def package_of(file: str) -> str:
    """Return the folder with which `file` is counted; "." is the root."""
    *folders, _ = file.split("/")
    if not folders:
        return "."
    depth = DEPTHS.get("/".join(folders[:2]), 2 if folders[0] == "rng_certification" else 1)
    return "/".join(folders[:depth])


def without_code(text: str) -> str:
    """Replace code in backticks by a noun, so that only prose is counted."""
    return CODE.sub("X", text)


def in_python(file: str, source: str) -> Iterator[Text]:
    tree = ast.parse(source)
    test = Path(file).name.startswith("test_")
    in_tests = test or "/tests/" in file or file.startswith("hil_tests/")
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (docstring := ast.get_docstring(node)):
            yield Text(file, DOCSTRINGS, without_code(docstring))
        if isinstance(node, DEFINITIONS) and test and node.name.startswith("test_"):
            yield Text(file, TEST_NAMES, node.name.removeprefix("test_").replace("_", " "))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            skipped.update(map(id, node.values))
        if in_tests or id(node) in skipped:
            continue
        string = written(node)
        if len(WORD.findall(string)) >= SHORTEST:
            yield Text(file, STRINGS, without_code(string))
    for found in COMMENT.finditer(source):
        yield Text(file, DOCSTRINGS, without_code(found[1]))


def written(node: ast.AST) -> str:
    """Return the text of a string or f-string, with a noun for each value, or an empty string."""
    if isinstance(node, ast.JoinedStr):
        return "".join(written(part) or "X" for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def in_toml(file: str, source: str) -> Iterator[Text]:
    for found in COMMENT.finditer(source):
        yield Text(file, DOCSTRINGS, without_code(found[1]))
    if not file.startswith("host/tests/"):
        for string in strings_in(tomllib.loads(source)):
            if len(WORD.findall(string)) >= SHORTEST:
                yield Text(file, STRINGS, without_code(string))


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for below in value.values():
            yield from strings_in(below)
    elif isinstance(value, list):
        for below in value:
            yield from strings_in(below)


def in_markdown(file: str, source: str) -> Iterator[Text]:
    yield Text(file, DOCUMENTATION, without_code(FENCED.sub(" ", source)))


def in_template(file: str, source: str) -> Iterator[Text]:
    yield Text(file, STRINGS, MARKUP.sub(" ", source))


READERS = {
    ".py": in_python,
    ".toml": in_toml,
    ".md": in_markdown,
    ".template": in_markdown,
    ".html": in_template,
    ".j2": in_template,
}


def files(*suffixes: str) -> list[str]:
    """Return the files in git with one of these suffixes, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [
        file
        for file in listed.stdout.split("\0")
        if file.endswith(suffixes) and (ROOT / file).is_file()
    ]


def texts() -> list[Text]:
    """Return the prose of every file in git, without the phrases' own table."""
    found: list[Text] = []
    for file in files(*READERS):
        path = ROOT / file
        if path.name != "plain_words.toml":
            found += READERS[path.suffix](file, path.read_text("utf-8"))
    return found


def ambiguous_names(source: str) -> set[str]:
    """Return the identifiers that contain one of the ambiguous words, except `file.tell()`."""
    tree = ast.parse(source)
    of_files = {
        node.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr == "tell" and not node.args and not node.keywords
    }
    names: set[str | None] = set()
    for node in ast.walk(tree):
        if node not in of_files:
            names |= {getattr(node, field, None) for field in ("attr", "id", "arg", "name")}
        if isinstance(node, ast.alias):
            names.add(node.asname)
    return {
        name
        for name in names
        if isinstance(name, str) and AMBIGUOUS_WORDS & {part.lower() for part in PART.findall(name)}
    }


def phrases_in(prose: str) -> Iterator[tuple[str, str]]:
    """Yield each phrase found, as its name and the sentence around it."""
    prose = re.sub(r"\bNone\b", "X", prose)  # the value of Python
    if not ANY.search(prose):
        return  # most texts: their sentences need no second look
    for sentence in SENTENCE.split(prose):
        for name, pattern in PHRASES.items():
            for _ in pattern.finditer(sentence):
                yield name, " ".join(sentence.split())


def rates(prose: list[Text]) -> dict[tuple[str, str], Rate]:
    """Return the rate of each package and area."""
    measured: dict[tuple[str, str], Rate] = {}
    for text in prose:
        key = package_of(text.file), text.area
        words, phrases = measured.get(key, Rate(0, 0))
        found = sum(1 for _ in phrases_in(text.prose))
        measured[key] = Rate(words + len(WORD.findall(text.prose)), phrases + found)
    return measured


def recorded() -> dict[tuple[str, str], float]:
    """Return the highest rate allowed to packages that are above a limit."""
    table = tomllib.loads(RATES.read_text("utf-8")) if RATES.exists() else {}
    return {(package, area): rate for package, row in table.items() for area, rate in row.items()}


def lowered(
    measured: dict[tuple[str, str], Rate], old: dict[tuple[str, str], float]
) -> dict[tuple[str, str], float]:
    """Return the recorded rates, lowered to the measured ones where those are lower.

    A rate at or below its limit is left out: from then on the limit holds.
    """
    new = {}
    for key, rate in measured.items():
        allowed = min(math.ceil(rate.per_thousand()), old.get(key, math.inf))
        if rate.per_thousand() > LIMITS[key[1]]:
            new[key] = allowed
    return new


def record(rows: dict[tuple[str, str], float]) -> None:
    lines = [
        "# Highest rates of packages above a limit. `plain_words.py --record` lowers them.",
    ]
    for package in sorted({package for package, _ in rows}):
        lines += ["", f'["{package}"]']
        lines += [
            f'"{area}" = {rows[package, area]:g}' for area in LIMITS if (package, area) in rows
        ]
    RATES.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", help="folders or files, relative to the root")
    parser.add_argument("--record", action="store_true", help="lower the recorded rates")
    arguments = parser.parse_args()
    prose = texts()
    if arguments.record:
        record(lowered(rates(prose), recorded()))
    if arguments.folders:
        prose = [text for text in prose if text.file.startswith(tuple(arguments.folders))]
        for text in prose:
            for name, sentence in phrases_in(text.prose):
                print(f"{text.file}: {name}: {sentence}")
    for (package, area), rate in sorted(rates(prose).items()):
        print(f"{rate.per_thousand():6.1f}  {rate.words:7,} words  {package}: {area}")


if __name__ == "__main__":
    main()
