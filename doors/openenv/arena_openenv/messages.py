"""The messages between an agent and its seat."""

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SeatAction(Action):
    """An answer to the open question."""

    # Any type: an invalid answer is returned with the reason, not raised as an environment error.
    values: Any = Field(
        default=None,
        description="a value for each of the question's fields: a choice, its number, or words",
    )


class SeatObservation(Observation):
    """The seat's next question, and the events since its last answer.

    At the end of a game, `question` is empty, `done` is true and `reward` is the seat's result.
    """

    question: str = Field(default="", description="the question's text")
    fields: list[dict[str, Any]] = Field(
        default_factory=list,
        description="name, label, about, choices (null: words are wanted), words (at most)",
    )
    events: list[str] = Field(default_factory=list, description="what the seat saw happen")
    refused: str = Field(default="", description="why the last answer was none; ask the same again")


class SeatState(State):
    """The current game, and where to find its log."""

    game: str = Field(default="", description="conversation, dilemma ...")
    name: str = Field(default="", description="the game's name in the arena's logs")
