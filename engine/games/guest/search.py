"""A beam search over the rules: the best course of a whole session that is known to be reachable.

Many courses are followed side by side, one a column of NumPy arrays; after each step those go on
that have the most reward so far. Of the courses that have come to one state only the best is kept:
so the others stay different.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.guest.rules import State, Terms

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Trail: TypeAlias = list[tuple[Array, Array]]

WIDTH = 1000
# So many times the width are looked at for courses that differ.
SPARE = 3
# Energies that agree to a thousandth are one state, and so are two states of one key: that costs a
# course, no more.
GRAIN = 1000
KEY = np.array(
    [0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xD3A2646D, 0xFD7046C5, 0xB55A4F09]
)
EVERY_ACTION, ONLY_WAIT = np.arange(8), np.zeros(1, dtype=np.int64)


class Agents(NamedTuple):
    """The terms as arrays of shape (3,), but for `gain`, a column of shape (3, 1)."""

    least: Array
    gain: Array
    decay: Array
    most: Array
    phonemes: Array
    late: Array
    stare: float
    encourage: float


@dataclass(slots=True)
class Courses:
    """n courses where they stand: `energy` and `phonemes` (3, n); `speaker`, its speaking time, and reward (n,)."""

    energy: Array
    phonemes: Array
    speaker: Array
    spoken: Array
    reward: Array

    def at(self, places: Array) -> "Courses":
        """Return the courses at `places`, in that order, each a copy."""
        return Courses(
            self.energy[:, places],
            self.phonemes[:, places],
            self.speaker[places],
            self.spoken[places],
            self.reward[places],
        )


@lru_cache(maxsize=256)
def plan(
    state: State, terms: Terms, steps: int, every: int = 1, width: int = WIDTH
) -> tuple[int, ...]:
    """Return the decisions of the best course of the next `steps` steps, one decision each `every` steps.

    `width` courses are followed; 1000 take about a second for 600 steps. The same arguments give
    the same course.
    """
    agents, courses = agents_of(terms), courses_of(state)
    trail: Trail = []
    for place in range(steps):
        parents, actions = branches(courses.speaker, ONLY_WAIT if place % every else EVERY_ACTION)
        courses = courses.at(parents)
        act(courses, actions, agents)
        kept = best_of(courses, width)
        courses = courses.at(kept)
        trail.append((parents[kept], actions[kept]))
    return traced(trail)[::every]


def branches(speaker: Array, choice: Array) -> tuple[Array, Array]:
    """Return which course each new one goes on from, and with which action: all of `choice` that have an effect."""
    parents, actions = (
        np.repeat(np.arange(speaker.size), choice.size),
        np.tile(choice, speaker.size),
    )
    effective = np.where(speaker[parents] < 0, actions != 1, actions < 5)
    return parents[effective], actions[effective]


def act(courses: Courses, actions: Array, agents: Agents) -> None:
    """Play one step of all courses, as `rules.step` plays it: the same operations on floats in the same order."""
    intervene(courses, actions, agents)
    speaks = courses.speaker >= 0
    move_energy(courses, np.flatnonzero(speaks), agents)
    give_floor(courses, speaks, agents)
    places = np.flatnonzero(courses.speaker >= 0)
    speaker = courses.speaker[places]
    courses.phonemes[speaker, places] += agents.phonemes[speaker]
    courses.reward += 1 - gini_of(courses.phonemes)
    spoken = courses.spoken[places]
    courses.reward[places] += np.where(spoken == 1, 0.2, 0.0) - np.where(
        spoken > agents.late[speaker], 0.1, 0.0
    )


def intervene(courses: Courses, actions: Array, agents: Agents) -> None:
    """Stop the speaker, or raise an agent's energy."""
    stopped = np.flatnonzero(actions == 1)
    courses.energy[courses.speaker[stopped], stopped] = 0.0
    courses.speaker[stopped] = -1
    raised = np.flatnonzero(actions >= 2)
    agent, boost = (
        (actions[raised] - 2) % 3,
        np.where(actions[raised] < 5, agents.stare, agents.encourage),
    )
    courses.energy[agent, raised] = np.minimum(courses.energy[agent, raised] + boost, 1.0)


def move_energy(courses: Courses, places: Array, agents: Agents) -> None:
    """Let the silent gain energy, and at `places` the speaker lose some."""
    speaker = courses.speaker[places]
    spent = np.maximum(courses.energy[speaker, places] - agents.decay[speaker], 0.0)
    courses.energy = np.minimum(courses.energy + agents.gain, 1.0)
    courses.energy[speaker, places] = spent


def give_floor(courses: Courses, speaks: Array, agents: Agents) -> None:
    """Give the floor where it is free, and let those yield who have spoken to their end."""
    able = np.where(courses.energy >= agents.least[:, None], courses.energy, -1.0)
    taken = np.flatnonzero(~speaks & (able.max(axis=0) >= 0))
    going = np.flatnonzero(speaks)
    courses.speaker[taken] = able[:, taken].argmax(axis=0)
    courses.spoken[taken] = 0
    courses.spoken[going] += 1
    speaker = courses.speaker[going]
    spent = courses.energy[speaker, going] < agents.least[speaker]
    courses.speaker[going[spent | (courses.spoken[going] >= agents.most[speaker])]] = -1


def gini_of(phonemes: Array) -> Array:
    """Return "|x_i - x_j| summed over all pairs" / (2 n total) of each column, 0 where nobody has spoken."""
    first, second, third = phonemes
    differences = 2 * (abs(first - second) + abs(first - third) + abs(second - third))
    gini: Array = differences / np.maximum(6 * phonemes.sum(axis=0), 1)
    return gini


def best_of(courses: Courses, width: int) -> Array:
    """Return the places of the up to `width` best courses that have come to different states, best first."""
    order = np.argsort(-courses.reward, kind="stable")[: SPARE * width]
    energy = np.rint(courses.energy[:, order] * GRAIN).astype(np.int64)
    # Who is silent has no speaking time that matters: it begins anew with the next turn.
    turn = np.where(courses.speaker >= 0, courses.spoken, 0)[order]
    keys = KEY @ np.vstack([energy, courses.phonemes[:, order], courses.speaker[order], turn])
    _, firsts = np.unique(keys, return_index=True)
    kept: Array = order[np.sort(firsts)[:width]]
    return kept


def traced(trail: Trail) -> tuple[int, ...]:
    """Return the actions that led to the best of the last courses."""
    place, taken = 0, []
    for parents, actions in reversed(trail):
        taken.append(int(actions[place]))
        place = parents[place]
    return tuple(reversed(taken))


def agents_of(terms: Terms) -> Agents:
    """Return the terms as arrays."""
    agents = terms.agents
    return Agents(
        np.array([agent.min_energy_to_speak for agent in agents]),
        np.array(terms.gains).reshape(3, 1),
        np.array([agent.energy_decay for agent in agents]),
        np.array([agent.max_speaking_time for agent in agents]),
        np.array([agent.phonemes_per_step for agent in agents]),
        np.array(terms.late),
        terms.stare,
        terms.encourage,
    )


def courses_of(state: State) -> Courses:
    """Return the one course that has come to `state`, its reward counted from there."""
    speaker = state.current_speaker
    return Courses(
        np.array(state.energy).reshape(3, 1),
        np.array(state.phonemes, dtype=np.int64).reshape(3, 1),
        np.array([speaker]),
        np.array([state.speaking_time[speaker]]),
        np.zeros(1),
    )
