"""Many sessions ("rooms") of GuestEnv in arrays, with a count of each room's steps and actions."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.arrays import Floats, Ints, States, Tables, step_states
from engine.games.guest.rules import ACTIONS, NOBODY, State


class Rooms(NamedTuple):
    """The states of n rooms, updated in place; `stats`, of shape (n, 8), counts actions."""

    energy: Floats
    speaking_time: Ints
    phonemes: Ints
    speaker: Ints
    counter: Ints
    stats: Ints

    @classmethod
    def empty(cls, number: int) -> "Rooms":
        """Return `number` rooms with energies of 0."""
        return cls(
            energy=np.zeros((number, 3)),
            speaking_time=np.zeros((number, 3), np.int64),
            phonemes=np.zeros((number, 3), np.int64),
            speaker=np.full(number, NOBODY, np.int64),
            counter=np.zeros(number, np.int64),
            stats=np.zeros((number, len(ACTIONS)), np.int64),
        )

    def begin(self, places: Ints, energy: Floats) -> None:
        """Reset the rooms at `places`, with initial energies of shape (len(places), 3)."""
        self.energy[places] = energy
        self.speaker[places] = NOBODY
        for counts in (self.speaking_time, self.phonemes, self.counter, self.stats):
            counts[places] = 0

    def state(self, place: int) -> State:
        """Return one room's state."""
        return State(
            energy=tuple(self.energy[place].tolist()),
            speaking_time=tuple(self.speaking_time[place].tolist()),
            phonemes=tuple(self.phonemes[place].tolist()),
            current_speaker=int(self.speaker[place]),
            step_counter=int(self.counter[place]),
        )


def step_rooms(rooms: Rooms, actions: Ints, tables: Tables) -> tuple[Floats, Floats]:
    """Step every room in place; return rewards and Gini coefficients, each of shape (n,)."""
    rooms.counter[:] += 1
    rooms.stats[np.arange(len(actions)), actions] += 1
    states = States(rooms.energy.T, rooms.speaking_time.T, rooms.phonemes.T, rooms.speaker)
    ginis, shaping = step_states(states, actions, tables)
    return 1 - ginis + shaping, ginis


def observe_rooms(rooms: Rooms, tables: Tables) -> NDArray[np.float32]:
    """Return each room's observation, float32 (n, 9), as `observation` computes it."""
    seen = np.empty((len(rooms.energy), 3, 3), np.float32)
    seen[:, :, 0] = rooms.energy
    seen[:, :, 1] = rooms.speaking_time / tables.longest
    seen[:, :, 2] = rooms.phonemes
    return seen.reshape(-1, 9)
