"""The results of tools, as structured content; each field is described for agents."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from engine.history import History
from engine.record.files import read_json
from engine.server.frames import StreamFrame

Standing = Literal["playing", "finished", "stopped", "failed", "interrupted"]
# The kinds of events that announce standings.
STANDINGS = ("standing", "result")
Next = Annotated[str, Field(description="what to do now")]


class OfferedGame(BaseModel):
    """A game that you can begin."""

    name: str
    about: str
    settings: Annotated[
        dict[str, Any],
        Field(description="by name its default; if you named the game, its whole JSON Schema"),
    ]
    strategies: Annotated[
        dict[str, str], Field(description="its scripted players: STRATEGY and what it does")
    ]


class Offered(BaseModel):
    """All games, or the named game."""

    games: list[OfferedGame]
    seats: Annotated[dict[str, str], Field(description="the possible entries of begin's players")]
    next: Next


class Begun(BaseModel):
    """A game that has begun."""

    game: Annotated[str, Field(description="the name of this one game")]
    player: Annotated[str, Field(description="your own name at its table; empty: you do not play")]
    keys: Annotated[
        dict[str, str],
        Field(
            description="the key of each seat of a person or an agent, including yours: keep them"
        ),
    ]
    next: Next


class Happening(BaseModel):
    """One event that your seat saw."""

    index: Annotated[int, Field(description="its number among the events that your seat saw")]
    round: int
    kind: str
    by: Annotated[str, Field(description="the speaker; empty: the game itself")]
    text: str


class AskedField(BaseModel):
    """One field of an answer."""

    name: str
    about: str
    choices: Annotated[
        list[str] | None, Field(description="answer with one of these; null: in your own words")
    ]
    words: Annotated[
        int | None,
        Field(description="maximum length of your own words, in characters; null: unlimited"),
    ]
    notes: Annotated[dict[str, str], Field(description="what to know about a choice")]


class PutQuestion(BaseModel):
    """A question waiting for your answer."""

    number: Annotated[int, Field(description="answer it with this number")]
    kind: str
    question: str
    fields: list[AskedField]
    silence: Annotated[str | None, Field(description="a choice after which no words are needed")]
    left: Annotated[
        float | None, Field(description="seconds until a fallback replaces your answer")
    ]


class Ending(BaseModel):
    """How a game ended."""

    summary: str
    places: Annotated[dict[str, int], Field(description="by player, 1 is the best")]
    scores: dict[str, float]


class SeatNews(BaseModel):
    """A game as one seat sees it now."""

    game: str
    player: str
    status: Standing
    new: Annotated[list[Happening], Field(description="the events you saw since the last call")]
    question: PutQuestion | None
    end: Ending | None
    next: Next


class SeatTaken(SeatNews):
    """Your seat: the rules, and (in `new`) everything that has happened so far."""

    plays: Annotated[str, Field(description="which game this is")]
    players: list[str]
    rules: Annotated[str, Field(description="the rules, and who you are")]


class AnswerTaken(BaseModel):
    """An accepted answer."""

    answered: int
    next: Next


class TableView(BaseModel):
    """A game as your seat sees it, or its public view if you have no seat."""

    game: str
    player: str
    plays: str
    status: Standing
    round: int
    players: list[str]
    eliminated: list[str]
    standings: Annotated[str, Field(description="the last announced standings or result")]
    events: list[Happening]
    more: Annotated[
        bool, Field(description="there are later events: call again with the index of the last one")
    ]
    end: Ending | None


def happenings_in(frames: Sequence[StreamFrame]) -> list[Happening]:
    """Return the events in `frames`."""
    happenings = []
    for frame in frames:
        event = read_json(frame.data)
        words = {"by": event["player_id"] or "", "text": event["content"]}
        happenings.append(Happening.model_validate(event | words))
    return happenings


def standing_of(history: History, status: Mapping[str, Any] | None) -> Standing:
    """Return a game's status.

    `status` is the game's status in the hall, or None if the hall is not playing the game.
    """
    if history.status != "running":
        return history.status
    return "interrupted" if status is None or status["status"] == "interrupted" else "playing"


def ending_of(history: History) -> Ending | None:
    """Return how a game ended, or None if it has not finished."""
    outcome = history.outcome
    if history.status != "finished" or outcome is None:
        return None
    return Ending(summary=outcome.summary, places=outcome.placements, scores=outcome.scores)


def last_standings(seen: History) -> str:
    """Return the text of the last event with standings, or "" if there is none."""
    return next((event.content for event in reversed(seen.events) if event.kind in STANDINGS), "")
