"""The policies as scripted players of the arena."""

from collections.abc import Mapping
from random import Random

from pydantic import BaseModel, Field

from engine.games.guest.policies import POLICIES
from engine.games.guest.record import CHOICES
from engine.games.guest.session import Policy
from player import Script
from protocol.answer import Reason
from protocol.turn import A, Turn


class Action(BaseModel):
    """What the Guest does."""

    rationale: Reason = ""
    action: str = Field(description="what you do")


def script_of(policy: Policy) -> Script:
    """Return the policy as a scripted player's answer to a turn; a void action is answered as what it is, waiting."""

    def script(turn: Turn[A], rng: Random) -> A:
        action = CHOICES[policy(turn.observation, rng)]
        return turn.answer(action=action if action in turn.choices["action"] else CHOICES[0])

    return script


STRATEGIES: Mapping[str, Script] = {name: script_of(policy) for name, policy in POLICIES.items()}
