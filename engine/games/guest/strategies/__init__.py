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


def moderator(policy: Policy) -> Script:
    """Return the policy as a scripted player; a void action is answered as waiting, which it is."""

    def answer_turn(turn: Turn[A], rng: Random) -> A:
        action = CHOICES[policy(turn.observation, rng)]
        if action not in turn.choices["action"]:
            action = CHOICES[0]
        return turn.answer(action=action)

    answer_turn.__doc__ = policy.__doc__
    return answer_turn


STRATEGIES: Mapping[str, Script] = {name: moderator(policy) for name, policy in POLICIES.items()}
