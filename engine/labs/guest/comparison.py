"""Policies beside one another on the same starts: reward, score, raw equality and stops, with standard errors."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from engine.games.guest.rules import State, first_state, skew_energies
from engine.games.guest.scoring import Marks, score_of
from engine.games.guest.session import Frame, Policy, begin, play
from engine.statistics import Estimate, estimate_of

MARKS = ("wait", "beam")


class Played(NamedTuple):
    """What came of one episode."""

    reward: float
    equality: float
    stops: int


class Row(NamedTuple):
    """One policy over all episodes: total reward, score between wait and beam, mean of 1 - gini, stops."""

    policy: str
    reward: Estimate
    score: Estimate
    equality: Estimate
    stops: Estimate


def start_of(seed: int, energy_imbalance: float = 0.0) -> State:
    """Return where the environment begins after `reset(seed=seed)`."""
    if energy_imbalance:
        return first_state(skew_energies(energy_imbalance))
    # NumPy is slow to import, and a game needs none of it.
    from numpy.random import default_rng

    return first_state(tuple(default_rng(seed).uniform(0.4, 0.6, 3).tolist()))


def measure(policy: Policy, start: State, frame: Frame, seed: int) -> Played:
    """Play one episode; `seed` is for the policy's own draws."""
    session = play(policy, begin(start, frame), Random(seed))
    return Played(session.reward, session.equality, session.stops)


def policy_table(played: Mapping[str, Sequence[Played]]) -> list[Row]:
    """Return a row for each policy, the highest score first.

    `played` has the episodes of each policy, those of all policies from the same starts in the same
    order; "wait" and "beam" must be among them, since a score is `(R - R_wait) / (R_beam - R_wait)`
    of its own episode.
    """
    marks = [
        Marks(*(one.reward for one in both))
        for both in zip(*(played[name] for name in MARKS), strict=True)
    ]
    rows = [
        Row(
            name,
            estimate_of([one.reward for one in episodes]),
            estimate_of(
                [score_of(one.reward, mark) for one, mark in zip(episodes, marks, strict=True)]
            ),
            estimate_of([one.equality for one in episodes]),
            estimate_of([one.stops for one in episodes]),
        )
        for name, episodes in played.items()
    ]
    return sorted(rows, key=lambda row: -row.score.mean)
