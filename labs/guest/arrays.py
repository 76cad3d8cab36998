"""The rules for many sessions ("rooms") in arrays; results match `rules.step` to the last bit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.rules import ACTIONS, NOBODY, State, Terms

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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


class Tables(NamedTuple):
    """The terms of the rooms as arrays.

    `boosts` has shape (2, 8, 3): by speech or silence, by action and by agent. `shaping` has the
    bonus and the penalty. All other arrays have shape (3,).
    """

    boosts: Floats
    gains: Floats
    decays: Floats
    least: Floats
    longest: Ints
    phonemes: Ints
    late: Floats
    shaping: Floats

    @classmethod
    def of(cls, terms: Terms) -> "Tables":
        """Return the tables of `terms`."""
        agents = terms.agents
        boosts = np.zeros((2, len(ACTIONS), 3))
        for place in range(3):
            boosts[:, 2 + place, place] = terms.stare
            boosts[1, 5 + place, place] = terms.encourage
        return cls(
            boosts=boosts,
            gains=np.array(terms.gains),
            decays=np.array([agent.energy_decay for agent in agents], float),
            least=np.array([agent.min_energy_to_speak for agent in agents], float),
            longest=np.array([agent.max_speaking_time for agent in agents]),
            phonemes=np.array([agent.phonemes_per_step for agent in agents]),
            late=np.array(terms.late),
            shaping=np.array([terms.start_bonus, terms.late_penalty]),
        )


def step_rooms(
    rooms: Rooms,
    actions: Ints,
    tables: Tables,
) -> tuple[Floats, Floats]:
    """Step every room, in place; return rewards and Gini coefficients, each of shape (n,)."""
    rooms.counter[:] += 1
    rooms.stats[np.arange(len(actions)), actions] += 1
    silence = rooms.speaker < 0
    stopped = np.flatnonzero(~silence & (actions == 1))
    rooms.energy[stopped, rooms.speaker[stopped]] = 0.0
    rooms.speaker[stopped] = NOBODY
    boosts = tables.boosts[silence.astype(np.int8), actions]
    energy: Floats = np.minimum(rooms.energy + boosts, 1.0)
    np.minimum(energy + tables.gains, 1.0, out=rooms.energy)
    speaking = np.flatnonzero(rooms.speaker >= 0)
    silent = np.flatnonzero(rooms.speaker < 0)
    continue_turns(rooms, speaking, energy, tables)
    award_floor(rooms, silent, tables)
    return reward_rooms(rooms, tables)


def reward_rooms(rooms: Rooms, tables: Tables) -> tuple[Floats, Floats]:
    """Count the speakers' phonemes and return rewards and Gini coefficients."""
    heard = np.flatnonzero(rooms.speaker >= 0)
    voices = rooms.speaker[heard]
    rooms.phonemes[heard, voices] += tables.phonemes[voices]
    ginis = room_ginis(rooms.phonemes)
    rewards = 1 - ginis
    # A bonus for beginning to speak, and a penalty for speaking too long.
    spoken = rooms.speaking_time[heard, voices]
    bonus, penalty = tables.shaping
    rewards[heard[spoken == 1]] += bonus
    rewards[heard[spoken > tables.late[voices]]] -= penalty
    return rewards, ginis


def continue_turns(
    rooms: Rooms,
    places: Ints,
    energy: Floats,
    tables: Tables,
) -> None:
    """Let the speakers at `places` continue, or make them stop if energy or time runs out.

    `energy` has the energies of all agents before this step's gains.
    """
    voices = rooms.speaker[places]
    left = np.maximum(energy[places, voices] - tables.decays[voices], 0.0)
    spoken = rooms.speaking_time[places, voices] + 1
    rooms.energy[places, voices] = left
    rooms.speaking_time[places, voices] = spoken
    done = spoken >= tables.longest[voices]
    rooms.speaker[places[done | (left < tables.least[voices])]] = NOBODY


def award_floor(
    rooms: Rooms,
    places: Ints,
    tables: Tables,
) -> None:
    """In the silent rooms at `places`, let the agent with most energy speak if it has enough."""
    energy = rooms.energy[places]
    enough = np.where(energy >= tables.least, energy, -1.0)
    best = enough.argmax(axis=1)
    taken = enough[np.arange(len(places)), best] >= 0
    rows = places[taken]
    takers = best[taken]
    rooms.speaker[rows] = takers
    rooms.speaking_time[rows, takers] = 0


def observe_rooms(rooms: Rooms, tables: Tables) -> NDArray[np.float32]:
    """Return each room's observation, float32 (n, 9), as `observation` computes it."""
    seen = np.empty((len(rooms.energy), 3, 3), np.float32)
    seen[:, :, 0] = rooms.energy
    seen[:, :, 1] = rooms.speaking_time / tables.longest
    seen[:, :, 2] = rooms.phonemes
    return seen.reshape(-1, 9)


def room_ginis(phonemes: Ints) -> Floats:
    """Return the Gini coefficients of counts of shape (n, 3); 0 if no agent has spoken."""
    one, two, three = phonemes.T
    total = one + two + three
    differences = abs(one - two) + abs(one - three) + abs(two - three)
    ginis = np.zeros(len(total))
    np.divide(2 * differences, 6 * total, out=ginis, where=total > 0)
    return ginis
