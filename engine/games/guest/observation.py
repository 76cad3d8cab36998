"""A policy's observation: the source's nine numbers, and a version of them for networks."""

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.rules import State, Terms


def observation(state: State, terms: Terms) -> NDArray[np.float32]:
    """Return the source's observation, float32 of shape (9,).

    For each agent in turn: energy, speaking_time / max_speaking_time, phonemes.
    """
    # Unrolled: every step of every environment runs this.
    e0, e1, e2 = state.energy
    t0, t1, t2 = state.speaking_time
    p0, p1, p2 = state.phonemes
    one, two, three = terms.agents
    s0 = t0 / one.max_speaking_time
    s1 = t1 / two.max_speaking_time
    s2 = t2 / three.max_speaking_time
    return np.array((e0, s0, p0, e1, s1, p1, e2, s2, p2), dtype=np.float32)


def shares(observed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return observations, of shape (..., 9), with shares of phonemes instead of counts.

    A share is 1/3 before any agent has spoken. Counts grow without bound, but the reward depends
    only on their proportions.
    """
    seen = np.array(observed, dtype=np.float32)
    phonemes = seen[..., 2::3]
    total = phonemes.sum(axis=-1, keepdims=True)
    seen[..., 2::3] = np.where(total > 0, phonemes / np.maximum(total, 1), 1 / 3)
    return seen
