"""Structured answers: JSON Schemas for questions, and the parsing of replies.

A model's text is untrusted. It is parsed here, once, into a Pydantic object with legal choices and
cleaned free text; nothing else from it reaches the game.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, create_model

from protocol.text import LETTERS, clean, compose, cut_at_word, split_thoughts

A = TypeVar("A", bound=BaseModel)
# A mapping as parsed from JSON or YAML.
Plain = dict[str, Any]
Choices = Mapping[str, tuple[str, ...]]

LONGEST = 50_000
UNBOUNDED = 200
DIGITS = 20  # room for a whole number
# How many characters may be searched in vain before an answer is unreadable. A brace that begins no
# object counts as at least SHALLOW characters, or as DEEP if the nesting is too deep.
MOST_WASTED = 2 * LONGEST
DEEP = 5_000
SHALLOW = 25
OBJECT = re.compile(r'\{[ \t\n\r]*["}]')
TITLES = ("title", "default")
NOT_IN_NAMES = re.compile(r"[\[\]\"'`*<>.]")
# A model's remark on its choice begins like this; a letter, a number or "&" may belong to a name.
REMARK = re.compile(r"\s*[(:;,=]|\s+[-\u2013\u2014]\s")
NO_WORD = re.compile(r"[\W_]+")


class AnswerError(ValueError):
    """An unusable answer; the message names the expected form and the reply."""


class UnreadableAnswer(AnswerError):  # noqa: N818 - named after what is wrong
    """No JSON object of the expected form could be read."""


class IllegalAnswer(AnswerError):  # noqa: N818 - as above
    """A chosen value is not among the legal ones."""


@dataclass(frozen=True)
class Why:
    """Marks a field for a player's reason or plan; `give_room` sets the field's maximum length."""

    noun: str = "reason"


class Exact(BaseModel):
    """A form whose choices must match exactly: "Bb5" and "bb5" are different moves."""


Reason = Annotated[
    str,
    BeforeValidator(partial(clean, limit=60)),
    Field(max_length=60, description="your reason, in a few words"),
    Why(),
]
Plan = Annotated[
    str,
    BeforeValidator(partial(clean, limit=60)),
    Field(max_length=60, description="your plan, in a few words"),
    Why("plan"),
]


class Planned(BaseModel):
    """A plan, which a player writes before its public words; it is visible only in the log."""

    plan: Plan = ""


def with_plan(form: type[A]) -> type[A]:
    """Return `form` with a field for a plan before its own fields."""
    return cast("type[A]", create_model(form.__name__, __base__=(form, Planned)))


def plan_in(answer: BaseModel) -> str:
    """Return the plan in an answer, or "" if its form has none."""
    return str(getattr(answer, "plan", ""))


@lru_cache(maxsize=256)
def give_room(answer: type[A], reasons: int) -> type[A]:
    """Return form `answer` with reasons and plans cut at a word to at most `reasons` characters."""

    def cut(text: object) -> object:
        cleaned = clean(text)
        return cut_at_word(cleaned, reasons) if isinstance(cleaned, str) else cleaned

    words = int(reasons / LETTERS)
    fields: Plain = {}
    for name, field in answer.model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Why):
                about = f"your {mark.noun}, {words} words at most; no other player reads it"
                field_info = Field(max_length=reasons, description=about)
                form = Annotated[str, BeforeValidator(cut), field_info]
                fields[name] = (form, ... if field.is_required() else field.default)
    if not fields:
        return answer
    return create_model(answer.__name__, __base__=answer, **fields)


def schema_of(answer: type[BaseModel], choices: Choices) -> Plain:
    """Return the strict JSON Schema of `answer`: all fields are required, and choices are enums."""
    properties: Plain = {}
    for name, field in fields_of(answer).items():
        if name in choices:
            kept = {key: field[key] for key in field if key == "description"}
            properties[name] = {**kept, "type": "string", "enum": [*choices[name]]}
        else:
            properties[name] = {key: field[key] for key in field if key not in TITLES}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@lru_cache(maxsize=256)
def fields_of(answer: type[BaseModel]) -> Mapping[str, Any]:
    """Return a form's fields as JSON Schemas. The result is cached, because pydantic is slow."""
    fields: Plain = answer.model_json_schema()["properties"]
    return fields


def answer_room(schema: Mapping[str, Any]) -> int:
    """Return the maximum tokens of an answer: one per character, plus those of the JSON syntax."""
    lengths = [_longest_value(field) for field in schema["properties"].values()]
    return int(sum(lengths)) + 20 * len(lengths) + 60


