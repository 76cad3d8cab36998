"""The rules for many sessions at once, in arrays; results match `rules.step` to the last bit."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.games.guest.rules import ACTIONS, NOBODY, State, Terms, action_mask

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SILENCE = State((0.0, 0.0, 0.0))
# The legal actions in silence, and while an agent speaks.
MASKS = np.array(
    [action_mask(SILENCE), action_mask(SILENCE._replace(current_speaker=0))],
    np.int8,
)


class States(NamedTuple):
    """The states of n sessions: `speaker` has shape (n,); the other fields have shape (3, n)."""

    energy: Floats
    speaking_time: Ints
    phonemes: Ints
    speaker: Ints


class Tables(NamedTuple):
    """The terms of all sessions as arrays.

    `boosts` has shape (2, 8, 3), indexed by speech or silence, by action, and by agent. `shaping`
    has the bonus and the penalty. All other arrays have shape (3,).
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
        least, decays, _, longest, phonemes = zip(*terms.agents, strict=True)
        boosts = np.zeros((2, len(ACTIONS), 3))
        for place in range(3):
            boosts[:, 2 + place, place] = terms.stare
            boosts[1, 5 + place, place] = terms.encourage
        return cls(
            boosts=boosts,
            gains=np.array(terms.gains),
            decays=np.array(decays, float),
            least=np.array(least, float),
            longest=np.array(longest),
            phonemes=np.array(phonemes),
            late=np.array(terms.late),
            shaping=np.array([terms.start_bonus, terms.late_penalty]),
        )


def step_states(states: States, actions: Ints, tables: Tables) -> tuple[Floats, Floats]:
    """Step every session, in place; return Gini coefficients and reward shaping, of shape (n,).

    A session's reward is 1 - gini + shaping.
    """
    intervene_in(states, actions, tables)
    speaking = np.flatnonzero(states.speaker >= 0)
    silent = np.flatnonzero(states.speaker < 0)
    continue_turns(states, speaking, tables)
    award_floor(states, silent, tables)
    shaping = count_phonemes(states, tables)
    return ginis_of(states.phonemes), shaping


def intervene_in(states: States, actions: Ints, tables: Tables) -> None:
    """In each session, stop the speaker, or raise an agent's energy by staring or encouraging."""
    energy, _, _, speaker = states
    stopped = np.flatnonzero((actions == 1) & (speaker >= 0))
    energy[speaker[stopped], stopped] = 0.0
    speaker[stopped] = NOBODY
    raised = np.flatnonzero((actions >= 2) & ((actions < 5) | (speaker < 0)))
    kind = actions[raised]
    agent = (kind - 2) % 3
    stare, encourage = tables.boosts[1, 2, 0], tables.boosts[1, 5, 0]
    boost = np.where(kind < 5, stare, encourage)
    energy[agent, raised] = np.minimum(energy[agent, raised] + boost, 1.0)


def continue_turns(states: States, places: Ints, tables: Tables) -> None:
    """Let silent agents gain energy; let the speakers at `places` go on, or end their turns."""
    energy, speaking_time, _, speaker = states
    voices = speaker[places]
    left = np.maximum(energy[voices, places] - tables.decays[voices], 0.0)
    energy += tables.gains[:, None]
    np.minimum(energy, 1.0, out=energy)
    energy[voices, places] = left
    spoken = speaking_time[voices, places] + 1
    speaking_time[voices, places] = spoken
    done = (spoken >= tables.longest[voices]) | (left < tables.least[voices])
    speaker[places[done]] = NOBODY


def award_floor(states: States, places: Ints, tables: Tables) -> None:
    """In silent sessions at `places`, let the agent with the most energy speak if it has enough."""
    energy = states.energy.take(places, axis=1)
    enough = energy >= tables.least[:, None]
    taken = np.flatnonzero(enough.any(axis=0))
    able = np.where(enough, energy, -1.0)
    best = able.take(taken, axis=1).argmax(axis=0)
    rows = places[taken]
    states.speaker[rows] = best
    states.speaking_time[best, rows] = 0


def count_phonemes(states: States, tables: Tables) -> Floats:
    """Count the speakers' phonemes, and return the reward shaping, of shape (n,)."""
    _, speaking_time, phonemes, speaker = states
    heard = np.flatnonzero(speaker >= 0)
    voices = speaker[heard]
    phonemes[voices, heard] += tables.phonemes[voices]
    # A bonus in the second step of a turn, and a penalty late in a turn.
    spoken = speaking_time[voices, heard]
    bonus, penalty = tables.shaping
    late = spoken > tables.late[voices]
    shaping = np.zeros(len(speaker))
    shaping[heard] = bonus * (spoken == 1) - penalty * late
    return shaping


def ginis_of(phonemes: Ints) -> Floats:
    """Return the Gini coefficients of counts of shape (3, n), 0 where no agent has spoken.

    Each is "|x_i - x_j| summed over all pairs", divided by 6 times the total of the counts.
    """
    one, two, three = phonemes
    differences = 2 * (abs(one - two) + abs(one - three) + abs(two - three))
    ginis: Floats = differences / np.maximum(6 * (one + two + three), 1)
    return ginis
