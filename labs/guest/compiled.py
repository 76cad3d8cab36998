"""The rules for many rooms, compiled by numba; results match `arrays.step_rooms` to the last bit.

A processor cannot predict who speaks next, and a wrong prediction is slower than computing both
branches. So every choice here selects between values and never branches.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.games.guest.arrays import Floats, Ints, Tables
from labs.guest.arrays import Rooms


def step_compiled(
    rooms: Rooms,
    actions: Ints,
    tables: Tables,
) -> tuple[Floats, Floats]:
    """Step every room in place; return rewards and Gini coefficients, each of shape (n,)."""
    rewards = np.empty(len(actions))
    ginis = np.empty(len(actions))
    _steps(actions, rooms, tables, rewards, ginis)
    return rewards, ginis


def observe_compiled(rooms: Rooms, tables: Tables) -> NDArray[np.float32]:
    """Return each room's observation, float32 (n, 9), as `observation` computes it."""
    seen = np.empty((len(rooms.energy), 9), np.float32)
    _observe(seen, rooms, tables.longest)
    return seen


@njit(cache=True, error_model="numpy")
def _observe(seen: Any, rooms: Any, longest: Any) -> None:
    for room in range(seen.shape[0]):
        for place in range(3):
            seen[room, 3 * place] = rooms.energy[room, place]
            seen[room, 3 * place + 1] = rooms.speaking_time[room, place] / longest[place]
            seen[room, 3 * place + 2] = rooms.phonemes[room, place]


@njit(cache=True, error_model="numpy")
def _steps(actions: Any, rooms: Any, tables: Any, rewards: Any, ginis: Any) -> None:
    energy, times, phonemes, speakers, counter, stats = rooms
    for room in range(actions.shape[0]):
        action = actions[room]
        speaker = speakers[room]
        counter[room] += 1
        stats[room, action] += 1

        stopped = speaker if action == 1 else -1
        silence = 0 if speaker >= 0 else 1
        boost = tables.boosts[silence, action]
        speaker = -1 if action == 1 else speaker
        _move_energies(energy[room], boost, stopped, speaker, tables)

        speaker, whose, spoken = _floor(energy[room], times[room], speaker, tables)
        speakers[room] = speaker
        times[room, whose] = spoken

        speaks = speaker >= 0
        heard = max(speaker, 0)
        phonemes[room, heard] += tables.phonemes[heard] if speaks else 0
        late = spoken > tables.late[heard]
        shaping = tables.shaping
        rewards[room], ginis[room] = _reward(phonemes[room], speaks, spoken, late, shaping)


@njit(cache=True, error_model="numpy", inline="always")
def _move_energies(energy: Any, boost: Any, stopped: Any, speaker: Any, tables: Any) -> None:
    gains, decays = tables.gains, tables.decays
    for place in range(3):
        before = 0.0 if place == stopped else energy[place]
        boosted = min(before + boost[place], 1.0)
        lost = max(boosted - decays[place], 0.0)
        gained = min(boosted + gains[place], 1.0)
        energy[place] = lost if place == speaker else gained


@njit(cache=True, error_model="numpy", inline="always")
def _floor(energy: Any, times: Any, speaker: Any, tables: Any) -> Any:
    """Return the next speaker, and the index and time of the agent whose speaking time changes."""
    least, longest = tables.least, tables.longest
    best, most = 0, -1.0
    for place in range(3):
        level = energy[place] if energy[place] >= least[place] else -1.0
        best, most = (place, level) if level > most else (best, most)

    speaks = speaker >= 0
    level = max(speaker, 0)
    spoken = times[level] + 1
    goes_on = spoken < longest[level] and energy[level] >= least[level]
    still = level if goes_on else -1
    taker = best if most >= 0 else -1
    kept = times[best] if taker < 0 else 0

    now = still if speaks else taker
    whose = level if speaks else best
    written = spoken if speaks else kept
    return now, whose, written


@njit(cache=True, error_model="numpy", inline="always")
def _reward(phonemes: Any, speaks: Any, spoken: Any, late: Any, shaping: Any) -> Any:
    one, two, three = phonemes[0], phonemes[1], phonemes[2]
    total = one + two + three
    differences = abs(one - two) + abs(one - three) + abs(two - three)
    inequality = 2 * differences / (6 * total if total > 0 else 1)
    bonus = shaping[0] if speaks and spoken == 1 else 0.0
    penalty = shaping[1] if speaks and late else 0.0
    return 1 - inequality + bonus - penalty, inequality
