"""The conversation for policies: their items and ranking, and the items spoken so far."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from gymnasium import spaces

from engine.exchange.pettingzoo.encoders.encoder import (
    ChoiceEncoder,
    Meanings,
    Observation,
    counts,
    flags,
    fractions,
    whole,
)
from engine.exchange.pettingzoo.tray import ParkedQuestion
from engine.games.conversation.game import ConversationGame
from engine.games.conversation.record import Item
from engine.games.conversation.state import Observation as SeatView

WINDOW = 32


class ConversationEncoder(ChoiceEncoder):
    """A turn; B is the bank size, S the number of subjects, W the number of turns, at most 32.

    - `bank`, int8 (B, S): 1 where one of its own items is on a subject; `importance`, float32 (B,)
      in [0, 1]; `spoken`, int32 (B,): how often the item was spoken.
    - `ranking`, int32 (S,): each subject's place in its own ranking, from 0, the best.
    - `turns`, int32 (W, 3): the last turns, latest first: the speaker and one or two subjects, all
      counted from 1; 0 is none.
    - `weights`, float32 (W,): the importance of the items spoken in these turns; `pause`, int8
      (W,): 1 where no player spoke.
    - `contributions`, int32 (players,): items that each player has spoken; `self`, int8 (players,).
    - `turn`, int32 (1,): turns so far.

    Action i proposes item i of the bank; action B is to stay silent.
    """

    kinds = frozenset({"proposal"})
    parallel = True

    def __init__(self, game: ConversationGame, players: int) -> None:
        super().__init__(game, players)
        bank, subjects = game.bank_size, game.subject_count
        self.window = min(WINDOW, max(1, game.length))
        seen = {
            "bank": flags(bank, subjects),
            "importance": fractions(bank),
            "spoken": counts(bank),
            "ranking": counts(subjects),
            "turns": counts(self.window, 3),
            "weights": fractions(self.window),
            "pause": flags(self.window),
            "contributions": counts(players),
            "self": flags(players),
            "turn": counts(1),
        }
        self.set_spaces(spaces.Dict(seen), bank + 1)

    def see(self, question: ParkedQuestion) -> Observation:
        """Return the player's own items, the spoken items, and their speakers."""
        seen: SeatView = question.turn.observation
        counts = [seen.contributions[name] for name in seen.players]
        return {
            **self.see_bank(seen),
            **self.see_turns(seen.turns[-self.window :]),
            "contributions": whole(*counts),
            "self": self.marks([self.player_id]),
            "turn": whole(len(seen.turns)),
        }

    def see_bank(self, seen: SeatView) -> Observation:
        """Return a player's items and ranking."""
        times = Counter(item.id for item in seen.turns if item is not None)
        bank = np.zeros((seen.bank_size, seen.subjects), np.int8)
        importance = np.zeros(seen.bank_size, np.float32)
        spoken = np.zeros(seen.bank_size, np.int32)
        for place, item in enumerate(seen.bank):
            bank[place, list(item.subjects)] = 1
            importance[place] = item.importance
            spoken[place] = times[item.id]
        ranking = np.zeros(seen.subjects, np.int32)
        ranking[list(seen.ranking)] = np.arange(seen.subjects)
        return {"bank": bank, "importance": importance, "spoken": spoken, "ranking": ranking}

    def see_turns(self, last: Sequence[Item | None]) -> Observation:
        """Return turns as rows of arrays, latest first."""
        turns = np.zeros((self.window, 3), np.int32)
        weights = np.zeros(self.window, np.float32)
        pause = np.zeros(self.window, np.int8)
        for row, item in enumerate(reversed(last)):
            if item is None:
                pause[row] = 1
                continue
            weights[row] = item.importance
            for column, number in enumerate((self.places[item.player_id], *item.subjects)):
                turns[row, column] = 1 + number
        return {"turns": turns, "weights": weights, "pause": pause}

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set the proposed item."""
        question.values["item"] = question.turn.choices["item"][action]
        return True

    def meanings(self, question: ParkedQuestion | None) -> Meanings:
        """Return the names of this game's items, then silence."""
        return () if question is None else question.turn.choices["item"]
