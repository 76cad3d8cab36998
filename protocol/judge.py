"""Judge a player's reply: the answer that counts, or its fault."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb
from typing import Any, TypeVar

from pydantic import BaseModel

from protocol.answer import LONGEST, AnswerError, read_answer
from protocol.text import clean, split_thoughts
from protocol.turn import Attempt, Turn
from providers import Completion, Message

A = TypeVar("A", bound=BaseModel)
SAID_AGAIN = 2000
LONGEST_MODEL = 100
LONGEST_FAULT = 300
LIBRARIES = "site-packages"
CUT = " (the answer was cut at its length limit: be shorter)"


def judge(
    turn: Turn[A],
    completion: Completion,
    seconds: float,
    model: str = "",
) -> tuple[A | None, Attempt]:
    """Return the answer in a completion (None if it is unusable), and the attempt to record.

    `model` is the requested model, or "" if no other model can have answered.
    """
    text = completion.text.encode("utf-8", "replace").decode()
    reply, thoughts = split_thoughts(text)
    served = str(clean(completion.raw.get("model") or "", LONGEST_MODEL))
    attempt = Attempt(
        text,
        reasoning=_joined(completion.reasoning, thoughts),
        usage=completion.usage,
        seconds=seconds,
        finish=completion.finish,
        served="" if model in ("", served) else served,
        form=completion.form,
    )
    try:
        if completion.finish == "refusal":
            raise AnswerError("expected an answer: got a refusal")
        return read_answer(reply, turn.answer, turn.listed), attempt
    except AnswerError as error:
        cut = CUT if completion.finish == "length" else ""
        return None, replace(attempt, fault=str(clean(f"{error}{cut}")))


def _joined(reasoning: str, thoughts: str) -> str:
    shown, thought = str(clean(reasoning)), str(clean(thoughts))
    # The reasoning in a log already ends with the thoughts.
    return shown if shown.endswith(thought) else f"{shown}\n{thought}".strip()


def ignores_schema(completion: Completion, schema: Mapping[str, Any]) -> bool:
    """Return whether an answer shows that its endpoint did not enforce `schema`.

    A refusal shows nothing, and only the beginning of a truncated answer counts.
    """
    reply = split_thoughts(completion.text)[0].strip()
    if completion.finish == "length":
        return bool(reply) and not reply.startswith("{")
    if completion.finish != "stop":
        return False
    if len(reply) > LONGEST:
        return True
    try:
        return not _fits(json.loads(reply), schema["properties"])
    except (ValueError, RecursionError):
        return True


def _fits(found: object, fields: Mapping[str, Any]) -> bool:
    """Return whether an object has exactly these fields, with legal values of the right types."""
    if not isinstance(found, dict) or found.keys() != fields.keys():
        return False
    for name, field in fields.items():
        value = found[name]
        is_text = field.get("type") == "string"
        if (is_text and not isinstance(value, str)) or value not in field.get("enum", [value]):
            return False
    return True


def ask_again(attempt: Attempt, board: str = "") -> tuple[Message, Message]:
    """Return two messages about an unusable attempt: its text, then its fault and `board`."""
    reply = str(clean(attempt.text[:SAID_AGAIN])) or "(nothing)"
    # A fault quotes the answer, and no question may contain a tag that marks roles for a model.
    fault = str(attempt.fault).replace("<", "\\u003c")
    shown = board.replace("<", "\\u003c")
    again = "Answer the same question again, with one JSON object."
    why = f"That answer cannot be used: {fault}."
    again = f"{why}\n\n{shown}\n\n{again}" if shown else f"{why} {again}"
    return Message("assistant", (reply,)), Message("user", (again,))


def legal_answer(answer: object, turn: Turn[A]) -> A:
    """Return `answer`; raise TypeError for a wrong form, and ValueError for an illegal choice."""
    if not isinstance(answer, turn.answer):
        raise TypeError(f"expected a {turn.answer.__name__}: got {answer!r:.80}")
    for name, legal in turn.choices.items():
        chosen = getattr(answer, name)
        if chosen not in legal:
            options = ", ".join(legal)
            raise ValueError(f"expected {name} to be one of {options}: got {chosen!r:.80}")
    return answer


def describe_error(error: Exception) -> str:
    """Return a script's error on one line."""
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return str(clean(line, LONGEST_FAULT))


def bug_in_words(error: Exception) -> str:
    """Return a script's error and its location, with a relative path."""
    frames = extract_tb(error.__traceback__)
    # A library may have raised the error, but the script made the call.
    place = next(
        (frame for frame in reversed(frames) if LIBRARIES not in frame.filename), frames[-1]
    )
    path, here = Path(place.filename), Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return f"raised {describe_error(error)} in {shown}, line {place.lineno}; fix the script"
