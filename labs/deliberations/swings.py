"""Swing votes: ballots that could have changed or tied a verdict alone."""

from collections import Counter
from collections.abc import Sequence

from engine.round_phases.ballots import CastVote

Leaders = frozenset[str]


def swing_votes(ballots: Sequence[CastVote], selected: str | None) -> list[CastVote]:
    """Return the ballots of a round that could have changed or tied its verdict.

    That is: with another choice of that voter, all else the same, others would have had most votes
    than had, unless it were `selected` alone, whom a lot or a second vote chose from a tie.
    """
    tally = Counter[str]()
    for ballot in ballots:
        if ballot.choice is not None:
            tally[ballot.choice] += 1
    return [ballot for ballot in ballots if can_swing(ballot, tally, selected)]


def can_swing(ballot: CastVote, tally: Counter[str], selected: str | None) -> bool:
    """Return whether another choice would have given others most of the votes."""
    if ballot.choice is None:
        return False
    same = {leaders_of_votes(tally), frozenset([selected])}
    for other in ballot.candidates:
        if other == ballot.choice:
            continue
        changed = tally.copy()
        changed[ballot.choice] -= 1
        changed[other] += 1
        if leaders_of_votes(changed) not in same:
            return True
    return False


def leaders_of_votes(tally: Counter[str]) -> Leaders:
    """Return who has most votes."""
    most = max(tally.values())
    leaders = []
    for name, votes in tally.items():
        if votes == most:
            leaders.append(name)
    return frozenset(leaders)
