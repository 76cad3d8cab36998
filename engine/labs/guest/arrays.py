"""The rules for many rooms at once, on arrays: the same numbers to the last bit as `rules.step` in each."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.rules import ACTIONS, NOBODY, State, Terms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(slots=True)
class Rooms:
    """The states of n rooms: arrays of shape (n, 3) and (n,), and how often each action was taken, (n, 8)."""

    energy: Floats
    speaking_time: Ints
    phonemes: Ints
    speaker: Ints
    counter: Ints
    stats: Ints

    @classmethod
    def empty(cls, number: int) -> "Rooms":
        """Return `number` rooms with energies of 0."""
        speaking_time, phonemes = np.zeros((number, 3), np.int64), np.zeros((number, 3), np.int64)
        speaker, counter = np.full(number, NOBODY, np.int64), np.zeros(number, np.int64)
        stats = np.zeros((number, len(ACTIONS)), np.int64)
        return cls(np.zeros((number, 3)), speaking_time, phonemes, speaker, counter, stats)

    def begin(self, places: Ints, energy: Floats) -> None:
        """Put the rooms at `places` back to a start with these energies, of shape (len(places), 3)."""
        self.energy[places] = energy
        self.speaker[places] = NOBODY
        for counts in (self.speaking_time, self.phonemes, self.counter, self.stats):
            counts[places] = 0

    def state(self, place: int) -> State:
        """Return one room's state."""
        energy, speaking_time, phonemes = (
            part[place].tolist() for part in (self.energy, self.speaking_time, self.phonemes)
        )
        speaker, counter = int(self.speaker[place]), int(self.counter[place])
        return State(tuple(energy), tuple(speaking_time), tuple(phonemes), speaker, counter)


@dataclass(frozen=True, slots=True)
class Tables:
    """The terms as arrays: boosts of each agent by action, while someone speaks and in silence, and parameters.

    `boosts` has shape (2, 8, 3), all others (3,).
    """

    boosts: Floats
    gains: Floats
    decays: Floats
    least: Floats
    longest: Ints
    phonemes: Ints
    late: Floats

    @classmethod
    def of(cls, terms: Terms) -> "Tables":
        """Return the tables of `terms`."""
        boosts = np.zeros((2, len(ACTIONS), 3))
        for place in range(3):
            boosts[:, 2 + place, place] = terms.stare
            boosts[1, 5 + place, place] = terms.encourage
        least, decays, _, longest, phonemes = (
            np.array(column) for column in zip(*terms.agents, strict=True)
        )
        gains, late = np.array(terms.gains), np.array(terms.late)
        floats = (gains, decays.astype(float), least.astype(float))
        return cls(boosts, *floats, longest, phonemes, late)


def step_rooms(rooms: Rooms, actions: Ints, tables: Tables) -> tuple[Floats, Floats]:
    """Do one step in every room, in place, and return rewards and Gini coefficients, both of shape (n,)."""
    everywhere = np.arange(len(actions))
    rooms.counter += 1
    rooms.stats[everywhere, actions] += 1
    silence = rooms.speaker < 0
    stopped = np.flatnonzero(~silence & (actions == 1))
    rooms.energy[stopped, rooms.speaker[stopped]] = 0.0
    rooms.speaker[stopped] = NOBODY
    energy = np.minimum(rooms.energy + tables.boosts[silence.astype(np.int8), actions], 1.0)
    rooms.energy = np.minimum(energy + tables.gains, 1.0)
    speaking, silent = np.flatnonzero(rooms.speaker >= 0), np.flatnonzero(rooms.speaker < 0)
    go_on(rooms, speaking, energy, tables)
    award(rooms, silent, tables)
    heard = np.flatnonzero(rooms.speaker >= 0)
    voices = rooms.speaker[heard]
    rooms.phonemes[heard, voices] += tables.phonemes[voices]
    ginis = gini_of(rooms.phonemes)
    rewards = 1 - ginis
    spoken = rooms.speaking_time[heard, voices]
    rewards[heard[spoken == 1]] += 0.2
    rewards[heard[spoken > tables.late[voices]]] -= 0.1
    return rewards, ginis


def go_on(rooms: Rooms, places: Ints, energy: Floats, tables: Tables) -> None:
    """Let those speak on who speak at `places`, or yield: by their energy, from `energy` before it, or their time."""
    voices = rooms.speaker[places]
    left = np.maximum(energy[places, voices] - tables.decays[voices], 0.0)
    spoken = rooms.speaking_time[places, voices] + 1
    rooms.energy[places, voices] = left
    rooms.speaking_time[places, voices] = spoken
    rooms.speaker[places[(spoken >= tables.longest[voices]) | (left < tables.least[voices])]] = (
        NOBODY
    )


def award(rooms: Rooms, places: Ints, tables: Tables) -> None:
    """Give the floor at `places`, where nobody speaks, to the first of those with the most energy, if it is enough."""
    energy = rooms.energy[places]
    enough = np.where(energy >= tables.least, energy, -1.0)
    best = enough.argmax(axis=1)
    taken = enough[np.arange(len(places)), best] >= 0
    rooms.speaker[places[taken]] = best[taken]
    rooms.speaking_time[places[taken], best[taken]] = 0


def observed(rooms: Rooms, tables: Tables) -> NDArray[np.float32]:
    """Return what is seen of each room, float32 (n, 9): of each agent energy, speaking_time / max, phonemes."""
    seen = np.empty((len(rooms.energy), 3, 3), np.float32)
    seen[:, :, 0] = rooms.energy
    seen[:, :, 1] = rooms.speaking_time / tables.longest
    seen[:, :, 2] = rooms.phonemes
    return seen.reshape(-1, 9)


def gini_of(phonemes: Ints) -> Floats:
    """Return the Gini coefficients of counts of shape (n, 3), 0 where nobody has spoken."""
    one, two, three = phonemes.T
    total = one + two + three
    differences = abs(one - two) + abs(one - three) + abs(two - three)
    ginis = np.zeros(len(total))
    np.divide(2 * differences, 6 * total, out=ginis, where=total > 0)
    return ginis
