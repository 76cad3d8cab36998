"""The moderated conversation for policies: GuestEnv's nine numbers and eight actions."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from engine.exchange.pettingzoo.encoders.encoder import ChoiceEncoder, Mask
from engine.exchange.pettingzoo.tray import ParkedQuestion
from engine.game import Game
from engine.games.guest.game import GuestGame, Sessions
from engine.games.guest.observation import observation
from engine.games.guest.record import CHOICES
from engine.games.guest.rules import action_mask
from engine.games.guest.scoring import rank_by_reward, session_figures
from engine.history import Outcome


class UnmarkedGuest(GuestGame):
    """The game without its marks: searching for the best course takes longer than playing."""

    def outcome(self, state: Sessions) -> Outcome:
        """Rank the players by their rewards, which are their scores too."""
        figures = {name: session_figures(session) for name, session in state.items()}
        scores = {name: session.reward for name, session in state.items()}
        return Outcome(rank_by_reward(state), scores, figures)


class GuestEncoder(ChoiceEncoder):
    """A decision: float32 (9,) as GuestEnv has it.

    For each of the three agents these are its energy in [0, 1], its speaking time as a share of its
    longest, and its phonemes, from 0 up. Actions have the same numbers as in GuestEnv. The reward
    is that of the session: the sum over its steps.
    """

    kinds = frozenset({"action"})
    parallel = True
    words = CHOICES

    def __init__(self, game: GuestGame, players: int) -> None:
        super().__init__(game, players)
        highest = np.array([1, 1, np.inf] * 3, np.float32)
        self.set_spaces(spaces.Box(0.0, highest, dtype=np.float32), len(CHOICES))

    @classmethod
    def game_without_log(cls, game: Game[Any]) -> Game[Any]:
        """Return the game without its marks, which appear only in a log."""
        return UnmarkedGuest.model_validate(game.model_dump())

    def see(self, question: ParkedQuestion) -> NDArray[np.float32]:
        """Return the source's nine numbers."""
        session = question.turn.observation
        return observation(session.state, session.frame.terms)

    def mask(self, question: ParkedQuestion) -> Mask:
        """Return which actions have an effect now."""
        session = question.turn.observation
        return np.array(action_mask(session.state), np.int8)

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set the Guest's action."""
        question.values["action"] = CHOICES[action]
        return True

    def reward(self, outcome: Outcome) -> float:
        """Return the reward of the whole session."""
        return float(outcome.figures[self.player_id]["reward"])
