"""The points of a conversation, counted again turn by turn: simpler and slower than the game.

Turns are counted from 0 here. Only the first `end` turns are considered.
"""

from engine.games.conversation.payloads import BankItem, SharedPoints
from tests.oracles.conversation.reading import Line

REACH = 3
MEMORY = 5


def subjects_around(line: Line, place: int, end: int) -> list[int]:
    """Return the subjects of the context set, each as often as its items have it.

    "Collect up to 3 preceding and up to 3 following items as the context set C_I. The window does
    not cross pauses or the conversation start/end." A repeated item counts for its neighbours.
    """
    found: list[int] = []
    for step in (-1, 1):
        for distance in range(1, REACH + 1):
            other = place + step * distance
            if other < 0 or other >= end:
                break
            neighbour = line[other]
            if neighbour is None:
                break
            found += neighbour.subjects
    return found


def coherence_at(line: Line, place: int, end: int) -> float:
    """Return -1, 0 or 1 for the item of a turn.

    "If a subject present in I is never mentioned in C_I, subtract 1 point": once. "If all subjects
    in I are each mentioned at least twice in C_I, add 1 point." Repeated items "do not help
    coherence beyond their first instance": 0.
    """
    item = line[place]
    if item is None or item.again:
        return 0.0
    around = subjects_around(line, place, end)
    mentions = [around.count(subject) for subject in item.subjects]
    if 0 in mentions:
        return -1.0
    return 1.0 if min(mentions) >= 2 else 0.0


def importance_at(line: Line, place: int) -> float:
    """Return an item's importance; "repeated instances contribute zero"."""
    item = line[place]
    return 0.0 if item is None or item.again else item.item.importance


def freshness_at(line: Line, place: int) -> float:
    """Return a point for each novel subject of an item "immediately after a pause".

    That is a subject "not present in the five turns prior to the pause". "Repeated items do not get
    freshness points."
    """
    item = line[place]
    pause = place - 1
    if item is None or pause < 0 or line[pause] is not None or item.again:
        return 0.0
    before = subjects_between(line, max(0, pause - MEMORY), pause)
    return float(len([subject for subject in item.subjects if subject not in before]))


def nonmonotonousness_at(line: Line, place: int) -> float:
    """Return -1 for an item of which one subject "is present in each of the previous three items".

    These are the three turns before, so that a pause among them breaks the row. "Repeated items
    lose 1 point here as well", never two.
    """
    item = line[place]
    if item is None:
        return 0.0
    if item.again:
        return -1.0
    if place < REACH:
        return 0.0
    before = line[place - REACH : place]
    for subject in item.subjects:
        if all(earlier is not None and subject in earlier.subjects for earlier in before):
            return -1.0
    return 0.0


def subjects_between(line: Line, begin: int, end: int) -> list[int]:
    """Return the subjects of the turns from `begin` on, before `end`."""
    found: list[int] = []
    for item in line[begin:end]:
        if item is not None:
            found += item.subjects
    return found


def points_by(line: Line, place: int) -> SharedPoints:
    """Return how much a turn changed each part of the score when it was spoken.

    It has its own points, and may change the coherence of earlier turns.
    """
    coherence = coherence_at(line, place, place + 1)
    for earlier in range(max(0, place - REACH), place):
        coherence += coherence_at(line, earlier, place + 1) - coherence_at(line, earlier, place)
    return SharedPoints(
        importance=importance_at(line, place),
        coherence=coherence,
        freshness=freshness_at(line, place),
        nonmonotonousness=nonmonotonousness_at(line, place),
    )


def bonus_of(item: BankItem, ranking: tuple[int, ...]) -> float:
    """Return an item's private bonus for its speaker, each time it is spoken.

    "For a single-subject item with rank k (1..|S|) the private bonus = 1 - k/|S|. For a two-subject
    item, the private bonus is the average of the two subject bonuses."
    """
    ranks = [ranking.index(subject) + 1 for subject in item.subjects]
    return sum(1 - rank / len(ranking) for rank in ranks) / len(ranks)
