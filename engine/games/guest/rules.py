"""The rules of GuestEnv: one step on plain numbers, in the order of the source's seven points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, nan
from numbers import Integral, Real
from operator import index
from typing import Any, NamedTuple, TypeAlias

ACTIONS = {
    0: "wait",
    1: "stop",
    2: "stare_at 0",
    3: "stare_at 1",
    4: "stare_at 2",
    5: "encourage 0",
    6: "encourage 1",
    7: "encourage 2",
}
NOBODY = -1
# "nearing end of max_speaking_time (>80%)"
LATE = 0.8
# The parameters of an agent that are whole numbers.
WHOLE = ("max_speaking_time", "phonemes_per_step")
Trio: TypeAlias = tuple[float, float, float]
Counts: TypeAlias = tuple[int, int, int]


class Agent(NamedTuple):
    """One agent's parameters, named as in the source.

    `min_energy_to_speak` is within [0, 1], and the other energies are at least 0.
    `max_speaking_time` is in steps, at least 1; `phonemes_per_step` is at least 0.
    """

    min_energy_to_speak: float
    energy_decay: float
    energy_gain: float
    max_speaking_time: int
    phonemes_per_step: int


AGENTS = (
    Agent(
        min_energy_to_speak=0.4,
        energy_decay=0.08,
        energy_gain=0.04,
        max_speaking_time=4,
        phonemes_per_step=2,
    ),
    Agent(
        min_energy_to_speak=0.3,
        energy_decay=0.10,
        energy_gain=0.05,
        max_speaking_time=5,
        phonemes_per_step=1,
    ),
    Agent(
        min_energy_to_speak=0.25,
        energy_decay=0.12,
        energy_gain=0.06,
        max_speaking_time=6,
        phonemes_per_step=1,
    ),
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The conditions of a session: the imbalance factor in [0, 1], three agents, and reward terms.

    `start_bonus` is added to the reward in the second step of a turn, and `late_penalty` is
    subtracted in each step late in a turn; both are at least 0. The other fields are derived:
    `gains` are the energy gains of silent agents per step, `stare` and `encourage` are the energies
    that these actions add, and `late` has the speaking times beyond which a turn is late.
    """

    imbalance_factor: float = 0.0
    agents: tuple[Agent, Agent, Agent] = AGENTS
    start_bonus: float = 0.2
    late_penalty: float = 0.1
    gains: Trio = field(init=False)
    stare: float = field(init=False)
    encourage: float = field(init=False)
    late: Trio = field(init=False)

    def __post_init__(self) -> None:
        f = check_share("imbalance_factor", self.imbalance_factor)
        derived = {
            "imbalance_factor": f,
            "start_bonus": check_amount("start_bonus", self.start_bonus),
            "late_penalty": check_amount("late_penalty", self.late_penalty),
            "gains": gains_of(self.agents, f),
            "stare": 0.2 * (1 - f),
            "encourage": 0.3 * (1 - f),
            "late": tuple(LATE * agent.max_speaking_time for agent in self.agents),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)


def gains_of(agents: Sequence[Agent], imbalance_factor: float) -> tuple[float, ...]:
    """Return each agent's energy gain in a step in which it is silent."""
    gains = []
    for i, agent in enumerate(agents):
        # "energy[i] += energy_gain[i] * (1 + imbalance_factor*(i-1))"
        gains.append(agent.energy_gain * (1 + imbalance_factor * (i - 1)))
    return tuple(gains)


class State(NamedTuple):
    """A session so far; `current_speaker` is -1 while no agent speaks.

    The first three fields have a value for each agent: the energy (from 0 to 1), the steps of the
    current or last turn, and the phonemes so far.
    """

    energy: Trio
    speaking_time: Counts = (0, 0, 0)
    phonemes: Counts = (0, 0, 0)
    current_speaker: int = NOBODY
    step_counter: int = 0


def start_state(energy: Sequence[float]) -> State:
    """Return the state before the first step, with these energies.

    "zero out speaking_time, phonemes, current_speaker, step_counter". Raises ValueError unless
    `energy` has three numbers in [0, 1].
    """
    try:
        one, two, three = (check_share("energy", level) for level in energy)
    except (TypeError, ValueError):
        raise ValueError(
            f"expected energy to be three numbers from 0 to 1: got {energy!r:.80}"
        ) from None
    return State((one, two, three))


