"""Rules and odds of one's own, `--set` and `--paytable`: read, and held against what is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cutcard import untrusted
from cutcard.cli.options import called_wrongly, complain, reason
from cutcard.edge.own_rules import BadRule

SAID_ALREADY = "the rulebook says so already"


def own_values(
    typed: Sequence[str],
    paytable: Path | None,
    *,
    of_text: Callable[[str], tuple[str, Any]],
    of_file: Callable[[str], Mapping[str, Any]],
) -> dict[str, Any]:
    """What the file says, then what was typed, which prevails. Exit 2 for what is neither."""
    values: dict[str, Any] = {}
    if paytable is not None:
        try:
            text = untrusted.text_of(untrusted.content(paytable, untrusted.MOST_TOML))
            values |= of_file(text)
        except BadRule as bad:
            called_wrongly(f"--paytable {paytable}: {bad}")
        except (OSError, untrusted.BadContent) as error:
            called_wrongly(f"--paytable {paytable} cannot be read: {reason(error)}")
        if not values:
            called_wrongly(f"--paytable {paytable}: there is nothing in it")
    keys = Counter(text.partition("=")[0] for text in typed)
    for key, times in keys.items():
        if times > 1:
            called_wrongly(f"--set {key}: it is said {times} times; once is enough")
    try:
        return values | dict(map(of_text, typed))
    except BadRule as bad:
        called_wrongly(str(bad))


def told_own(values: Mapping[str, Any]) -> str:
    """What of one's own a figure is for, behind the name of the game; nothing where it is none."""
    said = ", ".join(f"{key} = {value}" for key, value in values.items())
    return f", with {said}" if said else ""


def refuse_what_changes_nothing(
    values: Mapping[str, Any], typed: Sequence[str], why_idle: Callable[[str], str]
) -> None:
    """Exit 2 for one that was typed in vain; one of a file, which may be long, is only named.

    `why_idle` says why a key changes nothing, and nothing where it does.
    """
    for key in values:
        why = why_idle(key)
        if not why:
            continue
        for text in typed:
            if text.partition("=")[0] == key:
                called_wrongly(f"--set {text}: {why}")
        complain(f"{key} in the file: {why}")
