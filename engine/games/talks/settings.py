"""The settings of a talk as people write them: participants, termination, constants; checked here, once."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from engine.games.talks.archetypes import DEPTHS, Gender, PersonalityArchetype
from engine.games.talks.cast import first
from engine.games.talks.constants import NAMES, overridden
from engine.games.talks.names import LONGEST as LONGEST_NAME
from engine.games.talks.names import seat_name
from engine.games.talks.termination import (
    DEPTH_THRESHOLD,
    MIN_CONVERGENCE,
    MIN_NOVELTY,
    Mode,
    level,
)
from protocol.suggest import one_of
from protocol.text import clean

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

    @field_validator("gender", mode="before")
    @classmethod
    def _read_gender(cls, value: object) -> str:
        return one_of(
            str(value).casefold().replace("-", "_"), [one.value for one in Gender], "gender"
        )

    @field_validator("personality", mode="before")
    @classmethod
    def _read_personality(cls, value: object) -> str:
        return one_of(
            str(value).casefold(), [one.value for one in PersonalityArchetype], "personality"
        )

    @field_validator("core_beliefs", mode="before")
    @classmethod
    def _read_beliefs(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("name")
    @classmethod
    def _check_name(cls, value: str) -> str:
        if not seat_name(value):
            raise ValueError(f"expected a participant's name: got {value!r:.80}")
        return on_one_line(value)

    @property
    def seat(self) -> str:
        """The name as it stands at the table."""
        return seat_name(self.name)


class Termination(BaseModel):
    """When a talk ends before its cap."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_novelty: Share = MIN_NOVELTY
    min_convergence: Share = MIN_CONVERGENCE
    depth_threshold: Share = DEPTH_THRESHOLD
    mode: Mode = "flowchart"


def on_one_line(text: str) -> str:
    """Return `text` without line ends and control characters."""
    return " ".join(str(clean(text)).split())


def read_topic(topic: str) -> str:
    """Return a topic on one line; ValueError if there is none, or if it is a whole page."""
    asked = on_one_line(topic)
    if not 1 <= len(asked) <= LONGEST:
        raise ValueError(f"expected a topic of 1 to {LONGEST} characters: got {len(asked)}")
    return asked


def read_depth(value: object) -> object:
    """Return a depth from its number or its name, such as 5 or philosophy."""
    names = {depth.name.casefold(): number for number, depth in DEPTHS.items()}
    if isinstance(value, str) and not value.strip().lstrip("-").isdecimal():
        return names[one_of(value.strip().casefold(), names, "depth")]
    return value


def read_participants(value: object) -> object:
    """Return participants from a list of them, or the first so many of the default cast."""
    if isinstance(value, int) and not isinstance(value, bool):
        return tuple(Participant(**role._asdict()) for role in first(value))
    if not isinstance(value, list | tuple):
        raise ValueError(
            f"expected how many participants, or a list that describes each: got {value!r:.60}"
        )
    return tuple(value)


def check_names(participants: tuple[Participant, ...]) -> tuple[Participant, ...]:
    """Return participants whose names differ; ValueError names one that is there twice."""
    names = [one.seat.casefold() for one in participants]
    if twice := [one.name for one in participants if names.count(one.seat.casefold()) > 1]:
        where = f" in their first {LONGEST_NAME} characters" if len(twice[0]) > LONGEST_NAME else ""
        raise ValueError(f"expected participants whose names differ{where}: got {twice[0]!r} twice")
    return participants


def read_constants(value: object) -> object:
    """Return constants that exist; ValueError names the nearest for one that does not."""
    if isinstance(value, Mapping):
        for name in value:
            one_of(str(name), NAMES, "constant")
        overridden(value)
    return value


Topic = Annotated[str, AfterValidator(read_topic)]
DepthLevel = Annotated[int, BeforeValidator(read_depth), AfterValidator(level)]
Participants = Annotated[
    tuple[Participant, ...], BeforeValidator(read_participants), AfterValidator(check_names)
]
Overrides = Annotated[dict[str, float], BeforeValidator(read_constants)]


def words_of(limit: int, text: Any) -> object:
    """Return a short text of a model on one line, cut to `limit` characters."""
    return on_one_line(text)[:limit] if isinstance(text, str) else text


Position = Annotated[str, BeforeValidator(partial(words_of, 200)), Field(max_length=200)]
Aspect = Annotated[str, BeforeValidator(partial(words_of, 60)), Field(max_length=60)]
