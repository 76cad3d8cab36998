"""The score of a conversation: finished, growing turn by turn, and of what might be said next."""

from collections.abc import Container, Iterable, Mapping, Sequence
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
from engine.games.conversation.record import (
    Conversation,
    Item,
    check_rankings,
    spoken_items,
)

__all__ = ["Conversation", "Item", "Outlook", "Parts", "RunningScore", "Score", "Tail", "score"]


class Parts(NamedTuple):
    """The points of one turn: four parts that all players share, `private` for its speaker."""

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


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a conversation: sums over its turns, and the parts of each turn.

    `private` and `total` are by player id. A total is shared plus private, "divided by L": as
    configured, also after an early end; 0.0 if L is 0.
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
    """Return the score of a conversation, finished or so far; the time is linear in its turns."""
    turns = spoken_items(conversation)
    sets = [0 if item is None else subject_set(item.subjects) for item in turns]
    bonuses = bonuses_of(conversation.rankings)
    tally = _Tally(conversation.rankings)
    spoken: set[str] = set()
    for index, item in enumerate(turns):
        if item is None:
            tally.per_turn.append(PAUSE)
            continue

        repeated = item.id in spoken
        context = context_at(sets, index)
        parts = _parts(item, repeated, context, bonuses[item.player_id])
        tally.add(item.player_id, parts)
        spoken.add(item.id)
    return tally.score(conversation.length)


def bonuses_of(rankings: Mapping[str, Sequence[int]]) -> dict[str, tuple[float, ...]]:
    """Return the private bonus of each subject, by player id."""
    return {player_id: private_bonuses(ranking) for player_id, ranking in rankings.items()}


