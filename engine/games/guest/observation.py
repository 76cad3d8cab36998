"""What a policy sees: the source's nine numbers, and the form of them that a network can learn from."""

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.rules import State, Terms


def observation(state: State, terms: Terms) -> NDArray[np.float32]:
    """Return the source's vector, float32 of shape (9,): of each agent energy, speaking_time / max, phonemes."""
    (e0, e1, e2), (t0, t1, t2), (p0, p1, p2) = state[0], state[1], state[2]
    one, two, three = terms.agents
    m0, m1, m2 = one.max_speaking_time, two.max_speaking_time, three.max_speaking_time
    return np.array((e0, t0 / m0, p0, e1, t1 / m1, p1, e2, t2 / m2, p2), dtype=np.float32)


def shares(observed: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return observations, of shape (..., 9), with each agent's phonemes as a share of all, 1/3 before the first.

    Counts grow without bound, and only how they compare matters to the reward; so no running
    statistics are needed, and a policy that was trained on this sees the same numbers wherever it
    plays.
    """
    seen = np.array(observed, dtype=np.float32)
    phonemes = seen[..., 2::3]
    total = phonemes.sum(axis=-1, keepdims=True)
    seen[..., 2::3] = np.where(total > 0, phonemes / np.maximum(total, 1), 1 / 3)
    return seen
