"""The moderated conversation for policies, with GuestEnv's nine numbers and eight actions."""

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
    """The game without its reference rewards, since computing them takes longer than a game."""

    def outcome(self, state: Sessions) -> Outcome:
        """Rank the players by their rewards, which are also their scores."""
        figures = {name: session_figures(session) for name, session in state.items()}
        scores = {name: session.reward for name, session in state.items()}
        return Outcome(rank_by_reward(state), scores, figures)


class GuestEncoder(ChoiceEncoder):
    """A decision, with GuestEnv's actions and its observation, float32 (9,).

    For each of the three agents, the observation contains its energy in [0, 1], its speaking time
    as a share of its maximum, and its number of phonemes (0 or more). The reward is the session's
    total reward.
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
        """Return the game without its reference rewards, which only a log shows."""
        return UnmarkedGuest.model_validate(game.model_dump())

    def see(self, question: ParkedQuestion) -> NDArray[np.float32]:
        """Return GuestEnv's nine numbers."""
        session = question.turn.observation
        return observation(session.state, session.frame.terms)

    def mask(self, question: ParkedQuestion) -> Mask:
        """Return 1 for each action that would have an effect now."""
        session = question.turn.observation
        return np.array(action_mask(session.state), np.int8)

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set the Guest's action."""
        question.values["action"] = CHOICES[action]
        return True

    def reward(self, outcome: Outcome) -> float:
        """Return the reward of the whole session."""
        return float(outcome.figures[self.player_id]["reward"])
