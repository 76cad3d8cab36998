"""The conversation for policies: the player's items and ranking, and the spoken items."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

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
    """One turn; B is the bank size, S the number of subjects, and W the number of turns (up to 32).

    - `bank`, int8 (B, S): 1 where the player's item is on a subject; `importance`, float32 (B,)
      in [0, 1]; `spoken`, int32 (B,): how often each item was spoken.
    - `ranking`, int32 (S,): each subject's place in the player's ranking; 0 is the best.
    - `turns`, int32 (W, 3): the last turns, latest first. Each row has the speaker and one or two
      subjects, counted from 1; 0 means none.
    - `weights`, float32 (W,): the importance of the items spoken in these turns; `pause`, int8
      (W,): 1 where no player spoke.
    - `contributions`, int32 (players,): how many items each player has spoken; `self`, int8
      (players,): the player's own seat.
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

    def begin(self, player_id: str, player_ids: Sequence[str]) -> None:
        """Take a seat in a new conversation."""
        super().begin(player_id, player_ids)
        self.dealt: Observation = {}
        self.times: dict[str, int] = {}
        self.read = 0
        self.said = np.zeros((self.game.length, 3), np.int32)
        self.weights = np.zeros(self.game.length, np.float32)
        self.pauses = np.zeros(self.game.length, np.int8)

    def see(self, question: ParkedQuestion) -> Observation:
        """Return the player's own items, the spoken items, and their speakers."""
        seen: SeatView = question.turn.observation
        if not self.dealt:
            self.take_deal(seen)
        for place in range(self.read, len(seen.turns)):
            self.take_turn(place, seen.turns[place])
        self.read = len(seen.turns)
        return {
            **{name: row.copy() for name, row in self.dealt.items()},
            "spoken": whole(*self.times.values()),
            "turns": self.latest(self.said),
            "weights": self.latest(self.weights),
            "pause": self.latest(self.pauses),
            "contributions": whole(*map(seen.contributions.__getitem__, seen.players)),
            "turn": whole(self.read),
        }

    def take_deal(self, seen: SeatView) -> None:
        """Store the fixed observations: a player's items, ranking and seat."""
        self.times = {item.id: 0 for item in seen.bank}
        bank = np.zeros((seen.bank_size, seen.subjects), np.int8)
        for row, item in zip(bank, seen.bank, strict=True):
            row[list(item.subjects)] = 1
        ranking = np.zeros(seen.subjects, np.int32)
        ranking[list(seen.ranking)] = np.arange(seen.subjects)
        importance = np.array([item.importance for item in seen.bank], np.float32)
        self.dealt = {
            "bank": bank,
            "importance": importance,
            "ranking": ranking,
            "self": self.marks([self.player_id]),
        }

    def take_turn(self, place: int, item: Item | None) -> None:
        """Store turn number `place` in the rows of turns."""
        if item is None:
            self.pauses[place] = 1
            return
        if item.id in self.times:
            self.times[item.id] += 1
        self.weights[place] = item.importance
        numbers = [1 + number for number in (self.places[item.player_id], *item.subjects)]
        self.said[place, : len(numbers)] = numbers

    def latest(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the rows of the last turns, latest first, and zeros after them."""
        window = np.zeros((self.window, *rows.shape[1:]), rows.dtype)
        last = rows[max(0, self.read - self.window) : self.read][::-1]
        window[: len(last)] = last
        return window

    def choose(self, question: ParkedQuestion, action: int) -> bool:
        """Set the proposed item."""
        question.values["item"] = question.turn.choices["item"][action]
        return True

    def meanings(self, question: ParkedQuestion | None) -> Meanings:
        """Return the names of the player's items, then silence, or () before the first question."""
        return () if question is None else question.turn.choices["item"]
