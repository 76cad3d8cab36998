"""A beam search that applies the rules to find the best course of a whole session.

It follows many courses in parallel, each a column of NumPy arrays, and after each step keeps the
courses with the most reward so far. Of courses in the same state, it keeps only the best, so the
courses stay different.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.games.guest.rules import State, Terms

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Trail: TypeAlias = list[tuple[Array, Array]]

WIDTH = 1000
# The different courses are chosen from the best SPARE * `width` courses.
SPARE = 3
# States whose energies agree to a thousandth, or whose keys are equal, count as the same. At worst,
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
EVERY_ACTION, ONLY_WAIT = np.arange(8), np.zeros(1, dtype=np.int64)


class Agents(NamedTuple):
    """The terms as numbers, and as arrays with a value per agent; `gain` has shape (3, 1)."""

    least: Array
    gain: Array
    decay: Array
    most: Array
    phonemes: Array
    late: Array
    stare: float
    encourage: float
    start_bonus: float
    late_penalty: float


@dataclass(slots=True)
class Courses:
    """A set of n courses; `energy` and `phonemes` have shape (3, n), and the other fields (n,)."""

    energy: Array
    phonemes: Array
    speaker: Array
    spoken: Array
    reward: Array

    def at(self, places: Array) -> "Courses":
        """Return copies of the courses at `places`, in that order."""
        return Courses(
            self.energy.take(places, axis=1),
            self.phonemes.take(places, axis=1),
            self.speaker.take(places),
            self.spoken.take(places),
            self.reward.take(places),
        )


@lru_cache(maxsize=256)
def plan(
    state: State,
    terms: Terms,
    steps: int,
    every: int = 1,
    width: int = WIDTH,
) -> tuple[int, ...]:
    """Return the decisions of the best course found for the next `steps` steps.

    There is one decision per `every` steps. With a `width` of 1000 courses, 600 steps take about a
    second.
    """
    agents = arrays_of(terms)
    courses = one_course(state)
    kept = np.arange(1)
    trail: Trail = []
    for place in range(steps):
        choice = ONLY_WAIT if place % every else EVERY_ACTION
        parents, actions = branches(courses.speaker[kept], choice)
        courses = courses.at(kept[parents])
        act(courses, actions, agents)
        kept = best_courses(courses, width)
        trail.append((parents[kept], actions[kept]))
    return walk_back(trail)[::every]


def branches(speaker: Array, choice: Array) -> tuple[Array, Array]:
    """Return the parents and actions of new courses, one for each effective action in `choice`."""
    silent = speaker.reshape(-1, 1) < 0
    parents, places = np.nonzero(np.where(silent, choice != 1, choice < 5))
    return parents, choice.take(places)


def act(
    courses: Courses,
    actions: Array,
    agents: Agents,
) -> None:
    """Play one step of all courses, with the same float operations as `rules.step`."""
    intervene_in(courses, actions, agents)
    speaks = courses.speaker >= 0
    move_energy(courses, np.flatnonzero(speaks), agents)
    give_floor(courses, speaks, agents)
    collect_reward(courses, agents)


def collect_reward(courses: Courses, agents: Agents) -> None:
    """Count the phonemes of the current speakers, and add the step's reward."""
    places = np.flatnonzero(courses.speaker >= 0)
    speaker = courses.speaker[places]
    spoken = courses.spoken[places]
    courses.phonemes[speaker, places] += agents.phonemes[speaker]
    courses.reward += 1 - gini_of(courses.phonemes)

    bonus = np.where(spoken == 1, agents.start_bonus, 0.0)
    penalty = np.where(spoken > agents.late[speaker], agents.late_penalty, 0.0)
    courses.reward[places] += bonus - penalty


def intervene_in(
    courses: Courses,
    actions: Array,
    agents: Agents,
) -> None:
    """In each course, stop the speaker or raise an agent's energy."""
    stopped = np.flatnonzero(actions == 1)
    speaker = courses.speaker[stopped]
    courses.energy[speaker, stopped] = 0.0
    courses.speaker[stopped] = -1
    raise_energies(courses, actions, agents)


def raise_energies(
    courses: Courses,
    actions: Array,
    agents: Agents,
) -> None:
    """Raise the energy of the agent, if any, that each course's action stares at or encourages."""
    raised = np.flatnonzero(actions >= 2)
    kind = actions[raised]
    agent = (kind - 2) % 3
    boost = np.where(kind < 5, agents.stare, agents.encourage)
    energy = courses.energy[agent, raised] + boost
    courses.energy[agent, raised] = np.minimum(energy, 1.0)