def skew_energies(energy_imbalance: float) -> Trio:
    """Return the energies of a skewed start: "[0.5*(1-imbalance), 0.5, 0.5*(1+imbalance)]"."""
    return 0.5 * (1 - energy_imbalance), 0.5, 0.5 * (1 + energy_imbalance)


def step(
    state: State,
    action: int,
    terms: Terms,
) -> tuple[State, float, float]:
    """Return the next state, the reward and the Gini coefficient.

    `action` is not checked: it must be one of ACTIONS. The rules apply in the source's order:
    intervention, energies, floor, phonemes, reward.
    """
    energy, speaking_time, phonemes, speaker, counter = state
    if action:
        energy, speaker = intervene(energy, speaker, action, terms)
    energy = move_energies(energy, speaker, terms)
    if speaker >= 0:
        agent = terms.agents[speaker]
        spoken = speaking_time[speaker] + 1
        speaking_time = replace_count(speaking_time, speaker, spoken)
        # "If speaking_time >= max_speaking_time or energy < min_energy_to_speak: agent yields";
        # no other agent starts now.
        if spoken >= agent.max_speaking_time or energy[speaker] < agent.min_energy_to_speak:
            speaker = NOBODY
    else:
        speaker = floor(energy, terms.agents)
        if speaker >= 0:
            spoken = 0
            speaking_time = replace_count(speaking_time, speaker, spoken)

    if speaker >= 0:
        # "If someone is speaking, add phonemes_per_step to their count".
        count = phonemes[speaker] + terms.agents[speaker].phonemes_per_step
        phonemes = replace_count(phonemes, speaker, count)

    inequality = gini(phonemes)
    reward = 1 - inequality
    if speaker >= 0:
        if spoken == 1:
            # "if someone just started speaking (speaking_time == 1): +0.2 bonus"
            reward += terms.start_bonus
        if spoken > terms.late[speaker]:
            # "if someone is nearing end of max_speaking_time (>80%): -0.1 penalty"
            reward -= terms.late_penalty
    after = State(energy, speaking_time, phonemes, speaker, counter + 1)
    return after, reward, inequality


def replace_count(
    counts: Counts,
    place: int,
    count: int,
) -> Counts:
    """Return `counts` with the value at `place` replaced by `count`."""
    one, two, three = counts
    if place == 0:
        return count, two, three
    if place == 1:
        return one, count, three
    return one, two, count


def move_energies(
    energy: Trio,
    speaker: int,
    terms: Terms,
) -> Trio:
    """Return the energies after a step in which `speaker` speaks, or no agent if it is -1.

    "For each agent: if i != current_speaker it gains, else it loses energy_decay; clip to [0, 1]".
    """
    # Unrolled, because every step of every session runs this.
    one, two, three = energy
    gain_one, gain_two, gain_three = terms.gains
    one += gain_one
    two += gain_two
    three += gain_three
    one = one if one < 1.0 else 1.0
    two = two if two < 1.0 else 1.0
    three = three if three < 1.0 else 1.0
    if speaker < 0:
        return one, two, three

    left = energy[speaker] - terms.agents[speaker].energy_decay
    left = left if left > 0.0 else 0.0
    if speaker == 0:
        return left, two, three
    if speaker == 1:
        return one, left, three
    return one, two, left


def intervene(
    energy: Trio,
    speaker: int,
    action: int,
    terms: Terms,
) -> tuple[Trio, int]:
    """Return the energies and speaker after the Guest's action.

    "stop: if someone is speaking, zero their energy and stop them; stare_at i: boost energy[i] by
    0.2*(1-imbalance_factor); encourage i: if no one is speaking, boost energy[i] by
    0.3*(1-imbalance_factor)". A boosted energy is capped at 1 immediately.
    """
    changed = [*energy]
    if action == 1:
        if speaker >= 0:
            changed[speaker] = 0.0
            speaker = NOBODY
    elif action < 5:
        changed[action - 2] = min(1.0, changed[action - 2] + terms.stare)
    elif speaker < 0:
        changed[action - 5] = min(1.0, changed[action - 5] + terms.encourage)
    one, two, three = changed
    return (one, two, three), speaker


def floor(energy: Sequence[float], agents: Sequence[Agent]) -> int:
    """Return the agent that takes the floor (the first in a tie), or -1 if no agent can.

    "Candidates = agents with energy >= min_energy_to_speak. Choose agent with max energy."
    """
    speaker, most = NOBODY, -1.0
    for place, (level, agent) in enumerate(zip(energy, agents, strict=True)):
        if level > most and level >= agent.min_energy_to_speak:
            speaker, most = place, level
    return speaker


