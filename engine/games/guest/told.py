"""What the transcript of a moderated session tells, read back from its lines as plain data."""

import re
from typing import Any

from engine.history import Event

ENERGY = re.compile(r"agent \d ([01]\.\d\d)")
AGENT = re.compile("[0-9]")
STEPS = re.compile(
    r"reward (?P<reward>-?\d+\.\d\d); "
    r"(?P<action>[a-z]+(?: at)?(?: agent \d)?); "
    r"then spoke (?P<spoke>.+)"
)


def facts_of_session(event: Event) -> dict[str, Any]:
    """Return the energies at the start, or a decision: action, reward, who spoke at each step.

    None is nobody. Energies and reward are rounded as the line has them.
    """
    if event.kind == "narration":
        energy = [*map(float, ENERGY.findall(event.content))]
        return {"energy": energy} if energy else {}
    steps = STEPS.fullmatch(event.content)
    if event.kind != "step" or steps is None:
        return {}

    speakers: list[int | None] = []
    for speaker in steps["spoke"].split(", "):
        speakers.append(int(speaker) if AGENT.fullmatch(speaker) else None)
    return {
        "action": steps["action"],
        "reward": float(steps["reward"]),
        "speakers": speakers,
    }
