"""A game's turning points: the largest change of lead, the closest vote, and the largest step."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple


class TurningPoint(NamedTuple):
    """An event at which a game turned: its index in the log, a label and a description."""

    event: int
    label: str
    text: str


# An event's index, and each player's points after that event.
Standing = tuple[int, Mapping[str, float]]


def leader_of(points: Mapping[str, float]) -> str:
    """Return the player with the most points, or "" if there is no single leader."""
    most = max(points.values(), default=0)
    best = [name for name, score in points.items() if score == most]
    return best[0] if len(best) == 1 else ""


def changes_of_lead(standings: Sequence[Standing], unit: str = "points") -> Iterator[TurningPoint]:
    """Yield the largest change of lead (the earliest if several are equal), if there is one.

    The size of a change is the new leader's gain on the old leader. Standings without a single
    leader are skipped, as are changes from a leader that left the game.
    """
    largest = 0.0
    changes: list[TurningPoint] = []
    led = [(index, points) for index, points in standings if leader_of(points)]
    for (_, before), (index, after) in pairwise(led):
        old, new = leader_of(before), leader_of(after)
        if old == new or old not in after or new not in before:
            continue
        behind, ahead = before[old] - before[new], after[new] - after[old]
        if behind + ahead > largest:
            largest = behind + ahead
            text = f"{new} passes {old}: {behind:.3g} {unit} behind before, {ahead:.3g} ahead after"
            changes = [TurningPoint(index, "Largest change of lead", text)]
    yield from changes


def closest_vote(ballots: Sequence[Standing]) -> Iterator[TurningPoint]:
    """Yield the latest of the ballots with the smallest gap between the top two candidates."""
    margins = []
    for index, votes in ballots:
        ranked = sorted(votes, key=votes.__getitem__, reverse=True)
        if len(ranked) > 1:
            leader, follower = ranked[:2]
            text = f"{votes[leader]:g} for {leader}, {votes[follower]:g} for {follower}"
            margins.append((votes[leader] - votes[follower], -index, text))
    if margins:
        _, place, text = min(margins)
        yield TurningPoint(-place, "Closest vote", text)


def largest_step(curve: Sequence[tuple[int, float]], name: str) -> Iterator[TurningPoint]:
    """Yield a curve's largest change between neighbouring points (the first, if several tie)."""
    steps = [(abs(new - old), index, old, new) for (_, old), (index, new) in pairwise(curve)]
    if any(size for size, *_ in steps):
        _, index, old, new = max(steps, key=lambda step: step[0])
        verb = "rises" if new > old else "falls"
        text = f"{name} {verb} from {old:.2f} to {new:.2f}"
        yield TurningPoint(index, f"Largest step of {name}", text)
