"""The rules for many rooms at once, compiled by numba: the same numbers to the last bit as `arrays.step_rooms`."""

from typing import Any

import numpy as np
from numba import njit

from engine.games.guest.arrays import Floats, Ints, Rooms, Tables


def step_rooms(rooms: Rooms, actions: Ints, tables: Tables) -> tuple[Floats, Floats]:
    """Do one step in every room, in place, and return rewards and Gini coefficients, both of shape (n,)."""
    state = (rooms.energy, rooms.speaking_time, rooms.phonemes, rooms.speaker, rooms.counter, rooms.stats)
    agents = (tables.gains, tables.decays, tables.least, tables.longest, tables.phonemes, tables.late)
    rewards, ginis = np.empty(len(actions)), np.empty(len(actions))
    _steps(actions, state, tables.boosts, agents, (rewards, ginis))
    return rewards, ginis


@njit(cache=True, error_model="numpy")
def _steps(actions: Any, state: Any, boosts: Any, agents: Any, results: Any) -> None:
    energy, times, phonemes, speakers, counter, stats = state
    for room in range(actions.shape[0]):
        action, speaker = actions[room], speakers[room]
        counter[room] += 1
        stats[room, action] += 1
        boost = boosts[1 if speaker < 0 else 0, action]
        if action == 1 and speaker >= 0:
            energy[room, speaker] = 0.0
            speaker = -1
        _move(energy[room], speaker, boost, agents)
        speaker = _floor(energy[room], times[room], speaker, agents)
        if speaker >= 0:
            phonemes[room, speaker] += agents[4][speaker]
        speakers[room] = speaker
        results[0][room], results[1][room] = _reward(times[room], phonemes[room], speaker, agents[5])


@njit(cache=True, error_model="numpy")
def _move(energy: Any, speaker: Any, boost: Any, agents: Any) -> None:
    for place in range(3):
        boosted = min(energy[place] + boost[place], 1.0)
        if place == speaker:
            energy[place] = max(boosted - agents[1][place], 0.0)
        else:
            energy[place] = min(boosted + agents[0][place], 1.0)


@njit(cache=True, error_model="numpy")
def _floor(energy: Any, times: Any, speaker: Any, agents: Any) -> Any:
    least, longest = agents[2], agents[3]
    if speaker >= 0:
        times[speaker] += 1
        return -1 if times[speaker] >= longest[speaker] or energy[speaker] < least[speaker] else speaker
    most = -1.0
    for place in range(3):
        if energy[place] > most and energy[place] >= least[place]:
            speaker, most = place, energy[place]
    if speaker >= 0:
        times[speaker] = 0
    return speaker


@njit(cache=True, error_model="numpy")
def _reward(times: Any, phonemes: Any, speaker: Any, late: Any) -> Any:
    one, two, three = phonemes[0], phonemes[1], phonemes[2]
    total = one + two + three
    differences = abs(one - two) + abs(one - three) + abs(two - three)
    inequality = 2 * differences / (6 * total) if total > 0 else 0.0
    reward = 1 - inequality
    if speaker >= 0:
        if times[speaker] == 1:
            reward += 0.2
        if times[speaker] > late[speaker]:
            reward -= 0.1
    return reward, inequality
