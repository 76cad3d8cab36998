"""A session of GuestEnv replayed step by step: simpler and slower than the game's own code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

NAMES = (
    "min_energy_to_speak",
    "energy_decay",
    "energy_gain",
    "max_speaking_time",
    "phonemes_per_step",
)
AGENTS: Mapping[int, Mapping[str, float]] = {
    0: dict(zip(NAMES, (0.40, 0.08, 0.04, 4, 2), strict=True)),
    1: dict(zip(NAMES, (0.30, 0.10, 0.05, 5, 1), strict=True)),
    2: dict(zip(NAMES, (0.25, 0.12, 0.06, 6, 1), strict=True)),
}
STARE = 0.2
ENCOURAGE = 0.3
START_BONUS = 0.2
LATE_PENALTY = 0.1
LATE = 0.8


@dataclass(slots=True)
class Room:
    """Three agents and what they have done; `equality` is the sum of 1 - gini over all steps."""

    agents: Mapping[int, Mapping[str, float]]
    imbalance: float
    energy: list[float]
    spoken: list[int] = field(default_factory=lambda: [0, 0, 0])
    phonemes: list[int] = field(default_factory=lambda: [0, 0, 0])
    speaker: int | None = None
    steps: int = 0
    reward: float = 0.0
    equality: float = 0.0
    stops: int = 0

    def play(self, action: str) -> dict[str, Any]:
        """Play a step and return its facts in the form of the log.

        The order is that of the source: the action, the energies, the floor, the phonemes, the
        reward.
        """
        self.act(action)
        for i, agent in self.agents.items():
            if i == self.speaker:
                self.energy[i] = max(0.0, self.energy[i] - agent["energy_decay"])
            else:
                gain = agent["energy_gain"] * (1 + self.imbalance * (i - 1))
                self.energy[i] = min(1.0, self.energy[i] + gain)
        self.pass_floor()
        if self.speaker is not None:
            self.phonemes[self.speaker] += int(self.agents[self.speaker]["phonemes_per_step"])

        self.steps += 1
        gini = gini_of(self.phonemes)
        reward = 1 - gini + self.shaping()
        self.reward += reward
        self.equality += 1 - gini
        return {
            "step": self.steps,
            "action": action,
            "speaker": self.speaker,
            "energy": tuple(self.energy),
            "speaking_time": tuple(self.spoken),
            "phonemes": tuple(self.phonemes),
            "gini": gini,
            "reward": reward,
        }

    def act(self, action: str) -> None:
        """Let the Guest act: stop is void in silence, encourage while anyone speaks."""
        verb, _, target = action.partition(" ")
        if verb == "stop" and self.speaker is not None:
            self.energy[self.speaker] = 0.0
            self.speaker = None
            self.stops += 1
        elif verb == "stare":
            self.boost(target, STARE)
        elif verb == "encourage" and self.speaker is None:
            self.boost(target, ENCOURAGE)

    def boost(self, target: str, amount: float) -> None:
        """Give energy, up to 1.0, to the agent whose number ends `target`."""
        i = int(target[-1])
        self.energy[i] = min(1.0, self.energy[i] + amount * (1 - self.imbalance))

    def pass_floor(self) -> None:
        """End the turn of a speaker that is tired or has spoken long; in silence begin a turn.

        Among the agents with enough energy, the one with the most takes the floor; ties go to the
        first.
        """
        if self.speaker is None:
            needed = {i: agent["min_energy_to_speak"] for i, agent in self.agents.items()}
            able = [i for i, least in needed.items() if self.energy[i] >= least]
            if able:
                self.speaker = max(able, key=lambda i: (self.energy[i], -i))
                self.spoken[self.speaker] = 0
            return

        agent = self.agents[self.speaker]
        self.spoken[self.speaker] += 1
        is_long = self.spoken[self.speaker] >= agent["max_speaking_time"]
        if is_long or self.energy[self.speaker] < agent["min_energy_to_speak"]:
            self.speaker = None

    def shaping(self) -> float:
        """Return the bonus of a turn that has just started, minus the penalty of a late one."""
        if self.speaker is None:
            return 0.0
        spoken = self.spoken[self.speaker]
        bonus = START_BONUS if spoken == 1 else 0.0
        late = spoken > LATE * self.agents[self.speaker]["max_speaking_time"]
        return bonus - LATE_PENALTY * late


def room_of(settings: Mapping[str, Any], energy: tuple[float, float, float]) -> Room:
    """Return the room of a game's settings before its first step."""
    agents = settings.get("agent_params") or AGENTS
    by_number = {int(number): agent for number, agent in agents.items()}
    return Room(by_number, settings["imbalance_factor"], [*energy])


def gini_of(phonemes: list[int]) -> float:
    """Return "diffs = |x_i - x_j| summed over all pairs; gini = diffs / (2 * n * total)"."""
    total = sum(phonemes)
    if not total:
        return 0.0
    diffs = [abs(one - other) for one, other in product(phonemes, repeat=2)]
    return sum(diffs) / (2 * len(phonemes) * total)
