"""The score of a finished or ongoing conversation, and of each possible next item."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.games.conversation.points import (
    Context,
    coherence_of,
    context_at,
    freshness_of,
    importance_of,
    lack_of,
    nonmonotonousness_of,
    private_bonus,
    private_bonuses,
    subject_set,
    window_at,
)
from engine.games.conversation.record import Conversation, Item, spoken_items

__all__ = ["Conversation", "Item", "Outlook", "Parts", "Score", "Tail", "score"]


class Parts(NamedTuple):
    """The points of one turn: four parts shared by all players, and `private` for the speaker."""

    importance: float = 0.0
    coherence: float = 0.0
    freshness: float = 0.0
    nonmonotonousness: float = 0.0
    private: float = 0.0

    @property
    def shared(self) -> float:
        """The sum of the four shared parts."""
        return self.importance + self.coherence + self.freshness + self.nonmonotonousness


PAUSE = Parts()
SHARED_PARTS = Parts._fields[:4]


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a conversation: sums over its turns, and the parts of each turn.

    A player's total is the sum of its shared and private points "divided by L", the configured
    length, even if the conversation ended early. It is 0.0 if L is 0.
    """

    importance: float
    coherence: float
    freshness: float
    nonmonotonousness: float
    shared: float
    private: dict[str, float]
    total: dict[str, float]
    per_turn: tuple[Parts, ...]


def score(conversation: Conversation) -> Score:
    """Return the score of a finished or ongoing conversation, in linear time."""
    turns = spoken_items(conversation)
    sets = [0 if item is None else subject_set(item.subjects) for item in turns]
    bonuses = bonuses_of(conversation.rankings)
    # Points are added in the order of the turns, so equal turns always have equal sums.
    importance = coherence = freshness = nonmonotonousness = 0.0
    private = dict.fromkeys(bonuses, 0.0)
    per_turn: list[Parts] = []
    spoken: set[str] = set()
    for index, item in enumerate(turns):
        if item is None:
            per_turn.append(PAUSE)
            continue

        repeated = item.id in spoken
        parts = _parts(item, repeated, context_at(sets, index), bonuses[item.player_id])
        per_turn.append(parts)
        spoken.add(item.id)
        importance += parts[0]
        coherence += parts[1]
        freshness += parts[2]
        nonmonotonousness += parts[3]
        private[item.player_id] += parts[4]

    shared = importance + coherence + freshness + nonmonotonousness
    length = conversation.length
    total = {
        player_id: (shared + bonus) / length if length else 0.0
        for player_id, bonus in private.items()
    }
    return Score(
        importance,
        coherence,
        freshness,
        nonmonotonousness,
        shared,
        private,
        total,
        tuple(per_turn),
    )


def bonuses_of(rankings: Mapping[str, Sequence[int]]) -> dict[str, tuple[float, ...]]:
    """Return each player's private bonus for every subject, by player id."""
    return {player_id: private_bonuses(ranking) for player_id, ranking in rankings.items()}


class Outlook:
    """The data for scoring the items that could be spoken next, in about a microsecond per item.

    `recent` has the bit sets (see `points`) of the last six or more turns. `firsts` says whether
    the item was new in each of the last three or more turns. `spoken` has the ids of all spoken
    items. `bonuses` has the private bonuses of the speakers whose items are scored.
    """

    __slots__ = ("_bonuses", "_context", "_lacks", "_spoken")

    def __init__(
        self,
        recent: Sequence[int],
        firsts: Sequence[bool],
        spoken: Container[str],
        bonuses: Mapping[str, Sequence[float]],
    ) -> None:
        self._context = context_at(recent, len(recent))
        self._spoken = spoken
        self._bonuses = bonuses
        # For each recent item that can still gain coherence, the subjects that it lacks.
        self._lacks: list[int] = []
        for back in range(1, min(3, len(recent)) + 1):
            subjects = recent[-back]
            if not subjects:
                break
            lack = lack_of(subjects, window_at(recent, len(recent) - back)) if firsts[-back] else 0
            if lack:
                self._lacks.append(lack)

    def lifts(self, item: Item) -> int:
        """Return how many of the three previous items would gain 1.0 in coherence from `item`."""
        subjects = subject_set(item.subjects)
        return len([lack for lack in self._lacks if not lack & ~subjects])

    def delta(self, item: Item) -> Parts:
        """Return the exact change in the score, including `lifts`, if the item were spoken now."""
        repeated = item.id in self._spoken
        parts = _parts(item, repeated, self._context, self._bonuses[item.player_id])
        lifts = self.lifts(item)
        return parts._replace(coherence=parts.coherence + lifts) if lifts else parts


class Tail(NamedTuple):
    """The past turns that affect the points of coming turns; the fields are as in `Outlook`."""

    recent: tuple[int, ...] = ()
    firsts: tuple[bool, ...] = ()
    spoken: frozenset[str] = frozenset()

    def after(self, item: Item | None) -> "Tail":
        """Return the tail after one more turn; `item` is the spoken item, or None for a pause."""
        recent = self.recent[-5:]
        firsts = self.firsts[-2:]
        if item is None:
            return Tail((*recent, 0), (*firsts, False), self.spoken)

        first = item.id not in self.spoken
        spoken = self.spoken | {item.id} if first else self.spoken
        return Tail((*recent, subject_set(item.subjects)), (*firsts, first), spoken)

    def outlook(self, bonuses: Mapping[str, Sequence[float]]) -> Outlook:
        """Return the outlook on the coming turn for the speakers in `bonuses`."""
        return Outlook(self.recent, self.firsts, self.spoken, bonuses)


def _parts(
    item: Item,
    repeated: bool,
    context: Context,
    bonuses: Sequence[float],
) -> Parts:
    """Return an item's points in its context, without the effect on earlier items."""
    subjects = subject_set(item.subjects)
    window, known, common = context
    return Parts(
        importance_of(item.importance, repeated),
        coherence_of(subjects, window, repeated),
        freshness_of(subjects, known, repeated),
        nonmonotonousness_of(subjects, common, repeated),
        private_bonus(item.subjects, bonuses),
    )
