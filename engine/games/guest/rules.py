"""The rules of GuestEnv: one step, in the order of the source's seven points, on plain Python numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
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
Trio: TypeAlias = tuple[float, float, float]
Counts: TypeAlias = tuple[int, int, int]


class Agent(NamedTuple):
    """One agent's parameters, named as in the source.

    The energies are within [0, 1] and from 0 upwards, `max_speaking_time` is in steps, at least 1,
    `phonemes_per_step` at least 0.
    """

    min_energy_to_speak: float
    energy_decay: float
    energy_gain: float
    max_speaking_time: int
    phonemes_per_step: int


AGENTS = (Agent(0.4, 0.08, 0.04, 4, 2), Agent(0.3, 0.10, 0.05, 5, 1), Agent(0.25, 0.12, 0.06, 6, 1))


@dataclass(frozen=True, slots=True)
class Terms:
    """What a session is held on: the imbalance factor f, in [0, 1], and three agents; the rest is derived from these.

    `gains` are what the silent gain a step, `stare` and `encourage` what those actions add, `late`
    the speaking times beyond which a turn is late.
    """

    imbalance_factor: float = 0.0
    agents: tuple[Agent, Agent, Agent] = AGENTS
    gains: Trio = field(init=False)
    stare: float = field(init=False)
    encourage: float = field(init=False)
    late: Trio = field(init=False)

    def __post_init__(self) -> None:
        f = check_share("imbalance_factor", self.imbalance_factor)
        one, two, three = self.agents
        # "energy[i] += energy_gain[i] * (1 + imbalance_factor*(i-1))"
        gains = (
            one.energy_gain * (1 + f * -1),
            two.energy_gain * (1 + f * 0),
            three.energy_gain * (1 + f * 1),
        )
        object.__setattr__(self, "imbalance_factor", f)
        object.__setattr__(self, "gains", gains)
        object.__setattr__(self, "stare", 0.2 * (1 - f))
        object.__setattr__(self, "encourage", 0.3 * (1 - f))
        object.__setattr__(
            self, "late", tuple(0.8 * agent.max_speaking_time for agent in self.agents)
        )


class State(NamedTuple):
    """A session so far: energies in [0, 1], steps of the present or last turn and phonemes of each agent, who speaks.

    `current_speaker` is -1 while nobody speaks; `step_counter` counts the steps.
    """

    energy: Trio
    speaking_time: Counts = (0, 0, 0)
    phonemes: Counts = (0, 0, 0)
    current_speaker: int = NOBODY
    step_counter: int = 0


def start_state(energy: Sequence[float]) -> State:
    """Return the state before the first step: "zero out speaking_time, phonemes, current_speaker, step_counter".

    Raises ValueError unless `energy` are three numbers within [0, 1].
    """
    try:
        one, two, three = (check_share("energy", own) for own in energy)
    except (TypeError, ValueError):
        raise ValueError(
            f"expected energy to be three numbers from 0 to 1: got {energy!r:.80}"
        ) from None
    return State((one, two, three))


def skewed(energy_imbalance: float) -> Trio:
    """Return the energies of a skewed start: "[0.5*(1-imbalance), 0.5, 0.5*(1+imbalance)]"."""
    return 0.5 * (1 - energy_imbalance), 0.5, 0.5 * (1 + energy_imbalance)


def step(state: State, action: int, terms: Terms) -> tuple[State, float, float]:
    """Return the next state, the reward and the Gini coefficient; `action` is trusted to be one of ACTIONS.

    The order of the source: intervention, energies, floor, phonemes, reward.
    """
    energy, speaking_time, phonemes, speaker, counter = state
    if action:
        energy, speaker = intervene(energy, speaker, action, terms)
    one, two, three = energy
    gain_one, gain_two, gain_three = terms.gains
    # "For each agent: if i != current_speaker it gains, else it loses energy_decay; clip to [0,
    # 1]".
    moved = [
        one + gain_one if (one + gain_one) < 1.0 else 1.0,
        two + gain_two if (two + gain_two) < 1.0 else 1.0,
        three + gain_three if (three + gain_three) < 1.0 else 1.0,
    ]
    if speaker >= 0:
        agent = terms.agents[speaker]
        left = energy[speaker] - agent.energy_decay
        moved[speaker] = left if left > 0.0 else 0.0
        times = [*speaking_time]
        times[speaker] = spoken = times[speaker] + 1
        speaking_time = (times[0], times[1], times[2])
        # "If speaking_time >= max_speaking_time or energy < min_energy_to_speak: agent yields";
        # nobody else starts now.
        if spoken >= agent.max_speaking_time or moved[speaker] < agent.min_energy_to_speak:
            speaker = NOBODY
    elif (speaker := floor(moved, terms.agents)) >= 0:
        times = [*speaking_time]
        times[speaker] = 0
        speaking_time = (times[0], times[1], times[2])
    if speaker >= 0:
        # "If someone is speaking, add phonemes_per_step to their count".
        counts = [*phonemes]
        counts[speaker] += terms.agents[speaker].phonemes_per_step
        phonemes = (counts[0], counts[1], counts[2])
    inequality = gini(phonemes)
    reward = 1 - inequality
    if speaker >= 0:
        spoken = speaking_time[speaker]
        if spoken == 1:
            reward += 0.2  # "if someone just started speaking (speaking_time == 1): +0.2 bonus"
        if spoken > terms.late[speaker]:
            reward -= 0.1  # "if someone is nearing end of max_speaking_time (>80%): -0.1 penalty"
    after = State((moved[0], moved[1], moved[2]), speaking_time, phonemes, speaker, counter + 1)
    return after, reward, inequality


def intervene(energy: Trio, speaker: int, action: int, terms: Terms) -> tuple[Trio, int]:
    """Return energies and speaker after what the Guest does.

    "stop: if someone is speaking, zero their energy and stop them; stare_at i: boost energy[i] by
    0.2*(1-imbalance_factor); encourage i: if no one is speaking, boost energy[i] by 0.3*(1-imbalance_factor)". A boost
    is cut at 1 at once.
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
    return (changed[0], changed[1], changed[2]), speaker


