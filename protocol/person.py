"""A question to a person, in a terminal or a browser, and how the reply is read."""

import json
from asyncio import Future
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from protocol.answer import (
    AnswerError,
    Exact,
    fields_of,
    match_choice,
    read_answer,
    words_of_fault,
)
from protocol.text import clean
from protocol.turn import Turn
from providers import Completion

# How many digits the number of a choice may have.
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Blank:
    """One field for a person to fill in: one of `choices`, or words if `choices` is None.

    `label` is the title of the form's field. `words` is the maximum length in characters, or None
    if it is unlimited or the field is a choice. An `exact` choice must be written as listed.
    """

    name: str
    label: str
    about: str
    choices: tuple[str, ...] | None
    words: int | None
    exact: bool = False


def blanks_of(turn: Turn[Any]) -> Iterator[Blank]:
    """Yield the fields a person fills in to answer `turn`: choices and required words."""
    answer: type[BaseModel] = turn.answer
    schemas = fields_of(answer)
    exact = issubclass(answer, Exact)
    for name, form in answer.model_fields.items():
        label = schemas[name]["title"]
        about = form.description or label
        choices = turn.choices.get(name)
        if choices is not None:
            yield Blank(name, label, about, choices, None, exact)
        elif form.is_required():
            yield Blank(name, label, about, None, schemas[name].get("maxLength"))


def option_meant(line: str, blank: Blank) -> str:
    """Return the choice that a line means, by number or text; raise AnswerError if there is none.

    In an exact field, an option that is itself a number takes precedence over another's number.
    """
    legal = blank.choices or ()
    if blank.exact and line in legal:
        return line
    is_number = line.isdecimal() and len(line) <= DIGITS
    if is_number and 1 <= int(line) <= len(legal):
        return legal[int(line) - 1]
    return match_choice(line, legal, blank.name, exact=blank.exact)


def row_meant(line: str, blanks: Sequence[Blank]) -> dict[str, str]:
    """Return one-letter choices by field from a line such as "CDC" or "c d c", or else {}."""
    letters = "".join(line.split())
    options = [option for blank in blanks for option in blank.choices or ()]
    if len(blanks) < 2 or len(letters) != len(blanks) or max(map(len, options)) > 1:
        return {}
    row = {}
    for blank, letter in zip(blanks, letters, strict=True):
        try:
            row[blank.name] = option_meant(letter, blank)
        except AnswerError:
            return {}
    return row


def silence_in(turn: Turn[Any], said: Mapping[str, str], blank: Blank) -> str | None:
    """Return a field's value if silence was chosen, or None if the person must be asked for it."""
    if turn.silence is None or turn.silence not in said.values():
        return None
    if blank.choices is None:
        return ""
    return turn.silence if turn.silence in blank.choices else None


def clash_in(turn: Turn[Any], said: Mapping[str, str]) -> str:
    """Return what is wrong with a person's choices so far, or "" if nothing is."""
    try:
        turn.answer.model_validate(said)
    except ValidationError as error:
        for fault in error.errors():
            if fault["loc"][:1] and fault["loc"][0] in said:
                return words_of_fault(fault)
    return ""


def fill_in(turn: Turn[Any], values: Mapping[str, str]) -> dict[str, str]:
    """Return the answer's fields from a person's `values`; raise AnswerError if one is invalid."""
    blanks = [*blanks_of(turn)]
    names = [blank.name for blank in blanks]
    for name in sorted(values):
        if name not in names:
            raise AnswerError(f"expected the fields {', '.join(names)}: got {name!r:.80}")
    answers: dict[str, str] = {}
    for blank in blanks:
        said = silence_in(turn, answers, blank)
        if said is None:
            read = _words_in if blank.choices is None else _choice_in
            said = read(values.get(blank.name), blank)
        answers[blank.name] = said

    read_answer(json.dumps(answers), turn.answer, turn.choices)
    return answers


def _choice_in(value: str | None, blank: Blank) -> str:
    """Return the legal choice that a value names; words take precedence over a number."""
    legal = blank.choices or ()
    if value is None or value in legal:
        return match_choice(value, legal, blank.name, exact=blank.exact)
    return option_meant(value.strip(), blank)


def _words_in(value: str | None, blank: Blank) -> str:
    """Return a value's words unchanged; raise AnswerError if they are missing or too long."""
    if value is None:
        raise AnswerError(f"expected {blank.name}: {blank.about}")
    if blank.words is None:
        return value
    length = len(str(clean(value)))
    if length > blank.words:
        raise AnswerError(
            f"expected {blank.name} to have at most {blank.words} characters: got {length}"
        )
    return value


def resolve(done: Future[Completion], outcome: Completion | Exception) -> None:
    """Hand an answer or an error, from any thread, to the caller that awaits `done`, if any."""
    with suppress(RuntimeError):  # its loop is closed, so no caller is waiting
        done.get_loop().call_soon_threadsafe(_resolve, done, outcome)


def _resolve(done: Future[Completion], outcome: Completion | Exception) -> None:
    if done.done():
        return
    if isinstance(outcome, Completion):
        done.set_result(outcome)
    else:
        done.set_exception(outcome)