def move_energy(
    courses: Courses,
    places: Array,
    agents: Agents,
) -> None:
    """Let silent agents gain energy, and the speakers at `places` lose some."""
    speaker = courses.speaker[places]
    left = courses.energy[speaker, places] - agents.decay[speaker]
    courses.energy = np.minimum(courses.energy + agents.gain, 1.0)
    courses.energy[speaker, places] = np.maximum(left, 0.0)


def give_floor(
    courses: Courses,
    speaks: Array,
    agents: Agents,
) -> None:
    """In silent courses, start the turn of an agent that can speak; elsewhere, end due turns."""
    enough = courses.energy >= agents.least[:, None]
    able = np.where(enough, courses.energy, -1.0)
    first, second, third = enough
    taken = np.flatnonzero(~speaks & (first | second | third))
    courses.speaker[taken] = able.take(taken, axis=1).argmax(axis=0)
    courses.spoken[taken] = 0
    end_turns(courses, np.flatnonzero(speaks), enough, agents)


def end_turns(
    courses: Courses,
    going: Array,
    enough: Array,
    agents: Agents,
) -> None:
    """In the courses `going`, count a step; end turns with too little energy or no time left."""
    courses.spoken[going] += 1
    speaker = courses.speaker[going]
    spent = ~enough[speaker, going]
    done = courses.spoken[going] >= agents.most[speaker]
    courses.speaker[going[spent | done]] = -1


def gini_of(phonemes: Array) -> Array:
    """Return the Gini coefficient of each column, 0 where no agent has spoken.

    "|x_i - x_j| summed over all pairs" / (2 n total).
    """
    first, second, third = phonemes
    differences = 2 * (abs(first - second) + abs(first - third) + abs(second - third))
    gini: Array = differences / np.maximum(6 * (first + second + third), 1)
    return gini


def best_courses(courses: Courses, width: int) -> Array:
    """Return the indices of up to `width` of the best courses in different states, best first."""
    losses = -courses.reward
    most = min(SPARE * width, losses.size)
    # Only the best are sorted, including all ties with the last.
    best = np.flatnonzero(losses <= np.partition(losses, most - 1)[most - 1])
    order = best[np.argsort(losses[best], kind="stable")[:most]]
    keys = keys_of(courses, order)
    _, firsts = np.unique(keys, return_index=True)
    kept: Array = order[np.sort(firsts)[:width]]
    return kept


def keys_of(courses: Courses, places: Array) -> Array:
    """Return a key for each state at `places`; equal states have equal keys."""
    energy = np.rint(courses.energy.take(places, axis=1) * GRAIN)
    speaker = courses.speaker[places]
    # In silence no speaking time matters: the next turn begins at zero.
    turn = np.where(speaker >= 0, courses.spoken[places], 0)
    rows = [
        energy.astype(np.int64),
        courses.phonemes.take(places, axis=1),
        speaker,
        turn,
    ]
    keys: Array = KEY @ np.vstack(rows)
    return keys


def walk_back(trail: Trail) -> tuple[int, ...]:
    """Return the actions that led to the best final course."""
    place = 0
    taken = []
    for parents, actions in reversed(trail):
        action = int(actions[place])
        taken.append(action)
        place = parents[place]
    return tuple(reversed(taken))


def arrays_of(terms: Terms) -> Agents:
    """Return the terms as arrays."""
    least, decay, _, most, phonemes = np.array(terms.agents).T
    return Agents(
        least=least,
        gain=np.array(terms.gains).reshape(3, 1),
        decay=decay,
        most=most,
        phonemes=phonemes.astype(np.int64),
        late=np.array(terms.late),
        stare=terms.stare,
        encourage=terms.encourage,
        start_bonus=terms.start_bonus,
        late_penalty=terms.late_penalty,
    )


def one_course(state: State) -> Courses:
    """Return a single course at `state`, with its reward counted from that state."""
    speaker = state.current_speaker
    return Courses(
        energy=np.array(state.energy).reshape(3, 1),
        phonemes=np.array(state.phonemes, dtype=np.int64).reshape(3, 1),
        speaker=np.array([speaker]),
        spoken=np.array([state.speaking_time[speaker]]),
        reward=np.zeros(1),
    )
