"""A session as the log keeps it, and as those are told it who read words."""

from collections.abc import Sequence
from typing import Any

from engine.games.guest.rules import State, action_mask, gini
from engine.games.guest.session import Moment, Session

# In the order of the rules' numbers; said in words, so that who answers need not know them.
CHOICES = (
    "wait",
    "stop",
    *(f"{act} agent {agent}" for act in ("stare at", "encourage") for agent in range(3)),
)


def effective(state: State) -> tuple[str, ...]:
    """Return the actions that are not void: "stop is void in silence, encourage is void while someone speaks"."""
    return tuple(name for name, useful in zip(CHOICES, action_mask(state), strict=True) if useful)


def facts_of(played: Sequence[Moment]) -> list[dict[str, Any]]:
    """Return the steps of a decision as plain data, exact: all that the state holds, and what the step brought."""
    return [
        {
            "step": moment.state.step_counter,
            "action": CHOICES[moment.action],
            "speaker": speaker_of(moment),
            "energy": [*moment.state.energy],
            "speaking_time": [*moment.state.speaking_time],
            "phonemes": [*moment.state.phonemes],
            "gini": moment.gini,
            "reward": moment.reward,
        }
        for moment in played
    ]


def speaker_of(moment: Moment) -> int | None:
    """Return who speaks after a step, None for nobody."""
    return moment.state.current_speaker if moment.state.current_speaker >= 0 else None


def sentence_of(played: Sequence[Moment]) -> str:
    """Return the steps of a decision in a line, such as "reward 3.18; stop; then spoke 1, 1, nobody"."""
    spoke = ", ".join(
        "nobody" if speaker is None else str(speaker) for speaker in map(speaker_of, played)
    )
    reward = sum(moment.reward for moment in played)
    return f"reward {reward:.2f}; {CHOICES[played[0].action]}; then spoke {spoke}"


def told(session: Session) -> dict[str, Any]:
    """Return what is told before a decision: the state, who speaks included, in figures rounded for reading."""
    state = session.state
    speaker = state.current_speaker
    return {
        "step": state.step_counter + 1,
        "of": session.frame.steps,
        "speaker": speaker if speaker >= 0 else None,
        "steps_spoken": state.speaking_time[speaker] + 1 if speaker >= 0 else 0,
        "energy": [round(energy, 3) for energy in state.energy],
        "phonemes": [*state.phonemes],
        "gini": round(gini(state.phonemes), 3),
        "reward_so_far": round(session.reward, 2),
    }
