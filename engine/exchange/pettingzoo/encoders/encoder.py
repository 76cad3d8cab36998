"""The interface of encoders, which handle one seat's observations and actions in one game."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.exchange.pettingzoo.tray import ParkedQuestion
from engine.game import Game
from engine.history import Event, Outcome

Space = spaces.Space[Any]
Observation = dict[str, Any]
Facts = dict[str, Any]
Mask = NDArray[np.int8]
Meanings = tuple[str, ...]
MOST = 2**31 - 1


class Encoder(ABC):
    """A policy's observations and actions in one seat and one game, from the events it sees.

    `kinds` are the kinds of questions put to the policy. If `parallel`, each round asks all seats
    one question at once. If `reads_text`, the policy observes its prompts. `words` describe the
    actions, if their meanings never change. The two spaces always stay the same objects.
    """

    kinds: ClassVar[frozenset[str]]
    parallel: ClassVar[bool] = False
    reads_text: ClassVar[bool] = False
    words: Meanings = ()
    observation_space: Space
    action_space: Space

    def __init__(self, game: Any, players: int) -> None:
        self.game = game
        self.players = players
        self.player_id = ""
        self.player_ids: Sequence[str] = ()
        self.places: dict[str, int] = {}

    @classmethod
    def game_without_log(cls, game: Game[Any]) -> Game[Any]:
        """Return the game to play when no log is kept."""
        return game

    def begin(self, player_id: str, player_ids: Sequence[str]) -> None:
        """Forget the last game and take the seat of `player_id` in a new one."""
        self.player_id = player_id
        self.player_ids = player_ids
        self.places = {name: place for place, name in enumerate(player_ids)}

    def facts_of(self, event: Event) -> Facts:
        """Return an event's facts, which are the same for all seats that see it."""
        del event
        return {}

    def hear(self, event: Event, facts: Facts) -> None:
        """Process an event that the seat sees, with its facts."""
        del event, facts

    @abstractmethod
    def observe(self, question: ParkedQuestion | None) -> Observation:
        """Return the observation at a question; before the first question, `question` is None."""

    @abstractmethod
    def decide(self, question: ParkedQuestion, action: Any) -> bool:
        """Set fields of the answer and return whether all are set; raise ValueError if invalid."""

    def meanings(self, question: ParkedQuestion | None) -> Meanings:
        """Return the meaning of each action in words, or () if actions are themselves text."""
        del question
        return self.words

    def reward(self, outcome: Outcome) -> float:
        """Return the seat's reward at the end."""
        return float(outcome.scores[self.player_id])

    def marks(self, player_ids: Iterable[str]) -> Mask:
        """Return a row with 1 for each of these players and 0 for each other player."""
        row = np.zeros(self.players, np.int8)
        for player_id in player_ids:
            row[self.places[player_id]] = 1
        return row


class ChoiceEncoder(Encoder):
    """An encoder for choices: Discrete actions, and a mask of the legal actions."""

    def set_spaces(self, seen: Space, actions: int) -> None:
        """Create the spaces of observations and actions."""
        self.actions = actions
        self.all_legal = np.ones(actions, np.int8)
        self.seen = seen
        self.action_space = spaces.Discrete(actions)
        self.observation_space = spaces.Dict({"observation": seen, "action_mask": flags(actions)})

    def observe(self, question: ParkedQuestion | None) -> Observation:
        """Return the observation and the mask of legal actions; all 0 without a question."""
        if question is None:
            mask = np.zeros(self.actions, np.int8)
            return {"observation": zeros_in(self.seen), "action_mask": mask}
        return {"observation": self.see(question), "action_mask": self.mask(question)}

    def decide(self, question: ParkedQuestion, action: Any) -> bool:
        """Record an action's choice, even a masked one; raise ValueError if it is out of range."""
        try:
            number = index(action)
        except TypeError:
            number = -1
        if not 0 <= number < self.actions:
            raise ValueError(
                f"expected an action of {self.player_id} from 0 to {self.actions - 1}: "
                f"got {action!r:.80}"
            )
        return self.choose(question, number)

    @abstractmethod
    def see(self, question: ParkedQuestion) -> Any:
        """Return the policy's observation, as arrays."""

    def mask(self, question: ParkedQuestion) -> Mask:
        """Return 1 for each legal action and 0 for each illegal one; by default, all are legal."""
        del question
        return self.all_legal.copy()

    @abstractmethod
    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Record the choice that an action means; return whether the question is answered."""


def zeros_in(space: Space) -> Any:
    """Return the all-zero element of a Box, or of a Dict of Boxes."""
    if not isinstance(space, spaces.Dict):
        return np.zeros(space.shape or (), space.dtype)
    return {name: zeros_in(part) for name, part in space.items()}


def counts(*shape: int) -> Space:
    """Return the space of int32 arrays of non-negative integers."""
    return spaces.Box(0, MOST, shape, np.int32)


def flags(*shape: int) -> Space:
    """Return the space of int8 arrays of zeros and ones."""
    return spaces.Box(0, 1, shape, np.int8)


def fractions(*shape: int) -> Space:
    """Return the space of float32 arrays of numbers from 0 to 1."""
    return spaces.Box(0.0, 1.0, shape, np.float32)


def kind_marks(kinds: Sequence[str], question: ParkedQuestion | None) -> Mask:
    """Return a row with 1 for the question's kind; without a question, the row is all 0."""
    return np.array(
        [question is not None and kind == question.turn.kind for kind in kinds], np.int8
    )


def whole(*numbers: int) -> NDArray[np.int32]:
    """Return integers as an int32 array."""
    return np.array(numbers, np.int32)
