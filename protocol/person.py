"""What a person is asked for, in a terminal or a browser, and how its words are read."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from protocol.answer import AnswerError, fields_of, match_choice, read_answer
from protocol.text import clean
from protocol.turn import Turn

# How many digits the number of a choice may have.
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Blank:
    """One thing that a person is asked for: a choice among `choices`, or words if that is None.

    `words` is how many characters these may have, None if any number, or if it is a choice.
    """

    name: str
    about: str
    choices: tuple[str, ...] | None
    words: int | None


def blanks_of(turn: Turn[Any]) -> Iterator[Blank]:
    """Yield what a person fills in to answer `turn`: its choices, and the words it must have."""
    answer: type[BaseModel] = turn.answer
    schemas = fields_of(answer)
    for name, form in answer.model_fields.items():
        about = form.description or name
        if name in turn.choices:
            yield Blank(name, about, turn.choices[name], None)
        elif form.is_required():
            longest = schemas[name].get("maxLength")
            yield Blank(name, about, None, longest)


def option_meant(line: str, legal: Sequence[str], name: str) -> str:
    """Return the one of `legal` that a person means by a number or by words, else AnswerError."""
    if line.isdecimal() and len(line) <= DIGITS:
        place = int(line) - 1
        if 0 <= place < len(legal):
            return legal[place]
    return match_choice(line, legal, name)


def fill_in(turn: Turn[Any], values: Mapping[str, str]) -> dict[str, str]:
    """Return the answer that a person's `values` by name mean; ValueError says what cannot be.

    A choice is named by its words, or else by its number. After the choice of silence no words are
    needed.
    """
    blanks = [*blanks_of(turn)]
    _refuse_unknown(values, blanks)
    said: dict[str, str] = {}
    for blank in blanks:
        value = values.get(blank.name)
        if blank.choices is not None:
            said[blank.name] = _chosen(blank, value)
        elif turn.silence in said.values():
            said[blank.name] = ""
        else:
            said[blank.name] = _words(blank, value)
    read_answer(json.dumps(said), turn.answer, turn.choices)
    return said


def _refuse_unknown(values: Iterable[str], blanks: Iterable[Blank]) -> None:
    names = [blank.name for blank in blanks]
    unknown = sorted({*values} - {*names})
    if unknown:
        listed = ", ".join(names)
        raise AnswerError(f"expected the fields {listed}: got {unknown[0]!r:.80}")


def _chosen(blank: Blank, value: str | None) -> str:
    legal = blank.choices or ()
    if value is None or value in legal:
        return match_choice(value, legal, blank.name)
    return option_meant(value.strip(), legal, blank.name)


def _words(blank: Blank, value: str | None) -> str:
    if value is None:
        raise AnswerError(f"expected {blank.name}: {blank.about}")
    length = len(str(clean(value)))
    if blank.words is not None and length > blank.words:
        raise AnswerError(
            f"expected {blank.name} to have at most {blank.words} characters: got {length}"
        )
    return value
