"""Facts about a model's thoughts: whether it has any, and whether it shows them.

Nothing here makes a model think: that costs money, and is up to the seat's settings.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from providers import Completion, CompletionRequest

ROOM = 8192
OPENED = re.compile(r"\s*<(?:think|thought)>", re.IGNORECASE)
OFF = ("none", "disabled")


@dataclass(frozen=True)
class Thoughts:
    """The thoughts of one model.

    `likely`: its first answer gets room for thoughts. `asked_for`: the seat's settings make it
    think.
    """

    likely: bool = False
    asked_for: bool = False

    def room(self, request: CompletionRequest, at_least: int = 0) -> int:
        """Return the token limit for answer and thoughts, with `at_least` or more for thoughts."""
        learned = self.likely if request.thinks is None else request.thinks
        thinks = request.may_think and (self.asked_for or learned)
        return request.max_tokens + max(ROOM if thinks else 0, at_least)


def has_thought(completion: Completion) -> bool:
    """Return whether an answer involved thoughts, or was cut off before its first word."""
    text = completion.text
    cut = completion.finish == "length" and not text.strip()
    shown = completion.reasoning or OPENED.match(text)
    return bool(cut or shown or completion.usage.reasoning_tokens)


def is_told_to_think(settings: Mapping[str, Any]) -> bool:
    """Return whether a seat's own settings, under any API's names, make its model think."""
    asked = [settings.get("reasoning_effort", OFF[0])]
    for name, part in (("reasoning", "effort"), ("thinking", "type")):
        parts = settings.get(name)
        if isinstance(parts, Mapping):
            asked.append(parts.get(part, OFF[0]))
    return any(how not in OFF for how in asked)
