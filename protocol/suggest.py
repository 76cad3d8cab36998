"""What to say when a word is not one of those that are known here: what was wrong, what is right, the nearest."""

from collections.abc import Iterable
from difflib import get_close_matches

from pydantic import ValidationError

SECRETS = ("api_key", "client_kwargs")


def one_of(value: str, known: Iterable[str], what: str) -> str:
    """Return `value` if it is `known`, else raise ValueError with the nearest right word and all of them."""
    names = list(known)
    if value in names:
        return value
    known_are = f"known are {', '.join(names)}" if names else "there is none"
    raise ValueError(f"unknown {what} {value!r}:{did_you_mean(value, names)} {known_are}")


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """Return " did you mean X?" for the known word nearest to `value`, nothing if none is near."""
    close = get_close_matches(value, list(known), n=1, cutoff=0.5)
    return f" did you mean {close[0]!r}?" if close else ""


def explain(error: ValidationError, fields: Iterable[str]) -> str:
    """Return one sentence for the first thing that `error` found wrong; `fields` are the names that are right.

    What came instead is told unless it is, or may hold, a key.
    """
    wrong = error.errors()[0]
    names = {*fields, wrong["loc"][-1]} if wrong["type"] == "extra_forbidden" else {*fields}
    where = ".".join(
        str(part) for part in wrong["loc"] if isinstance(part, int) or part in names or not names
    )
    if wrong["type"] == "extra_forbidden":
        name = str(wrong["loc"][-1])
        return f"unknown setting {where!r}:{did_you_mean(name, fields) or ' it is in no game or player config'}"
    message = wrong["msg"].removeprefix("Value error, ")
    if wrong["type"] == "value_error":
        return message if not where or where in message else f"{where}: {message}"
    sentence = f"{where}: {message[:1].lower() + message[1:]}"
    if isinstance(wrong["input"], dict | list) or where.endswith(SECRETS):
        return sentence
    return f"{sentence}: got {wrong['input']!r:.80}"
