"""The shape of a conversation: runs of a subject, domination, silence and repetition."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.games.conversation.record import Conversation, Item
from engine.statistics import gini_coefficient, mean


class Patterns(NamedTuple):
    """The patterns of one conversation; shares are of its turns, 0 if it has none.

    `longest_run` is the most turns in a row that have one and the same subject, `mean_run` the mean
    of all such runs that cannot be made longer; `domination` is the Gini coefficient of the
    contributions; `pauses` and `repeats` are shares.
    """

    longest_run: int
    mean_run: float
    domination: float
    pauses: float
    repeats: float


def patterns_of(conversation: Conversation) -> Patterns:
    """Return the patterns of a conversation: "topic clustering", "domination", and its pauses."""
    items = conversation.items
    turns = [None if item_id is None else items[item_id] for item_id in conversation.turns]
    spoken = [item for item in turns if item is not None]
    different = {item.id for item in spoken}
    by_player = Counter(item.player_id for item in spoken)
    contributions = [by_player[player_id] for player_id in conversation.rankings]
    runs = subject_runs(turns)
    many = max(1, len(turns))
    return Patterns(
        longest_run=max(runs, default=0),
        mean_run=mean(runs) if runs else 0.0,
        domination=gini_coefficient(contributions),
        pauses=(len(turns) - len(spoken)) / many,
        repeats=(len(spoken) - len(different)) / many,
    )


def subject_runs(turns: Sequence[Item | None]) -> list[int]:
    """Return the lengths of all runs of turns with one and the same subject; a pause ends them."""
    ended: list[int] = []
    going: dict[int, int] = {}
    for item in turns:
        subjects = () if item is None else item.subjects
        for subject, length in going.items():
            if subject not in subjects:
                ended.append(length)

        longer = {}
        for subject in subjects:
            longer[subject] = going.get(subject, 0) + 1
        going = longer
    return [*ended, *going.values()]
