"""Messages for unknown words: the error, the allowed words, and the nearest one."""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import Any, Protocol

from protocol.text import compose

SECRETS = ("api_key", "client_kwargs")
NEAR = 0.5


class Faults(Protocol):
    """An error that lists every fault, as pydantic's ValidationError does."""

    def errors(self) -> Sequence[Any]:
        """Return a mapping for each fault, with type, loc, msg and input."""
        ...


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """Return `value` if known; otherwise raise ValueError with the nearest name and all names."""
    names = list(known)
    for spelled in (value, compose(value)):
        if spelled in names:
            return spelled
    listed = ", ".join(names)
    known_are = f"choose from {listed}" if names else "there is none"
    near = did_you_mean(value, names)
    raise ValueError(f"unknown {what} {value!r}:{near} {known_are}")


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """Return " did you mean X?" for the nearest other known word, or "" if none is near `value`."""
    others = [word for word in known if word != value]
    close = get_close_matches(value, others, n=1, cutoff=NEAR)
    return f" did you mean {close[0]!r}?" if close else ""


def explain(error: Faults, fields: Iterable[str]) -> str:
    """Return one sentence for the first fault in `error`; `fields` are the allowed names.

    The sentence quotes the wrong value unless the value is, or may contain, a key. If a setting is
    missing, the sentence also names the first unknown setting, which may be a misspelling of it.
    """
    names = set(fields)
    wrong, *others = error.errors()
    kind, message = wrong["type"], wrong["msg"].removeprefix("Value error, ")
    if kind == "extra_forbidden":
        return _unknown_setting(wrong["loc"], fields)

    where = _place(wrong["loc"], names)
    if kind == "value_error":
        return message if where in message else f"{where}: {message}"

    sentence = f"{where}: {message[:1].lower()}{message[1:]}"
    unknown = [fault["loc"] for fault in others if fault["type"] == "extra_forbidden"]
    if kind == "missing" and unknown:
        return f"{sentence}; {_unknown_setting(unknown[0], fields)}"
    got = wrong["input"]
    if where.endswith(SECRETS) or isinstance(got, dict | list):
        return sentence
    return f"{sentence}: got {_shown(got)}"


def _unknown_setting(path: Sequence[Any], fields: Iterable[str]) -> str:
    *_, setting = path
    where = _place(path, {*fields, setting})
    near = did_you_mean(str(setting), fields) or " it is in no game or player config"
    return f"unknown setting {where!r}:{near}"


def _shown(value: object) -> str:
    """Return the beginning of a value as text; a number may be too long to convert."""
    try:
        return f"{value!r:.80}"
    except ValueError:
        return "a number of thousands of digits"


def _place(path: Iterable[Any], names: Collection[str]) -> str:
    """Return the path of a setting, reduced to list indices and known `names`."""
    known = [part for part in path if isinstance(part, int) or part in names or not names]
    return ".".join(map(str, known))
