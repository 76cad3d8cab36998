"""What a conversation looks like from outside: runs of a subject, who dominates, how much silence and repetition."""

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


def patterns(conversation: Conversation) -> Patterns:
    """Return the patterns of a conversation: "topic clustering", "domination", and its pauses."""
    turns = [
        None if item_id is None else conversation.items[item_id] for item_id in conversation.turns
    ]
    spoken = [item for item in turns if item is not None]
    runs = subject_runs(turns)
    counts = [
        sum(item.player_id == player_id for item in spoken) for player_id in conversation.rankings
    ]
    return Patterns(
        max(runs, default=0),
        mean(runs) if runs else 0.0,
        gini_coefficient(counts),
        (len(turns) - len(spoken)) / len(turns) if turns else 0.0,
        (len(spoken) - len({item.id for item in spoken})) / len(turns) if turns else 0.0,
    )


def subject_runs(turns: Sequence[Item | None]) -> list[int]:
    """Return the lengths of all runs of turns in a row that have one and the same subject; a pause ends every run."""
    ended: list[int] = []
    going: dict[int, int] = {}
    for item in turns:
        subjects = item.subjects if item is not None else ()
        ended += [length for subject, length in going.items() if subject not in subjects]
        going = {subject: going.get(subject, 0) + 1 for subject in subjects}
    return [*ended, *going.values()]
