"""Talks for policies, which read a prompt and answer in words."""

import json
from collections.abc import Sequence
from string import ascii_letters, digits
from typing import Any

from gymnasium import spaces

from engine.exchange.pettingzoo.encoders.encoder import (
    Encoder,
    Facts,
    Observation,
    Space,
    counts,
    flags,
    kind_marks,
    whole,
)
from engine.exchange.pettingzoo.tray import ParkedQuestion, fields_to_fill
from engine.games.talks.game import TalksGame
from engine.history import Event
from protocol.answer import last_object
from protocol.text import room_for

LONGEST_PROMPT = 200_000
KINDS = ("utterance", "thesis", "host")
PLAIN = f"{ascii_letters}{digits} .,?!'"


class AnyText(spaces.Text):
    """The space of all texts up to a length; samples contain only plain characters."""

    def __init__(self, longest: int) -> None:
        super().__init__(max_length=longest, min_length=0, charset=PLAIN)

    def contains(self, x: Any) -> bool:
        """Return whether `x` is a string that is not too long."""
        return isinstance(x, str) and len(x) <= self.max_length


class TalksEncoder(Encoder):
    """A turn to speak.

    - `text`: the last 200,000 characters of the prompt that a person would get: rules, character,
      transcript and question.
    - `kind`, int8 (3,): whether the question is for an utterance, a thesis or the host's part.
    - `spoken`, int32 (1,): utterances so far.

    An action is the words to say, or the whole answer as a JSON object with all its fields.
    """

    kinds = frozenset(KINDS)
    reads_text = True

    def __init__(self, game: TalksGame, players: int) -> None:
        super().__init__(game, players)
        self.spoken = 0
        seen: dict[str, Space] = {
            "text": AnyText(LONGEST_PROMPT),
            "kind": flags(len(KINDS)),
            "spoken": counts(1),
        }
        self.observation_space = spaces.Dict(seen)
        self.action_space = AnyText(2 * room_for(game.words))

    def begin(self, player_id: str, player_ids: Sequence[str]) -> None:
        """Take a seat in a new talk."""
        super().begin(player_id, player_ids)
        self.spoken = 0

    def hear(self, event: Event, facts: Facts) -> None:
        """Count the utterances."""
        del facts
        self.spoken += event.kind == "utterance"

    def observe(self, question: ParkedQuestion | None) -> Observation:
        """Return the prompt, the kind of the question, and the number of utterances."""
        text = "" if question is None else question.turn.prompt().text[-LONGEST_PROMPT:]
        return {"text": text, "kind": kind_marks(KINDS, question), "spoken": whole(self.spoken)}

    def decide(self, question: ParkedQuestion, action: Any) -> bool:
        """Set the words, or all fields from a JSON object."""
        if not isinstance(action, str):
            raise ValueError(
                f"expected an action of {self.player_id} to be a text: got {action!r:.80}"
            )
        fields = question.turn.answer.model_fields
        begun = action.lstrip().startswith("{")
        parsed = last_object(action) if begun else None
        texts = (parsed or {}).items()
        values = {name: text if isinstance(text, str) else json.dumps(text) for name, text in texts}
        if not values or values.keys() - fields.keys():
            values = dict.fromkeys(fields_to_fill(question.turn), action)
        question.values.update(values)
        return True
