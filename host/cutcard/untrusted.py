"""Safe reading of files that another party may have written, by the same rules for all files.

A file that crosses a trust boundary (a report, a case, a journal, a machine file, a key ...) has a
maximum size, is UTF-8, has a maximum nesting depth, has each key once, and has only valid numbers.
A file that breaks a rule is refused before it is used, with the problem and its place. A name in a
file becomes a path only by `file_beside`.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from unicodedata import category

KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20
MOST_TOML = MEBIBYTE
MOST_JSON = 32 * MEBIBYTE
MOST_VALUES = (
    2_000_000  # in one JSON text; a list of empty lists needs thirty times its size in memory
)
DEEPEST = 40
LONGEST_KEY = 16  # names separated by dots
LARGEST = 1 << 64  # of integers; TOML itself guarantees no more
LONGEST_NUMBER = 12  # digits in user input
WIDEST = 100  # exponents of ten
_SHOWN = 120
_ERROR_NUMBER = re.compile(r"\[Errno -?[0-9]+\] ")


class BadContentError(ValueError):
    """Raised for a file that breaks a rule of this module, with the problem and its place."""


def why_unreadable(error: BaseException) -> str:
    """Return the reason in an error, without the file's name and the system's error number.

    Libraries quote the text of a system error within their own: only its number gives the reason.
    """
    if isinstance(error, OSError) and error.errno:
        nested = "[Errno" in (error.strerror or "[Errno")
        return os.strerror(error.errno) if nested else str(error.strerror)
    return _ERROR_NUMBER.sub("", str(error))


def content(path: Path, most: int) -> bytes:
    """Return all bytes of a file. Raises BadContentError if it has more than `most`, or OSError."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadContentError(f"it is longer than {_size(most)}, the maximum for this kind of file")
    return data


def whole_number(text: str, digits: int = LONGEST_NUMBER) -> int | None:
    """Parse a short number of plain digits; return None for any other text.

    `int` accepts more: signs, spaces, underscores, the digits of every script.
    """
    plain = text.isascii() and text.isdigit() and len(text) <= digits
    return int(text) if plain else None


def text_of(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadContentError(f"line {line}: it is not UTF-8 (byte {error.start})") from None


def read_json(path: Path, most: int = MOST_JSON) -> Any:
    """Read a JSON file. Raises BadContentError, and OSError like `open`."""
    return json_from(content(path, most))


def json_from(data: bytes | str) -> Any:
    """Parse a JSON text, in which no key may be given twice. Raises BadContentError."""
    text = data if isinstance(data, str) else text_of(data)
    nested = text.count("[") + text.count("{")
    if nested + text.count(",") > MOST_VALUES:
        raise BadContentError(f"it has more than {MOST_VALUES:,} values, the maximum for JSON")
    try:
        found = _JSON.decode(text)
    except BadContentError:
        raise
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise BadContentError(f"it is not JSON: {error.msg}, at {at}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # Python refuses numbers of more than 4,300 digits
        raise BadContentError("it has a number with thousands of digits") from None
    if nested > DEEPEST or "\\" in text:
        _check(found)  # else no value can be too deep, or have a lone surrogate
    return found


def read_toml(path: Path, exact: bool = False, most: int = MOST_TOML) -> dict[str, Any]:
    """Read a TOML file; `exact` returns decimals instead of floats.

    Raises BadContentError, and OSError like `open`.
    """
    return toml_from(text_of(content(path, most)), exact)


def toml_from(text: str, exact: bool = False) -> dict[str, Any]:
    """Parse a TOML text. Raises BadContentError."""
    text = text.replace("\r\n", "\n")
    _check_shape(text)
    try:
        found = tomllib.loads(text, parse_float=Decimal if exact else float)
    except tomllib.TOMLDecodeError as error:
        raise BadContentError(f"is not TOML: {error}") from None
    except RecursionError:
        raise _too_deep() from None
    except (ValueError, ArithmeticError):  # of int() and Decimal()
        raise BadContentError("is not TOML: it has an invalid number") from None
    _check(found, _no_control_characters)
    return found


def file_beside(folder: Path, name: str) -> Path:
    """Return the path of a file that another file names; it must be inside this folder.

    Raises BadContentError if the name or a link leads out of the folder, or if it is not a regular
    file.
    """
    parts = name.split("/")
    if not all(part.isprintable() and part not in ("", ".", "..") for part in parts):
        raise BadContentError(f"{shown(name)} leads out of its folder")
    path = folder
    try:
        for part in parts:
            path = path / part
            if path.is_symlink():
                raise BadContentError(
                    f"{shown(name)} is a link, which could lead out of the folder"
                )
        is_file = stat.S_ISREG(path.lstat().st_mode)
    except OSError:  # also for a name that is too long for any file
        raise BadContentError(f"{shown(name)} is missing") from None
    if not is_file:
        raise BadContentError(f"{shown(name)} is not a regular file")
    return path


def shown(said: object) -> str:
    """Return untrusted text for a terminal: without control characters, and of limited length."""
    text = said if isinstance(said, str) else repr(said)
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 4] + " ..."
    return printable(text)


def printable(text: str) -> str:
    """Return the text with control characters replaced."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise BadContentError(f"the key '{shown(twice)}' is given twice in one table")
    return table


def _no_constant(word: str) -> None:
    raise BadContentError(f"{word} is not a valid number")


def _finite(number: str) -> float:
    value = float(number)
    _check_number(value)
    return value


def _short(number: str) -> int:
    value = int(number)
    if len(number) > _DIGITS:
        _check_number(value)
    return value


_DIGITS = 19  # shorter integers have less than 64 bits
_JSON = json.JSONDecoder(
    object_pairs_hook=_reject_duplicate_keys,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_short,
)

# The tokens of TOML: complete strings and comments, and signs that nest or join. At a string that
# is not closed the search ends: the parser reports the place.
_SIGNS = re.compile(
    r"#[^\n]*"
    r'|"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|(?P<open>"""|\'\'\')'
    r'|"(?:\\.|[^"\\\n])*+"'
    r"|'[^'\n]*'"
    r"|(?P<quote>[\"'])"
    r"|(?P<sign>[\[\]{}.=,\n])",
    re.DOTALL,
)


