"""A beam search that applies the rules to find the best course of a whole session.

It follows many courses in parallel, each a column of NumPy arrays, and after each step keeps the
courses with the most reward so far. Among courses in the same state, it keeps only the best, so
that the courses differ.
"""

from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.guest.arrays import MASKS, Floats, Ints, States, Tables, step_states
from engine.games.guest.rules import State, Terms

Trail: TypeAlias = list[tuple[Ints, Ints]]

WIDTH = 1000
# Up to WIDTH different courses are chosen from the best SPARE * WIDTH courses.
SPARE = 3
# States with energies that agree to a thousandth, or with equal keys, count as the same. At worst,
# this loses a course.
GRAIN = 1000
KEY = np.array(
    [
        0x9E3779B1,
        0x85EBCA77,
        0xC2B2AE3D,
        0x27D4EB2F,
        0x165667B1,
        0xD3A2646D,
        0xFD7046C5,
        0xB55A4F09,
    ]
)


class Courses(NamedTuple):
    """A set of n courses: their states, and their rewards so far, of shape (n,)."""

    states: States
    reward: Floats

    def at(self, places: Ints) -> "Courses":
        """Return copies of the courses at `places`, in that order."""
        states: list[Any] = [part.take(places, axis=-1) for part in self.states]
        return Courses(States(*states), self.reward.take(places))


@lru_cache(maxsize=256)
def plan(
    state: State,
    terms: Terms,
    steps: int,
    every: int = 1,
) -> tuple[int, ...]:
    """Return the decisions of the best course found for the next `steps` steps.

    There is one decision per `every` steps. 600 steps take about a second.
    """
    tables = Tables.of(terms)
    courses = one_course(state)
    kept = np.arange(1)
    trail: Trail = []
    for place in range(steps):
        if place % every:
            parents, actions = np.arange(len(kept)), np.zeros(len(kept), np.int64)
        else:
            parents, actions = branches(courses.states.speaker[kept])
        courses = courses.at(kept[parents])
        ginis, shaping = step_states(courses.states, actions, tables)
        # Two additions, because a single sum would round some equal rewards differently.
        reward = courses.reward
        reward += 1 - ginis
        reward += shaping
        kept = best_courses(courses)
        trail.append((parents[kept], actions[kept]))
    return walk_back(trail)[::every]


def branches(speaker: Ints) -> tuple[Ints, Ints]:
    """Return the parents and actions of new courses, one for each action that has an effect."""
    # NumPy finds nonzero values faster in an array of bools.
    parents, actions = np.nonzero(MASKS.astype(bool).take(speaker >= 0, axis=0))
    return parents, actions


def best_courses(courses: Courses) -> Ints:
    """Return the indices of up to WIDTH of the best courses in different states, best first."""
    order = np.argsort(-courses.reward, kind="stable")[: SPARE * WIDTH]
    keys = keys_of(courses.states, order)
    _, firsts = np.unique(keys, return_index=True)
    kept: Ints = order[np.sort(firsts)[:WIDTH]]
    return kept


def keys_of(states: States, places: Ints) -> Ints:
    """Return a key for each state at `places`; equal states have equal keys."""
    energy = np.rint(states.energy.take(places, axis=1) * GRAIN)
    speaker = states.speaker[places]
    # In silence no speaking time matters: the next turn begins at zero.
    turn = np.where(speaker >= 0, states.speaking_time[speaker, places], 0)
    rows = [
        energy.astype(np.int64),
        states.phonemes.take(places, axis=1),
        speaker,
        turn,
    ]
    keys: Ints = KEY @ np.vstack(rows)
    return keys


def walk_back(trail: Trail) -> tuple[int, ...]:
    """Return the actions that led to the best final course."""
    place = 0
    taken = []
    for parents, actions in reversed(trail):
        taken.append(int(actions[place]))
        place = parents[place]
    return tuple(reversed(taken))


def one_course(state: State) -> Courses:
    """Return a single course at `state`, with its reward counted from that state."""
    energy = np.array(state.energy, float).reshape(3, 1)
    speaking_time, phonemes = [np.array(part).reshape(3, 1) for part in state[1:3]]
    states = States(energy, speaking_time, phonemes, np.array([state.current_speaker]))
    return Courses(states, np.zeros(1))
