"""A session as stored in the log, as shown to players, and as read back from the log."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import Any

from engine.games.guest.rules import State, Terms, gini
from engine.games.guest.session import Moment, Session
from engine.history import Event

# The actions in the order of their numbers in the rules; players see only these words.
CHOICES = (
    "wait",
    "stop",
    "stare at agent 0",
    "stare at agent 1",
    "stare at agent 2",
    "encourage agent 0",
    "encourage agent 1",
    "encourage agent 2",
)
ENERGY = re.compile(r"agent \d ([01]\.\d\d)")
AGENT = re.compile("[0-9]")
STEPS = re.compile(
    r"reward (?P<reward>-?\d+\.\d\d); "
    r"(?P<action>[a-z]+(?: at)?(?: agent \d)?); "
    r"then spoke (?P<spoke>.+)"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """Data for the narration that opens the session: the three energies."""

    energy: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Act:
    """Data for an action: one of CHOICES, and the reason."""

    action: str
    rationale: str


@dataclass(frozen=True, slots=True)
class StepFacts:
    """A step in exact numbers: the state after it, and its reward; `speaker` is None in silence."""

    step: int
    action: str
    speaker: int | None
    energy: tuple[float, float, float]
    speaking_time: tuple[int, int, int]
    phonemes: tuple[int, int, int]
    gini: int | float
    reward: int | float


@dataclass(frozen=True, slots=True)
class Steps:
    """Data for a decision's steps in one player's session."""

    player_id: str
    steps: tuple[StepFacts, ...]


@cache
def choices_under(mask: tuple[int, ...]) -> tuple[str, ...]:
    """Return the actions that a mask allows, cached because there are only two masks."""
    return tuple(compress(CHOICES, mask))


def fact_of(moment: Moment) -> dict[str, Any]:
    """Return the fields of StepFacts for one step."""
    state = moment.state
    # Plain data is faster: creating and converting a dataclass takes 5 times as long.
    return {
        "step": state.step_counter,
        "action": CHOICES[moment.action],
        "speaker": speaker_of(state),
        "energy": [*state.energy],
        "speaking_time": [*state.speaking_time],
        "phonemes": [*state.phonemes],
        "gini": moment.gini,
        "reward": moment.reward,
    }


def speaker_of(state: State) -> int | None:
    """Return the agent that speaks, or None if there is none."""
    return state.current_speaker if state.current_speaker >= 0 else None


def sentence_of(played: Sequence[Moment]) -> str:
    """Return a decision's steps in words, such as "reward 3.18; stop; then spoke 1, 1, nobody"."""
    speakers = []
    for moment in played:
        speaker = speaker_of(moment.state)
        speakers.append("nobody" if speaker is None else str(speaker))
    spoke = ", ".join(speakers)
    reward = sum(moment.reward for moment in played)
    return f"reward {reward:.2f}; {CHOICES[played[0].action]}; then spoke {spoke}"


def late_in_words(terms: Terms) -> str:
    """Return, in words, the step of a turn (from 1) at which each agent becomes late.

    The speaking time in step n of a turn is n - 1, so an agent whose longest turn is at most five
    steps is never late.
    """
    agents = []
    for place, agent in enumerate(terms.agents):
        longest = agent.max_speaking_time
        first = int(terms.late[place]) + 2
        when = f"from step {first} of {longest}" if first <= longest else "never"
        agents.append(f"agent {place}: {when}")
    return ", ".join(agents)


def describe(session: Session) -> dict[str, Any]:
    """Return the state that a prompt shows before a decision, rounded for reading."""
    state = session.state
    speaker = speaker_of(state)
    steps_spoken = 0 if speaker is None else state.speaking_time[speaker] + 1
    return {
        "step": state.step_counter + 1,
        "of": session.frame.steps,
        "speaker": speaker,
        "steps_spoken": steps_spoken,
        "energy": [round(energy, 3) for energy in state.energy],
        "phonemes": [*state.phonemes],
        "gini": round(gini(state.phonemes), 3),
        "reward_so_far": round(session.reward, 2),
    }


def facts_of_session(event: Event) -> dict[str, Any]:
    """Return the rounded energies at the start, or a decision's action, reward and speakers."""
    if event.kind == "narration":
        energy = [*map(float, ENERGY.findall(event.content))]
        return {"energy": energy} if energy else {}
    steps = STEPS.fullmatch(event.content)
    if event.kind != "step" or steps is None:
        return {}

    speakers = steps["spoke"].split(", ")
    return {
        "action": steps["action"],
        "reward": float(steps["reward"]),
        "speakers": [int(name) if AGENT.fullmatch(name) else None for name in speakers],
    }