def _check_shape(text: str) -> None:
    """Check nesting and dotted keys before the parser, which recurses into each of them."""
    depth, dots = 0, 0
    for found in _SIGNS.finditer(text):
        if found["open"] or found["quote"]:
            return
        sign = found["sign"]
        if sign is None:
            continue
        if sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
        dots = dots + 1 if sign == "." else 0
        if depth > DEEPEST:
            raise _too_deep(text.count("\n", 0, found.start()) + 1)
        if dots >= LONGEST_KEY:
            line = text.count("\n", 0, found.start()) + 1
            raise BadContentError(f"line {line}: a key has more than {LONGEST_KEY} names")


def _check(found: Any, check_text: Callable[[str], None] = lambda text: None) -> None:
    """Check every value, level by level."""
    level: list[Any] = [found]
    for _ in range(DEEPEST):
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                deeper += value
                deeper += value.values()
            elif isinstance(value, list):
                deeper += value
            elif isinstance(value, str):
                _check_letters(value)
                check_text(value)
            else:
                _check_number(value)
        if not deeper:
            return
        level = deeper
    raise _too_deep()


def _check_letters(text: str) -> None:
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        raise BadContentError(f"'{shown(text)}' has an incomplete character (a lone surrogate)")


def _no_control_characters(text: str) -> None:
    """Refuse control characters: names and titles are printed on terminals, which obey them."""
    odd = "" if text.isprintable() else text.replace("\n", "").replace("\t", "")
    if any(category(sign) == "Cc" for sign in odd):
        raise BadContentError(f"'{shown(text)}' has a control character")


def _check_number(value: Any) -> None:
    if isinstance(value, int):
        if not -LARGEST <= value <= LARGEST:
            raise BadContentError("it has an integer of more than 64 bits")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise BadContentError(f"{value} is not a valid number")
    elif isinstance(value, Decimal) and not (value.is_finite() and abs(value.adjusted()) < WIDEST):
        raise BadContentError(f"{shown(str(value))} is not a usable number")


def _too_deep(line: int | None = None) -> BadContentError:
    where = f"line {line}: " if line else ""
    return BadContentError(f"{where}it is nested deeper than {DEEPEST} levels")


def _size(number: int) -> str:
    return f"{number // MEBIBYTE} MiB" if number >= MEBIBYTE else f"{number // KIBIBYTE} KiB"


def nearest(word: object, known: Iterable[str]) -> str:
    """Return the known word most similar to a misspelled one, or "" without a similar one."""
    close = get_close_matches(str(word), list(known), n=1) if isinstance(word, str) else []
    return close[0] if close else ""
