"""The commands of the person's port: their parsing, validation and execution.

A word is a function whose first argument is the bench; its other parameters are the word's
arguments, in the order in which they may be given without a name. So `jam entry after=3` and {"do":
"jam", "where": "entry", "after": 3} are the same.
"""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutcard import untrusted
from cutcard.bench.plant import Plant

if TYPE_CHECKING:
    from cutcard.bench.process import BenchProcess

Answer = dict[str, Any]


class WordError(Exception):
    """A command cannot be carried out; `hint` names a valid one."""

    def __init__(self, error: str, hint: str = "") -> None:
        super().__init__(error)
        self.hint = hint


@dataclass
class DelayedAnswer:
    """An answer that is given when a condition has come true."""

    come_about: Callable[[], bool]
    answer: Callable[[], Answer]


Doing = Callable[..., "Answer | DelayedAnswer | None"]


@dataclass(frozen=True)
class Word:
    name: str
    does: Doing
    parameters: dict[str, inspect.Parameter]
    help: str

    @property
    def usage(self) -> str:
        said = [self.name]
        for name, parameter in self.parameters.items():
            needed = parameter.default is inspect.Parameter.empty
            said.append(name.upper() if needed else f"[{name}=...]")
        return " ".join(said)


Vocabulary = dict[str, Word]
WORDS: Vocabulary = {}  # of every bench
# Every word may also be delayed: until a number of steps, or for a time.
HOLD_BACK = ("after", "step", "within", "settle")
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


def word(does: Doing) -> Doing:
    """Register a function as a command of every bench."""
    add_word(does, WORDS)
    return does


def add_word(does: Doing, words: Vocabulary) -> None:
    """Add a function to the vocabulary, under its own name (`return_` is `return`)."""
    name = does.__name__.rstrip("_")
    taken = list(inspect.signature(does).parameters.values())[1:]
    parameters = {parameter.name.rstrip("_"): parameter for parameter in taken}
    words[name] = Word(name, does, parameters, inspect.getdoc(does) or "")


def parse(line: str, words: Vocabulary = WORDS) -> dict[str, Any]:
    """Read one line of the port, as JSON or as plain words."""
    line = line.strip()
    if line.startswith("{"):
        try:
            request = untrusted.json_from(line)
        except untrusted.BadContentError as error:
            raise WordError(str(error)) from error
        if not isinstance(request.get("do"), str):
            raise WordError('no "do" in it', 'write {"do": "status"}; `help` lists all words')
        return dict(request)
    try:
        said = shlex.split(line)
    except ValueError as error:
        raise WordError(f"cannot be read: {error}") from error
    if not said:
        raise WordError("nothing said", "`help` lists all words")
    return _from_words(_find(said[0], words), said[1:])


def _from_words(found: Word, said: list[str]) -> dict[str, Any]:
    request: dict[str, Any] = {"do": found.name}
    open_places = list(found.parameters)
    for each in said:
        name, equals, value = each.partition("=")
        if equals:
            request[name] = value
        elif each in found.parameters and found.parameters[each].annotation == "bool":
            request[each] = True
        elif open_places:
            request[open_places[0]] = each
            name = open_places[0]
        else:
            raise WordError(f"{found.name}: {each!r} is one word too many", f"use: {found.usage}")
        if name in open_places:
            open_places.remove(name)
    return request


def _find(name: str, words: Vocabulary) -> Word:
    if name not in words:
        raise WordError(f"there is no word {name!r}", "known are " + ", ".join(sorted(words)))
    return words[name]


def obey(bench: BenchProcess, request: dict[str, Any]) -> Answer | DelayedAnswer:
    """Carry a command out, now or when it is due. Raises WordError."""
    found = _find(str(request.get("do")), bench.words)
    arguments = {name: value for name, value in request.items() if name != "do"}
    held = {name: arguments.pop(name) for name in HOLD_BACK if name in arguments}
    checked = {name: _checked(found, name, value) for name, value in arguments.items()}
    for name, parameter in found.parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in checked:
            raise WordError(f"{found.name}: {name} is missing", f"use: {found.usage}")
    checked = {found.parameters[name].name: value for name, value in checked.items()}
    if "after" in held or "within" in held:
        return _hold_back(bench, found, checked, held)
    answer = found.does(bench, **checked) or {}
    if "settle" not in held:
        return answer
    later = (
        answer if isinstance(answer, DelayedAnswer) else DelayedAnswer(lambda: True, lambda: answer)
    )
    return DelayedAnswer(lambda: later.come_about() and bench.device.resting, later.answer)


def _hold_back(bench: BenchProcess, found: Word, arguments: Answer, held: Answer) -> Answer:
    def act() -> None:
        try:
            found.does(bench, **arguments)
        except WordError as error:
            bench.mishaps.append(f"{found.name}: {error}")

    if "within" in held:
        bench.kit.plant.timeline.after(_number(found, "within", held["within"]), act)
        return {"held_back": f"{held['within']} ms"}
    step = str(held.get("step") or usual_step(bench, found.name, arguments))
    steps = bench.kit.plant.STEPS
    if step not in steps:
        raise WordError(f"{found.name}: {step!r} is no step", "use " + ", ".join(steps))
    after = _number(found, "after", held["after"])
    bench.kit.plant.arm(step, after, act)
    return {"held_back": f"{after} x {step}"}


def usual_step(bench: BenchProcess, name: str, arguments: Answer) -> str:
    """Return the step to count if none was named: the one closest to the effect."""
    if not isinstance(bench.kit.plant, Plant):
        return "press"
    where = arguments.get("where", arguments.get("motor"))
    steps = {"entry": "enter", "tray": "enter", "exit": "exit", "chute": "exit"}
    if where in bench.plant.STEPS:
        return str(where)
    if where in steps:
        return steps[where]
    if name in ("bin", "steal", "add"):
        return "turn"
    if name in ("draw", "flip", "swap", "cut", "place") or bench.plant.is_shoe:
        return "draw"
    return "enter"


def _number(found: Word, name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError) as error:
        raise WordError(f"{found.name}: {name}={value!r} is not an integer") from error
    if number < 0:
        raise WordError(f"{found.name}: {name}={value!r} is below 0")
    return number


def _checked(found: Word, name: str, value: Any) -> Any:
    """Return the value as the type of the word's parameter."""
    if name not in found.parameters:
        raise WordError(f"{found.name} takes no {name!r}", f"use: {found.usage}")
    kind = str(found.parameters[name].annotation).split(" |")[0]
    if value is None:
        return None
    if kind == "int":
        return _number(found, name, value)
    if kind == "float":
        try:
            return float(value)
        except (TypeError, ValueError) as error:
            raise WordError(f"{found.name}: {name}={value!r} is no number") from error
    if kind == "bool":
        said = str(value).lower()
        if said not in _TRUE + _FALSE:
            raise WordError(f"{found.name}: {name}={value!r} is not on or off")
        return said in _TRUE
    return str(value)


def one_of(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise WordError(f"{name} {value!r} is not known", f"use {', '.join(choices)}")
    return value
