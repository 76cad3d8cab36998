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
    choices = {"item": ("moss", "jazz")}
    return Turn("Ada", "proposal", None, lambda: PROMPT, Choice, choices, Choice(item="moss"))
