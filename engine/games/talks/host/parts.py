"""A talk's host: the four parts that it speaks, each in one call, and its words so far."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engine.games.talks.settings import Participant

Part = Literal["introduction", "interjection", "synthesis", "coda"]
Why = Literal["circles", "off_topic", "unanswered"]
CAUSES: Mapping[Why, str] = MappingProxyType(
    {
        "circles": "going in circles",
        "off_topic": "off the topic",
        "unanswered": "a question left open",
    }
)


@dataclass(frozen=True, slots=True)
class Loss:
    """Why a talk lost its thread, and the turn in which it was lost."""

    why: Why
    about: int


@dataclass(frozen=True, slots=True)
class HostTurn:
    """A host's words at one point in a talk, "" for silence; `loss` is why the host interjected."""

    part: Part
    turn: int
    text: str
    loss: Loss | None = None


@dataclass(frozen=True, slots=True)
class Hosting:
    """A talk's host: its player, its character, the talk's seats, and its words so far."""

    player_id: str
    who: Participant
    seats: tuple[str, ...]
    said: tuple[HostTurn, ...] = ()

    @property
    def interjections(self) -> tuple[HostTurn, ...]:
        """The host's interjections, made when the thread was lost."""
        return tuple(turn for turn in self.said if turn.part == "interjection")

    def words_before(self, turn: int) -> str:
        """Return the interjection right before exchange `turn`, counted from 1, or ""."""
        last = self.said[-1] if self.said else None
        if last is None or last.part != "interjection" or last.turn != turn - 1:
            return ""
        return last.text


def host_heading(part: Part, why: Why | None) -> str:
    """Return the heading for a host's words.

    >>> host_heading("interjection", "off_topic")
    'Host: interjection, off the topic'
    """
    return f"Host: {part}, {CAUSES[why]}" if why else f"Host: {part}"
