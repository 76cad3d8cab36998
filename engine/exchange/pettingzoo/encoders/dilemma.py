"""The prisoner's dilemma for policies: they see a game's moves and set the moves of a turn."""

from itertools import product

import numpy as np
from gymnasium import spaces

from engine.exchange.pettingzoo.encoders.encoder import (
    ChoiceEncoder,
    Observation,
    counts,
    whole,
)
from engine.exchange.pettingzoo.tray import ParkedQuestion
from engine.games.dilemma.game import CHOICES, DilemmaGame
from engine.games.dilemma.rules import FIELDS

WINDOW = 60
NUMBERS = {"C": 1, "D": 2}


class DilemmaEncoder(ChoiceEncoder):
    """One turn of a game; no player sees the opponent's identity.

    - `moves`, int8 (W, 2): the last moves of this game, latest first: the player's and the
      opponent's. 1 is C, 2 is D, and 0 means none. W is the number of moves in the longest game, at
      most 60.
    - `score`, int32 (2,): the player's and the opponent's points in this game.
    - `played`, int32 (1,): moves so far in this game.

    An action sets all moves of the turn; the actions are CCC, CCD, CDC ... DDD, or C and D.
    """

    kinds = frozenset({"block"})

    def __init__(self, game: DilemmaGame, players: int) -> None:
        super().__init__(game, players)
        moves = max(game.game_length)
        if game.unit == "turns":
            moves *= game.block
        self.window = min(WINDOW, moves)
        self.answers = tuple(product(CHOICES, repeat=game.block))
        self.words = tuple(map("".join, self.answers))
        seen = {
            "moves": spaces.Box(0, 2, (self.window, 2), np.int8),
            "score": counts(2),
            "played": counts(1),
        }
        self.set_spaces(spaces.Dict(seen), len(self.answers))

    def see(self, question: ParkedQuestion) -> Observation:
        """Return the moves and the points of this game."""
        seen = question.turn.observation
        rows = np.zeros((self.window, 2), np.int8)
        for place, (own, opponent) in enumerate(reversed(seen.history[-self.window :])):
            rows[place] = NUMBERS[own], NUMBERS[opponent]
        played = whole(len(seen.history))
        return {"moves": rows, "score": whole(*seen.score), "played": played}

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set all moves of the turn."""
        question.values.update(zip(FIELDS, self.answers[action], strict=False))
        return True