def gini(phonemes: Sequence[int]) -> float:
    """Return the Gini coefficient of three counts, in [0, 2/3], or 0 if no agent has spoken.

    "diffs = |x_i - x_j| summed over all pairs; gini = diffs / (2 * n * total)", over ordered pairs.
    """
    # `gini_coefficient`, unrolled, because every step of every session needs it.
    one, two, three = phonemes
    total = one + two + three
    if total == 0:
        return 0.0
    return 2 * (abs(one - two) + abs(one - three) + abs(two - three)) / (6 * total)


def action_mask(state: State) -> tuple[int, ...]:
    """Return 1 for each action that has an effect now, else 0.

    "stop is void in silence, encourage is void while someone speaks".
    """
    silent = state.current_speaker < 0
    return (1, 0, 1, 1, 1, 1, 1, 1) if silent else (1, 1, 1, 1, 1, 0, 0, 0)


def check_action(action: Any) -> int:
    """Return `action`, a Python or NumPy integer from 0 to 7, as an int, or raise ValueError."""
    try:
        number = index(action)
    except TypeError:
        number = -1
    if isinstance(action, bool) or not 0 <= number < len(ACTIONS):
        raise ValueError(f"expected an action from 0 to {len(ACTIONS) - 1}: got {action!r:.80}")
    return number


def check_share(name: str, value: Any) -> float:
    """Return `value`, a Python or NumPy number from 0 to 1, as a float, or raise ValueError."""
    return _check_number(name, value, 1, "from 0 to 1")


def check_amount(name: str, value: Any) -> float:
    """Return `value`, a finite number of at least 0, as a float, or raise ValueError."""
    return _check_number(name, value, inf, "of at least 0")


def _check_number(name: str, value: Any, most: float, allowed: str) -> float:
    number = isinstance(value, Real) and not isinstance(value, bool)
    amount = float(value) if number else nan
    if not 0 <= amount <= most or not isfinite(amount):
        raise ValueError(f"expected {name} to be a number {allowed}: got {value!r:.80}")
    return amount


def check_count(name: str, value: Any) -> int:
    """Return `value`, a Python or NumPy integer of at least 1, as an int, or raise ValueError."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < 1:
        raise ValueError(f"expected {name} to be a whole number of at least 1: got {value!r:.80}")
    return int(value)


def agents_of(params: Mapping[int, Mapping[str, Any]] | None) -> tuple[Agent, Agent, Agent]:
    """Return agents with these `params`, or the source's if None; raise ValueError if invalid."""
    if params is None:
        return AGENTS
    if not isinstance(params, Mapping) or set(params) != {0, 1, 2}:
        raise ValueError(f"expected agent_params of the agents 0, 1 and 2: got {params!r:.80}")
    one, two, three = (agent_of(place, params[place]) for place in range(3))
    return one, two, three


def agent_of(place: int, params: Any) -> Agent:
    """Return one agent, or raise ValueError if a parameter is missing, unknown or out of range."""
    names = Agent._fields
    if not isinstance(params, Mapping) or set(params) != set(names):
        expected = ", ".join(names)
        raise ValueError(f"expected agent {place} to have {expected}: got {params!r:.160}")
    values = {name: check_parameter(place, name, params[name]) for name in names}
    return Agent(**values)


def check_parameter(
    place: int,
    name: str,
    value: Any,
) -> Any:
    """Return `value` as an agent's parameter `name`, or raise ValueError if it is invalid."""
    label = f"{name} of agent {place}"
    whole = name in WHOLE
    kind = "whole number" if whole else "number"
    fits = isinstance(value, Integral if whole else Real)
    if not fits or isinstance(value, bool) or not isfinite(value):
        raise ValueError(f"expected {label} to be a {kind}: got {value!r:.80}")

    check_range(name, label, value)
    return int(value) if whole else float(value)


def check_range(name: str, label: str, value: Any) -> None:
    """Raise ValueError if a number is out of range for the parameter `name`."""
    if name == "min_energy_to_speak" and not 0 <= value <= 1:
        raise ValueError(f"expected {label} to be from 0 to 1: got {value!r}")
    least = 1 if name == "max_speaking_time" else 0
    if value < least:
        raise ValueError(f"expected {label} to be at least {least}: got {value!r}")


# Earlier names, which notebooks import.
skewed = skew_energies