class Outlook:
    """What all items that might be spoken next have in common: it weighs each in a microsecond.

    `recent` are the bit sets (see `points`) of the last six turns or more, `firsts` say of the last
    three or more whether they are first instances, `spoken` has the ids of all items spoken,
    `bonuses` are those of the speakers whose items are weighed.
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
        # Which earlier items can still be lifted: how many turns back, and what they lack.
        self._lacks: list[tuple[int, int]] = []
        for back in range(1, min(3, len(recent)) + 1):
            own = recent[-back]
            if not own:
                break
            lack = lack_of(own, window_at(recent, len(recent) - back)) if firsts[-back] else 0
            if lack:
                self._lacks.append((back, lack))

    def own(self, item: Item) -> Parts:
        """Return what the item itself would earn if it were spoken now."""
        repeated = item.id in self._spoken
        return _parts(item, repeated, self._context, self._bonuses[item.player_id])

    def lifted(self, item: Item) -> list[int]:
        """Return how many turns back the items are whose coherence it would raise, by 1.0 each."""
        own = subject_set(item.subjects)
        return [back for back, lack in self._lacks if not lack & ~own]

    def delta(self, item: Item) -> Parts:
        """Return the exact change of the score if the item were spoken now, lifts included."""
        lifted = self.lifted(item)
        return _raised(self.own(item), len(lifted))


class Tail(NamedTuple):
    """All of the turns so far that the points of coming turns depend on; frozen, and replaced.

    `recent` are the bit sets of the last six turns, oldest first, `firsts` say of the last three
    whether they are first instances, `spoken` has the ids of all items spoken.
    """

    recent: tuple[int, ...] = ()
    firsts: tuple[bool, ...] = ()
    spoken: frozenset[str] = frozenset()

    def after(self, item: Item | None) -> "Tail":
        """Return the tail after one more turn, None for a pause.

        Its cost is bounded by the number of items, however long the conversation.
        """
        recent = self.recent[-5:]
        firsts = self.firsts[-2:]
        if item is None:
            return Tail((*recent, 0), (*firsts, False), self.spoken)

        first = item.id not in self.spoken
        spoken = self.spoken | {item.id} if first else self.spoken
        return Tail((*recent, subject_set(item.subjects)), (*firsts, first), spoken)

    def outlook(self, bonuses: Mapping[str, Sequence[float]]) -> Outlook:
        """Return the outlook on the coming turn, for the speakers that `bonuses` has."""
        return Outlook(self.recent, self.firsts, self.spoken, bonuses)


class RunningScore:
    """The score of a growing conversation, at a constant cost a turn.

    After n turns it is exactly `score` of these n.

    >>> running = RunningScore(length=20, subjects=2, rankings={"ann": (0, 1)})
    >>> rivers, more = Item("rivers", "ann", (0,), 0.5), Item("more rivers", "ann", (0,), 0.25)
    >>> running.speak(rivers)
    Parts(importance=0.5, coherence=-1.0, freshness=0.0, nonmonotonousness=0.0, private=0.5)
    >>> running.speak(more)  # 0.0 of its own, and the first is no longer alone
    Parts(importance=0.25, coherence=1.0, freshness=0.0, nonmonotonousness=0.0, private=0.5)
    >>> running.score().shared
    0.75
    """

    def __init__(
        self,
        *,
        length: int,
        subjects: int,
        rankings: Mapping[str, Sequence[int]],
    ) -> None:
        check_rankings(length, subjects, rankings)
        self._length = length
        self._bonuses = bonuses_of(rankings)
        self._tally = _Tally(rankings)
        self._sets: list[int] = []
        self._firsts: list[bool] = []
        self._spoken: set[str] = set()
        self._outlook: Outlook | None = None

    def speak(self, item: Item | None) -> Parts:
        """Add a turn, None for a pause, and return the exact change of the score.

        The change includes the coherence of the items before. The item must be one that
        `Conversation` would accept. Raises ValueError after `length` turns.
        """
        if len(self._sets) >= self._length:
            raise ValueError(
                f"expected at most {self._length} turns, and all have been spoken: {item!r}"
            )
        outlook = self.outlook()
        self._outlook = None
        if item is None:
            self._sets.append(0)
            self._firsts.append(False)
            self._tally.per_turn.append(PAUSE)
            return PAUSE

        own = outlook.own(item)
        lifted = outlook.lifted(item)
        for back in lifted:
            self._tally.lift(back)
        self._tally.add(item.player_id, own)
        self._sets.append(subject_set(item.subjects))
        self._firsts.append(item.id not in self._spoken)
        self._spoken.add(item.id)
        return _raised(own, len(lifted))

    def outlook(self) -> Outlook:
        """Return the outlook on the coming turn, valid until then."""
        if self._outlook is None:
            recent, firsts = self._sets[-6:], self._firsts[-3:]
            self._outlook = Outlook(recent, firsts, self._spoken, self._bonuses)
        return self._outlook

    def delta(self, item: Item) -> Parts:
        """Return what `speak(item)` would return now, and change nothing."""
        return self.outlook().delta(item)

    def score(self) -> Score:
        """Return the score so far."""
        return self._tally.score(self._length)


class _Tally:
    """Sums of parts, always taken from left to right: the same turns give the same floats."""

    def __init__(self, players: Iterable[str]) -> None:
        self._importance = 0.0
        self._coherence = 0.0
        self._freshness = 0.0
        self._nonmonotonousness = 0.0
        self._private = dict.fromkeys(players, 0.0)
        self.per_turn: list[Parts] = []

    def add(self, player_id: str, parts: Parts) -> None:
        self._importance += parts[0]
        self._coherence += parts[1]
        self._freshness += parts[2]
        self._nonmonotonousness += parts[3]
        self._private[player_id] += parts[4]
        self.per_turn.append(parts)

    def lift(self, back: int) -> None:
        """Raise the coherence of the turn `back` turns before the coming one."""
        self._coherence += 1.0
        earlier = self.per_turn[-back]
        self.per_turn[-back] = _raised(earlier, 1)

    def score(self, length: int) -> Score:
        shared = self._importance + self._coherence + self._freshness + self._nonmonotonousness
        total = dict.fromkeys(self._private, 0.0)
        if length:
            for player_id, private in self._private.items():
                total[player_id] = (shared + private) / length
        return Score(
            importance=self._importance,
            coherence=self._coherence,
            freshness=self._freshness,
            nonmonotonousness=self._nonmonotonousness,
            shared=shared,
            private=dict(self._private),
            total=total,
            per_turn=tuple(self.per_turn),
        )


def _parts(
    item: Item,
    repeated: bool,
    context: Context,
    bonuses: Sequence[float],
) -> Parts:
    """Return what an item earns by itself, given its context."""
    own = subject_set(item.subjects)
    window, known, common = context
    return Parts(
        importance_of(item.importance, repeated),
        coherence_of(own, window, repeated),
        freshness_of(own, known, repeated),
        nonmonotonousness_of(own, common, repeated),
        private_bonus(item.subjects, bonuses),
    )


def _raised(parts: Parts, steps: int) -> Parts:
    """Return the parts with their coherence raised by `steps` points."""
    if not steps:
        return parts
    importance, coherence, freshness, nonmonotonousness, private = parts
    return Parts(importance, coherence + steps, freshness, nonmonotonousness, private)