def floor(energy: Sequence[float], agents: Sequence[Agent]) -> int:
    """Return who takes the floor, of equals the first; -1 if nobody can.

    "Candidates = agents with energy >= min_energy_to_speak. Choose agent with max energy."
    """
    speaker, most = NOBODY, -1.0
    for place, (own, agent) in enumerate(zip(energy, agents, strict=True)):
        if own > most and own >= agent.min_energy_to_speak:
            speaker, most = place, own
    return speaker


def gini(phonemes: Sequence[int]) -> float:
    """Return the Gini coefficient of three counts, in [0, 2/3]; 0 if nobody has spoken.

    "diffs = |x_i - x_j| summed over all pairs; gini = diffs / (2 * n * total)", over ordered pairs.
    """
    # The three differences of `gini_coefficient` by name: each step of every search asks for it.
    one, two, three = phonemes
    total = one + two + three
    if total == 0:
        return 0.0
    return 2 * (abs(one - two) + abs(one - three) + abs(two - three)) / (6 * total)


def action_mask(state: State) -> tuple[int, ...]:
    """Return 1 for each action that can change something now: stop is void in silence, encourage while one speaks."""
    silent = state.current_speaker < 0
    return (1, 0, 1, 1, 1, 1, 1, 1) if silent else (1, 1, 1, 1, 1, 0, 0, 0)


def check_action(action: Any) -> int:
    """Return `action` as an int; raise ValueError unless it is a whole number, NumPy's too, from 0 to 7."""
    try:
        found = index(action)
    except TypeError:
        found = -1
    if isinstance(action, bool) or not 0 <= found < len(ACTIONS):
        raise ValueError(f"expected an action from 0 to {len(ACTIONS) - 1}: got {action!r:.80}")
    return found


def check_share(name: str, value: Any) -> float:
    """Return `value` as a plain float; raise ValueError unless it is a number, NumPy's too, from 0 to 1."""
    share = float(value) if isinstance(value, Real) and not isinstance(value, bool) else nan
    if not 0 <= share <= 1:
        raise ValueError(f"expected {name} to be a number from 0 to 1: got {value!r:.80}")
    return share


def check_count(name: str, value: Any) -> int:
    """Return `value` as a plain int; raise ValueError unless it is a whole number, NumPy's too, of at least 1."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"expected {name} to be a whole number of at least 1: got {value!r:.80}")
    return int(value)


def agents_of(params: Mapping[int, Mapping[str, Any]] | None) -> tuple[Agent, Agent, Agent]:
    """Return the agents that `params` describes as the source does, by index and name; None: the source's own.

    Raises ValueError for what no agent can be.
    """
    if params is None:
        return AGENTS
    if not isinstance(params, Mapping) or set(params) != {0, 1, 2}:
        raise ValueError(f"expected agent_params of the agents 0, 1 and 2: got {params!r:.80}")
    one, two, three = (agent_of(place, params[place]) for place in range(3))
    return one, two, three


def agent_of(place: int, params: Any) -> Agent:
    """Return one agent; ValueError says which of its parameters is missing, unknown or out of range."""
    names = Agent._fields
    if not isinstance(params, Mapping) or set(params) != set(names):
        raise ValueError(f"expected agent {place} to have {', '.join(names)}: got {params!r:.160}")
    for name, value in params.items():
        whole = name in ("max_speaking_time", "phonemes_per_step")
        if (
            isinstance(value, bool)
            or not isinstance(value, Integral if whole else Real)
            or not isfinite(value)
        ):
            raise ValueError(
                f"expected {name} of agent {place} to be a {'whole ' * whole}number: got {value!r:.80}"
            )
        least, most = (
            int(name == "max_speaking_time"),
            1 if name == "min_energy_to_speak" else float("inf"),
        )
        if not least <= float(value) <= most:
            within = f"from {least} to {most}" if most == 1 else f"at least {least}"
            raise ValueError(f"expected {name} of agent {place} to be {within}: got {value!r}")
    *energies, longest, phonemes = (params[name] for name in names)
    least_energy, decay, gain = map(float, energies)
    return Agent(least_energy, decay, gain, int(longest), int(phonemes))
