"""The questionnaire after a game: its questions, as a config lists them, and their fields."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, field_validator

from protocol.suggest import one_of
from protocol.text import one_line

AnswerKind = Literal["player", "round", "models", "text"]
KINDS: tuple[str, ...] = get_args(AnswerKind)
LONGEST_ASK = 300
MOST_QUESTIONS = 12
NAME = re.compile("[A-Za-z][A-Za-z0-9_]{0,29}")
NO_LETTER = re.compile("[^A-Za-z0-9]+")
# Names that every form already has, so that no field can use them.
TAKEN = frozenset(dir(BaseModel))
AN_EXAMPLE = '{name: trust, ask: "Whom did you trust?", answer: player}'


class DebriefQuestion(BaseModel):
    """One question: its name in the log, its text, and its kind of answer.

    `answer` is "player" (another player's name), "round", "models" (the models that play the other
    seats) or "text".
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ask: str
    answer: AnswerKind

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not NAME.fullmatch(name) or name in TAKEN:
            raise ValueError(
                "expected a question's name to be a letter and up to 29 letters, digits or _, "
                f"and no word that every answer has already: got {name!r:.80}"
            )
        return name

    @field_validator("ask")
    @classmethod
    def _check_ask(cls, ask: str) -> str:
        line = one_line(ask)
        if not 1 <= len(line) <= LONGEST_ASK:
            raise ValueError(
                f"expected ask to be a question of 1 to {LONGEST_ASK} characters: got {ask!r:.80}"
            )
        return line

    @field_validator("answer", mode="before")
    @classmethod
    def _check_answer(cls, answer: object) -> str:
        return one_of(str(answer), KINDS, "kind of answer")


STANDARD = (
    DebriefQuestion(name="trust", ask="Whom did you trust most?", answer="player"),
    DebriefQuestion(
        name="decided",
        ask="In which round did you make up your mind about who should win?",
        answer="round",
    ),
    DebriefQuestion(name="who", ask="Which seat is which model?", answer="models"),
)


def read_questions(value: Any) -> Any:
    """Return STANDARD for true, () for false, or a config's list; raise ValueError otherwise."""
    if value is True:
        return STANDARD
    if value is False or value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"expected true, or a list of questions such as [{AN_EXAMPLE}]: got {value!r:.80}"
        )
    return tuple(value)


def refuse_doubles(questions: Sequence[DebriefQuestion]) -> Sequence[DebriefQuestion]:
    """Return the questions; raise ValueError if two share a name or there are too many."""
    names = [question.name for question in questions]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(
                f"expected questions of different names: got {name!r} {names.count(name)} times"
            )
    if len(names) > MOST_QUESTIONS:
        raise ValueError(f"expected at most {MOST_QUESTIONS} questions: got {len(names)}")
    return questions


class Entry(NamedTuple):
    """A field of an answer: its question, its choices, and the player (if any) it is `about`."""

    question: DebriefQuestion
    about: str | None
    choices: tuple[str, ...]


def entries_of(
    questions: Sequence[DebriefQuestion],
    others: Sequence[str],
    choices: Mapping[str, tuple[str, ...]],
) -> dict[str, Entry]:
    """Return an answer's fields by name; a question about models has one field per other player."""
    names = {question.name for question in questions}
    entries: dict[str, Entry] = {}
    for question in questions:
        legal = choices.get(question.name, ())
        if question.answer != "models":
            entries[question.name] = Entry(question, None, legal)
            continue
        for player_id in others:
            name = field_for(question.name, player_id, names)
            names.add(name)
            entries[name] = Entry(question, player_id, legal)
    return entries


def field_for(question: str, player_id: str, names: Iterable[str]) -> str:
    """Return a unique name for a field, in characters that every provider accepts.

    >>> field_for("who", "Ada Lovelace", {"who"}), field_for("who", "\u5929", {"who", "who_1"})
    ('who_Ada_Lovelace', 'who_2')
    """
    known = {*names} | TAKEN
    letters = NO_LETTER.sub("_", player_id).strip("_")
    plain = f"{question}_{letters}"
    if letters and plain not in known:
        return plain
    numbered = (f"{question}_{number}" for number in count(1))
    return next(name for name in numbered if name not in known)


def count_right(guesses: Mapping[str, str | None], models: Mapping[str, str]) -> int:
    """Return the number of players whose model was guessed correctly.

    >>> count_right({"Ben": "x:1", "Cleo": None}, {"Ada": "x:2", "Ben": "x:1", "Cleo": "x:1"})
    1
    """
    return sum(guess == models[name] for name, guess in guesses.items())
