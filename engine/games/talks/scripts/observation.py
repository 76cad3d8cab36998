"""A turn to speak as a script sees it: all that is public, and the move it is to make."""

from dataclasses import dataclass

from engine.games.talks.archetypes import PersonalityArchetype
from engine.games.talks.speech.utterance import subject_of
from engine.games.talks.state import DialogueMove, Exchange, labels_in


@dataclass(frozen=True, slots=True)
class Seen:
    """What a participant knows when it speaks; participants go by the names of their players.

    `level` is the depth of the turn, 1 to 5; `aspects` are those that anybody has touched;
    `similar` the earlier positions nearest to the talk's latest words: who, and what. `circling`:
    the talk comes back to what it had; `stale`: one more turn that is hardly new would end it.
    `thesis` is what the participant held before the talk, "" where that was not asked.
    """

    name: str
    personality: PersonalityArchetype
    expertise: str
    beliefs: tuple[str, ...]
    topic: str
    target_depth: int
    level: int
    turn: int
    move: DialogueMove
    exchanges: tuple[Exchange, ...]
    aspects: frozenset[str]
    similar: tuple[tuple[str, str], ...]
    circling: bool
    stale: bool = False
    thesis: str = ""

    @property
    def subject(self) -> str:
        """What the topic is about, as words that fit inside a sentence."""
        return subject_of(self.topic)

    @property
    def own(self) -> tuple[Exchange, ...]:
        """What the participant itself has said."""
        return tuple(exchange for exchange in self.exchanges if exchange.speaker == self.name)

    @property
    def labels(self) -> list[str]:
        """The aspects that anybody has touched, in the order in which they came."""
        return labels_in(self.exchanges)

    @property
    def position(self) -> str:
        """The position that the participant took last, at first its thesis; "" without one."""
        return self.own[-1].position if self.own else self.thesis
