"""What to say when a word is not one of those that are known here: what was wrong, what is right, the nearest."""

from collections.abc import Iterable
from difflib import get_close_matches

from pydantic import ValidationError


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """Return `value` if it is `known`, else raise ValueError with the nearest right word and all of them."""
    names = list(known)
    if value in names:
        return value
    raise ValueError(f"unknown {what} {value!r}:{did_you_mean(value, names)} known are {', '.join(names)}")


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """Return " did you mean X?" for the known word nearest to `value`, nothing if none is near."""
    close = get_close_matches(value, list(known), n=1, cutoff=0.5)
    return f" did you mean {close[0]!r}?" if close else ""


def explain(error: ValidationError, fields: Iterable[str]) -> str:
    """Return one sentence for the first thing that `error` found wrong; `fields` are the names that are right."""
    wrong = error.errors()[0]
    where = ".".join(str(part) for part in wrong["loc"])
    if wrong["type"] == "extra_forbidden":
        name = str(wrong["loc"][-1])
        return f"unknown setting {where!r}:{did_you_mean(name, fields) or ' it is in no game or player config'}"
    message = wrong["msg"].removeprefix("Value error, ")
    if wrong["type"] == "value_error":
        return message if not where or where in message else f"{where}: {message}"
    return f"{where}: {message[:1].lower() + message[1:]}: got {wrong['input']!r:.80}"