def _longest_value(field: Mapping[str, Any]) -> int:
    if "maxLength" in field:
        return int(field["maxLength"])
    if field.get("type") == "integer":
        return DIGITS
    return max((len(str(option)) for option in field.get("enum", ())), default=UNBOUNDED)


def read_answer(text: str, answer: type[A], choices: Choices) -> A:
    """Return the last JSON object in `text` as a legal `answer`; raise AnswerError if unusable."""
    parsed = _object_in(text, answer.model_fields)
    for name, legal in choices.items():
        if name in parsed:
            parsed[name] = match_choice(parsed[name], legal, name, exact=issubclass(answer, Exact))
    try:
        return answer.model_validate(parsed)
    except ValidationError as error:
        wrong = error.errors()[0]
        where = ".".join(map(str, wrong["loc"])) or "an object"
        raise UnreadableAnswer(
            f"expected {where}: {words_of_fault(wrong)}: got {wrong['input']!r:.80}"
        ) from None


def _object_in(text: str, fields: Iterable[str]) -> Plain:
    reply, _ = split_thoughts(text)
    if len(reply) > LONGEST:
        raise UnreadableAnswer(
            f"expected one JSON object of at most {LONGEST} characters: got {len(reply)}"
        )
    parsed = last_object(reply)
    if parsed is None:
        raise UnreadableAnswer(
            f"expected one JSON object with the fields {', '.join(fields)}: got {text[:80]!r}"
        )
    return parsed


def words_of_fault(fault: Mapping[str, Any]) -> str:
    """Return the message of a pydantic fault, without the prefix "Value error, "."""
    return str(fault["msg"]).removeprefix("Value error, ")


def last_object(text: str) -> Plain | None:
    """Return the last whole JSON object in `text`.

    Returns None if there is none, or if too many opening braces do not start an object.
    """
    decoder = json.JSONDecoder()
    parsed: Plain | None = None
    wasted = 0
    opened = OBJECT.search(text)
    while opened is not None:
        start = opened.start()
        try:
            parsed, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            wasted += max(getattr(error, "pos", start + DEEP) - start, SHALLOW)
            if wasted > MOST_WASTED:
                return None
            end = start + 1
        opened = OBJECT.search(text, end)
    return parsed


def match_choice(
    value: object,
    legal: Iterable[str],
    name: str,
    *,
    exact: bool = False,
) -> str:
    """Return the option in `legal` that `value` means; raise IllegalAnswer unless exactly one fits.

    Case, brackets, quotes, spaces and the form of accented letters may differ, unless two options
    would then be the same. A remark may follow, as in "moss (importance 0.9)", if it names no other
    option. `exact` ignores only surrounding spaces.
    """
    options = tuple(legal)
    if value in options:
        return str(value)
    if exact and str(value).strip() in options:
        return str(value).strip()
    if isinstance(value, str) and not exact:
        meant = _options_meant(value, options)
        if len(meant) == 1:
            return meant[0]
    listed = json.dumps(options, ensure_ascii=False)
    raise IllegalAnswer(f"expected {name} to be one of {listed}: got {value!r:.80}")


def _options_meant(value: str, options: Iterable[str]) -> list[str]:
    """Return the longest options (usually one) that `value` names, alone or before a remark."""
    words = _bare(value)
    begins = [(option, _bare(option)) for option in options if _starts(words, _bare(option))]
    longest = max((len(bare) for _, bare in begins), default=0)
    remark = words[longest:]
    if remark and (not REMARK.match(remark) or _names_one_of(remark, options)):
        return []
    return [option for option, bare in begins if len(bare) == longest]


def _starts(words: str, bare: str) -> bool:
    """Return whether `words` equal `bare`, or begin with it and then a new word."""
    if not bare:
        return not words
    return words.startswith(bare) and not words[len(bare) :][:1].isalnum()


def _names_one_of(remark: str, options: Iterable[str]) -> bool:
    """Return whether an option occurs in `remark` as whole words."""
    padded = f" {NO_WORD.sub(' ', remark)} "
    named = [NO_WORD.sub(" ", _bare(option)).strip() for option in options]
    return any(f" {name} " in padded for name in named if name)


def _bare(text: str) -> str:
    """Return a choice reduced to its bare words: "[player B]" becomes "b"."""
    words = compose(NOT_IN_NAMES.sub(" ", text).casefold()).split()
    if len(words) > 1 and words[0] == "player":
        del words[0]
    return " ".join(words)
