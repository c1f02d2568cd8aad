"""Rules and odds of one's own, `--set` and `--paytable`: read, and held against what is printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cutcard import untrusted
from cutcard.cli.options import called_wrongly, complain
from cutcard.edge.own_rules import BadRuleError

SAID_ALREADY = "the rulebook says so already"


class OwnValues(NamedTuple):
    """House rules: values of a file, and typed values, which override the file."""

    in_file: Mapping[str, Any]
    typed: Mapping[str, Any]

    @property
    def values(self) -> dict[str, Any]:
        return {**self.in_file, **self.typed}

    @property
    def overridden(self) -> list[str]:
        """What stands in the file, and was typed otherwise."""
        return [
            key
            for key, value in self.typed.items()
            if key in self.in_file and self.in_file[key] != value
        ]

    def without(self, key: str) -> dict[str, Any]:
        """As if this one had not been typed; where it was not, as if the file did not have it."""
        typed = {each: value for each, value in self.typed.items() if each != key}
        in_file = {
            each: value for each, value in self.in_file.items() if each != key or key in self.typed
        }
        return {**in_file, **typed}


def own_values(
    typed: Sequence[str],
    paytable: Path | None,
    *,
    of_text: Callable[[str], tuple[str, Any]],
    of_file: Callable[[str], Mapping[str, Any]],
) -> OwnValues:
    """What the file says, and what was typed. Exit 2 for what is neither."""
    in_file = {} if paytable is None else _in_file(paytable, of_file)
    keys = Counter(text.partition("=")[0] for text in typed)
    for key, times in keys.items():
        if times > 1:
            called_wrongly(f"--set {key}: it is said {times} times; once is enough")
    try:
        own = OwnValues(in_file, dict(map(of_text, typed)))
    except BadRuleError as bad:
        called_wrongly(str(bad))
    for key in own.overridden:
        complain(
            f"--set {key} prevails over the file, which has {untrusted.shown(own.in_file[key])}"
        )
    return own


def _in_file(paytable: Path, of_file: Callable[[str], Mapping[str, Any]]) -> Mapping[str, Any]:
    try:
        values = of_file(untrusted.text_of(untrusted.content(paytable, untrusted.MOST_TOML)))
    except BadRuleError as bad:
        called_wrongly(f"--paytable {paytable}: {bad}")
    except (OSError, untrusted.BadContentError) as error:
        called_wrongly(f"--paytable {paytable} cannot be read: {untrusted.why_unreadable(error)}")
    if not values:
        called_wrongly(f"--paytable {paytable}: there is nothing in it")
    return values


def own_rules_suffix(values: Mapping[str, Any]) -> str:
    """Return the house rules in words, to append to the name of the game; "" without any."""
    said = ", ".join(f"{key} = {value}" for key, value in values.items())
    return f", with {said}" if said else ""


def refuse_ineffective_rules(
    own: OwnValues, typed: Sequence[str], why_idle: Callable[[str], str]
) -> None:
    """Exit 2 for one that was typed in vain; one of a file, which may be long, is only named.

    `why_idle` says why a key changes nothing, and nothing where it does.
    """
    for key in own.values:
        why = why_idle(key)
        if not why:
            continue
        for text in typed:
            if text.partition("=")[0] == key:
                called_wrongly(f"--set {text}: {why}")
        complain(f"{key} in the file: {why}")
