"""One question for tests: which of two items."""

from pydantic import BaseModel

from player import Prompt, Turn
from protocol.answer import Reason


class Choice(BaseModel):
    rationale: Reason = ""
    item: str


PROMPT = Prompt("You are Ada.", '{"event": "speech", "by": "Ben", "text": "moss"}\n', "Which item?")


def turn() -> Turn[Choice]:
    """Return the question; its fallback is moss."""
    return Turn(
        "Ada",
        "proposal",
        None,
        lambda: PROMPT,
        Choice,
        {"item": ("moss", "jazz")},
        Choice(item="moss"),
    )
