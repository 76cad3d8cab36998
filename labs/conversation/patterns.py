"""The shape of a conversation: runs on one subject, domination, silence and repetition."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.games.conversation.record import Conversation, Item, spoken_items
from engine.report.statistics import gini_coefficient, mean


class Patterns(NamedTuple):
    """A conversation's patterns; `pauses` and `repeats` are shares of its turns (0 without turns).

    A run is a series of turns with a common subject. `domination` is the Gini coefficient of the
    players' contributions.
    """

    longest_run: int
    mean_run: float
    domination: float
    pauses: float
    repeats: float


def patterns_of(conversation: Conversation) -> Patterns:
    """Return a conversation's "topic clustering", its "domination", its pauses and its repeats."""
    turns = spoken_items(conversation)
    contributions = dict.fromkeys(conversation.rankings, 0)
    for item in filter(None, turns):
        contributions[item.player_id] += 1

    runs = subject_runs(turns)
    many = max(1, len(turns))
    return Patterns(
        longest_run=max(runs, default=0),
        mean_run=mean(runs) if runs else 0.0,
        domination=gini_coefficient([*contributions.values()]),
        pauses=turns.count(None) / many,
        repeats=count_repeats(turns) / many,
    )


def count_repeats(turns: Sequence[Item | None]) -> int:
    """Return the number of turns that repeat an item spoken earlier."""
    spoken: set[str] = set()
    repeats = 0
    for item in filter(None, turns):
        repeats += item.id in spoken
        spoken.add(item.id)
    return repeats


def subject_runs(turns: Sequence[Item | None]) -> list[int]:
    """Return the lengths of all runs of turns with a common subject; a pause ends a run."""
    ended: list[int] = []
    going: dict[int, int] = {}
    for item in turns:
        subjects = () if item is None else item.subjects
        for subject, length in going.items():
            if subject not in subjects:
                ended.append(length)

        going = {subject: going.get(subject, 0) + 1 for subject in subjects}
    return [*ended, *going.values()]
