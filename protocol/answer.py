"""Structured answers: the JSON Schema of a question, and the reading of whatever came back.

A model's text is data from a stranger. It is read here, once, into a pydantic model whose chosen
fields hold only legal values and whose free text is cleaned; nothing else of it reaches the game.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from protocol.text import clean, split_thoughts

A = TypeVar("A", bound=BaseModel)
Choices = Mapping[str, tuple[str, ...]]

LONGEST = 50_000


class AnswerError(ValueError):
    """An answer that cannot be used; the message says what was expected and what came.

    AnswerError
    ├── UnreadableAnswer   no JSON object of the expected form
    └── IllegalAnswer      a value that is not among the legal ones now
    """


class UnreadableAnswer(AnswerError):  # noqa: N818 - named by the kind of wrongness, as its base says
    """No JSON object of the expected form could be read."""


class IllegalAnswer(AnswerError):  # noqa: N818 - as above
    """A chosen value is not among the legal ones."""


Reason = Annotated[
    str,
    BeforeValidator(partial(clean, limit=60)),
    Field(max_length=60, description="your reason, in a few words"),
]
Sentence = Annotated[str, BeforeValidator(partial(clean, limit=160)), Field(max_length=160)]


def schema_of(answer: type[BaseModel], choices: Choices) -> dict[str, Any]:
    """Return the strict JSON Schema of `answer`: every field required, and each chosen field an enum of `choices`."""
    properties: dict[str, Any] = {}
    for name, field in fields_of(answer).items():
        kept = {key: value for key, value in field.items() if key not in {"title", "default"}}
        if name in choices:
            kept = {k: v for k, v in kept.items() if k == "description"} | {
                "type": "string",
                "enum": [*choices[name]],
            }
        properties[name] = kept
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@lru_cache(maxsize=256)
def fields_of(answer: type[BaseModel]) -> Mapping[str, Any]:
    """Return the fields of a form as JSON Schemas: pydantic takes longer to find them than all else of a question."""
    fields: dict[str, Any] = answer.model_json_schema()["properties"]
    return fields


def answer_room(schema: Mapping[str, Any]) -> int:
    """Return how many tokens an answer of `schema` needs at most: a token a character, and the JSON around it."""
    fields = schema["properties"].values()
    longest = [
        f.get("maxLength", max((len(str(value)) for value in f.get("enum", ())), default=200))
        for f in fields
    ]
    return int(sum(longest)) + 20 * len(longest) + 60


def read_answer(text: str, answer: type[A], choices: Choices) -> A:
    """Return the last JSON object of `text` as an `answer` with legal choices, or raise an AnswerError."""
    said, _ = split_thoughts(text)
    if len(said) > LONGEST:
        raise UnreadableAnswer(
            f"expected one JSON object of at most {LONGEST} characters: got {len(said)}"
        )
    found = last_object(said)
    if found is None:
        raise UnreadableAnswer(
            f"expected one JSON object with the fields {_fields(answer)}: got {text[:80]!r}"
        )
    for name, legal in choices.items():
        if name in found:
            found[name] = match_choice(found[name], legal, name)
    try:
        return answer.model_validate(found)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(str(part) for part in wrong["loc"])
        raise UnreadableAnswer(
            f"expected {where or 'an object'}: {wrong['msg']}: got {wrong['input']!r:.80}"
        ) from None


def last_object(text: str) -> dict[str, Any] | None:
    """Return the last JSON object that stands whole in `text`, None if there is none."""
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    position = text.find("{")
    while position != -1:
        try:
            value, end = decoder.raw_decode(text, position)
            found = value
        except (ValueError, RecursionError):
            end = position + 1
        position = text.find("{", end)
    return found


def match_choice(value: object, legal: Iterable[str], name: str) -> str:
    """Return the one of `legal` that `value` means: itself, or itself but for case, brackets, quotes and spaces."""
    options = tuple(legal)
    if value in options:
        return str(value)
    meant = [
        option for option in options if isinstance(value, str) and _bare(option) == _bare(value)
    ]
    if len(meant) == 1:
        return meant[0]
    raise IllegalAnswer(
        f"expected {name} to be one of {json.dumps(options, ensure_ascii=False)}: got {value!r:.80}"
    )


def _bare(text: str) -> str:
    words = re.sub(r"[\[\]\"'`*<>.]", " ", text).casefold().split()
    return " ".join(words[1:] if words[:1] == ["player"] and len(words) > 1 else words)


def _fields(answer: type[BaseModel]) -> str:
    return ", ".join(answer.model_fields)
