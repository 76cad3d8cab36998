"""A person's seat on the wire: its open question, the deadline of that, and the answer."""

from collections.abc import Callable, Mapping
from typing import Any

from protocol.turn import Prompt, Turn
from providers import Completion

# How often in a row a deadline may be missed before a seat is asked no more until it is rejoined.
MOST_MISSED = 3
ANSWER_WITHIN = 600.0


class Conflict(ValueError):  # noqa: N818 - it is no fault, but comes too late or too early
    """What is asked for cannot be now, though it could at another time (409)."""


class WebAnswerer:
    """The way to a person in a browser, or to a program on the wire.

    Questions come from the loop that plays the game; all else may be called in any thread.
    """

    def __init__(
        self,
        player_id: str,
        tell: Callable[[Mapping[str, Any] | None], None],
        answer_within: float | None = ANSWER_WITHIN,
    ) -> None:
        """Wait for the answers of `player_id`, each for so many seconds (None: for ever).

        `tell` is handed each new question, and None when it is over.
        """
        raise NotImplementedError

    @property
    def question(self) -> dict[str, Any] | None:
        """The open question as a frame has it, None if there is none.

        `number` counts the questions of this server's run; `kind`; `question` is the text;
        `fields` are name, about, choices (None: it is a text), notes (by choice, what stands beside
        it) and words (the most characters of a text, None of a choice); `silence` is the choice
        after which no words are needed; `left` are the seconds until the deadline.
        """
        raise NotImplementedError

    @property
    def state(self) -> str:
        """Whether the seat is "here", "away" (three deadlines missed) or "left" for good."""
        raise NotImplementedError

    def answer(self, number: int, values: Mapping[str, str]) -> None:
        """Answer the open question, each field by its words, a choice by its number too.

        ValueError says why the answer cannot be, and what can (the question stays open); Conflict
        if the question of that number is not open any more.
        """
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the seat for good: its fallback plays on. Conflict if it was left already."""
        raise NotImplementedError

    def rejoin(self) -> None:
        """Be asked again after missed deadlines; nothing changes for who is here, or has left."""
        raise NotImplementedError

    async def ask(self, turn: Turn[Any], prompt: Prompt) -> Completion:
        """Return the answer as JSON, "" if the person leaves; SeatTimeout if none comes in time."""
        raise NotImplementedError

    def release(self) -> None:
        """End a pending `ask` with Released."""
        raise NotImplementedError
