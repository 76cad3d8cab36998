"""A talk's settings as users write them, and checks of these settings."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
)

from engine.games.talks.archetypes import DEPTHS, Gender, PersonalityArchetype, first_of_cast
from engine.games.talks.constants import COUNTS, DEPTH_THRESHOLD, constants_with, level
from engine.games.talks.termination import MIN_CONVERGENCE, MIN_NOVELTY, Circles, Closing, Mode
from protocol.suggest import one_of
from protocol.text import cut_at_word, one_line

LONGEST_NAME = 40
LONGEST_ASPECT = 60
UNSAFE = re.compile(r"[^a-z0-9]+")
UNSPEAKABLE = re.compile(r"[\[\](){}<>:\"'`\s]+")


def safe_id(name: str) -> str:
    """Return `name` in lowercase letters, digits and underscores; "participant" if nothing is left.

    >>> safe_id("Dr. Elena Rodríguez")
    'dr_elena_rodriguez'
    """
    decomposed = unicodedata.normalize("NFKD", name)
    plain = decomposed.encode("ascii", "ignore").decode().casefold()

    joined = UNSAFE.sub("_", plain).strip("_")
    return joined[:LONGEST_NAME].rstrip("_") or "participant"


def seat_name(name: str) -> str:
    """Return `name` as a player's id: one line, at most 40 characters, no brackets or quotes.

    >>> seat_name('Prof. "Jim" Chen')
    'Prof. Jim Chen'
    """
    speakable = UNSPEAKABLE.sub(" ", name).strip()
    return speakable[:LONGEST_NAME].strip()


def distinct(ids: Sequence[str]) -> tuple[str, ...]:
    """Return `ids` with _2, _3, ... appended to repeated ids.

    >>> distinct(["dr_chen", "dr_chen"])
    ('dr_chen', 'dr_chen_2')
    """
    seats: list[str] = []
    for name in ids:
        free = name
        number = 1
        while free in seats:
            number += 1
            free = f"{name}_{number}"
        seats.append(free)
    return tuple(seats)


Share = Annotated[float, Field(ge=0, le=1)]
LONGEST = 500


class Participant(BaseModel):
    """One participant, as a config describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    gender: Gender
    personality: PersonalityArchetype
    expertise: str = ""
    core_beliefs: tuple[str, ...] = ()

    @field_validator("gender", "personality", mode="before")
    @classmethod
    def _read_choice(cls, value: object, field: ValidationInfo) -> str:
        choices = Gender if field.field_name == "gender" else PersonalityArchetype
        word = str(value).casefold().replace("-", "_")
        return one_of(word, [*map(str, choices)], str(field.field_name))

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if not seat_name(value):
            raise ValueError(f"expected a participant's name: got {value!r:.80}")
        return one_line(value)

    @property
    def seat(self) -> str:
        """The player id made from the name."""
        return seat_name(self.name)


class Termination(BaseModel):
    """The settings for ending a talk before its cap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_novelty: Share = MIN_NOVELTY
    min_convergence: Share = MIN_CONVERGENCE
    depth_threshold: Share = DEPTH_THRESHOLD
    mode: Mode = "flowchart"
    circles: Circles = "twice"
    conclude: Closing = "when_due"


def read_topic(topic: str) -> str:
    """Return a topic as one line; raise ValueError unless it has 1 to 500 characters."""
    asked = one_line(topic)
    if not 1 <= len(asked) <= LONGEST:
        raise ValueError(f"expected a topic of 1 to {LONGEST} characters: got {len(asked)}")
    return asked


def read_depth(value: object) -> object:
    """Return the number of a depth given by number or name, such as 5 or philosophy."""
    if not isinstance(value, str):
        return value

    word = value.strip()
    if word.lstrip("-").isdecimal():
        return value
    names = {depth.name.casefold(): number for number, depth in DEPTHS.items()}
    return names[one_of(word.casefold(), names, "depth")]


def read_participants(value: object) -> object:
    """Return the participants, given as a list or as a number to take from the default cast."""
    if isinstance(value, int) and not isinstance(value, bool):
        return tuple(Participant(**role._asdict()) for role in first_of_cast(value))
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"expected the number of participants, or a list that describes each: got {value!r:.60}"
        )
    return tuple(value)


def check_participants(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """Return the participants; raise ValueError if two have the same name."""
    names = [person.seat.casefold() for person in participants]
    for participant, name in zip(participants, names, strict=True):
        if names.count(name) > 1:
            long = len(participant.name) > LONGEST_NAME
            where = f" in their first {LONGEST_NAME} characters" if long else ""
            raise ValueError(
                f"expected participants with different names{where}: got {participant.name!r} twice"
            )
    return participants


def read_constants(value: object) -> object:
    """Return changes to constants; raise ValueError for an unknown name or an invalid value."""
    if isinstance(value, Mapping):
        constants_with(value)
    return value


def keep_whole(changes: dict[str, int | float]) -> dict[str, int | float]:
    """Return changes to constants as floats, except counts such as patience, which stay whole."""
    return {name: value if name in COUNTS else float(value) for name, value in changes.items()}


Topic = Annotated[str, AfterValidator(read_topic)]
DepthLevel = Annotated[int, BeforeValidator(read_depth), AfterValidator(level)]
Participants = Annotated[
    tuple[Participant, ...],
    BeforeValidator(read_participants, json_schema_input_type=int | list[Any]),
    AfterValidator(check_participants),
]
Overrides = Annotated[
    dict[str, int | float], BeforeValidator(read_constants), AfterValidator(keep_whole)
]


def short_text(limit: int, text: Any) -> object:
    """Return a model's short text on one line, cut after a word to at most `limit` characters."""
    return cut_at_word(one_line(text), limit) if isinstance(text, str) else text


def read_position(text: Any) -> object:
    """Return a participant's stated position on one line, or "" if it is a single word."""
    position = short_text(200, text)
    return "" if isinstance(position, str) and " " not in position else position


Position = Annotated[str, BeforeValidator(read_position), Field(max_length=200)]
Aspect = Annotated[
    str, BeforeValidator(partial(short_text, LONGEST_ASPECT)), Field(max_length=LONGEST_ASPECT)
]
