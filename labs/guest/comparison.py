"""Rewards, scores, equality and stops of policies from the same starts, with standard errors."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from engine.games.guest.rules import State, skew_energies, start_state
from engine.games.guest.scoring import Marks, score_between
from engine.games.guest.session import Frame, Policy, begin, play
from engine.report.statistics import Estimate, estimate_of


class EpisodeResult(NamedTuple):
    """The result of one episode: total reward, mean of 1 - gini, and number of stopped turns."""

    reward: float
    equality: float
    stops: int


class Row(NamedTuple):
    """A policy's means per episode: reward, score (0 for wait, 1 for beam), 1 - gini, and stops."""

    policy: str
    reward: Estimate
    score: Estimate
    equality: Estimate
    stops: Estimate


def start_of(seed: int, energy_imbalance: float = 0.0) -> State:
    """Return the state in which the environment begins after `reset(seed=seed)`."""
    if energy_imbalance:
        return start_state(skew_energies(energy_imbalance))
    # NumPy is slow to import, and a game does not need it.
    from numpy.random import default_rng

    return start_state(tuple(default_rng(seed).uniform(0.4, 0.6, 3).tolist()))


def measure(
    policy: Policy,
    start: State,
    frame: Frame,
    seed: int,
) -> EpisodeResult:
    """Play one episode; `seed` is for the policy's own random draws."""
    session = play(policy, begin(start, frame), Random(seed))
    return EpisodeResult(session.reward, session.equality, session.stops)


def _policy_row(name: str, episodes: Sequence[EpisodeResult], marks: Sequence[Marks]) -> Row:
    rewards, equalities, stops = zip(*episodes, strict=True)
    scores = [score_between(reward, mark) for reward, mark in zip(rewards, marks, strict=True)]
    return Row(name, *map(estimate_of, (rewards, scores, equalities, stops)))


def policy_table(played: Mapping[str, Sequence[EpisodeResult]]) -> list[Row]:
    """Return a row for each policy, highest score first.

    `played` maps each policy to its episodes, all with the same starts in the same order. It must
    include "wait" and "beam", since an episode's score is `(R - R_wait) / (R_beam - R_wait)`.
    """
    marks = []
    for waited, searched in zip(played["wait"], played["beam"], strict=True):
        marks.append(Marks(waited.reward, searched.reward))
    rows = [_policy_row(name, episodes, marks) for name, episodes in played.items()]
    return sorted(rows, key=lambda row: -row.score.mean)
