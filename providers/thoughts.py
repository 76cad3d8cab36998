"""What is known of a model's thoughts: whether it has any, and whether it shows them.

Nothing here makes a model think: that costs, and is the seat's own setting.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from providers import Completion, CompletionRequest

ROOM = 8192
OPENED = re.compile(r"\s*<(?:think|thought)>", re.IGNORECASE)
# How providers name what they refuse: "reasoning.summary", "Thinking is not enabled for ...".
REFUSED = re.compile(r"reasoning|summary|think|thought|extra_body", re.IGNORECASE)
REFUSALS = {400, 422}
LONGEST_REFUSAL = 2000
OFF = ("none", "disabled")


@dataclass
class Thoughts:
    """The thoughts of one model.

    - `likely`: it may think, so that its first answer gets room for that; what it does decides.
    - `told`: the seat's own settings make it think.
    - `shows`: settings that ask to show thoughts; empty once the provider has refused them.
    """

    likely: bool = False
    told: bool = False
    shows: Mapping[str, Any] = field(default_factory=dict)

    def room(self, request: CompletionRequest, at_least: int = 0) -> int:
        """Return how many tokens an answer and the thoughts before it may take.

        At least `at_least` of them are for thoughts.
        """
        learned = self.likely if request.thinks is None else request.thinks
        thinks = request.may_think and (self.told or learned)
        return request.max_tokens + max(ROOM if thinks else 0, at_least)

    def refuse(self, status: int, said: str) -> bool:
        """Return whether an answer of HTTP `status` refuses to show thoughts; then never ask so."""
        refused = status in REFUSALS and REFUSED.search(said[:LONGEST_REFUSAL]) is not None
        if not self.shows or not refused:
            return False
        self.shows = {}
        return True


def has_thought(completion: Completion) -> bool:
    """Return whether an answer came of thoughts; one cut before its first word was all thoughts."""
    text = completion.text
    cut = completion.finish == "length" and not text.strip()
    shown = completion.reasoning or OPENED.match(text)
    return bool(cut or shown or completion.usage.reasoning_tokens)


def is_told_to_think(settings: Mapping[str, Any]) -> bool:
    """Return whether a seat's own settings make its model think, in the words of any API."""
    asked = [settings.get("reasoning_effort", OFF[0])]
    for name, part in (("reasoning", "effort"), ("thinking", "type")):
        parts = settings.get(name)
        if isinstance(parts, Mapping):
            asked.append(parts.get(part, OFF[0]))
    return any(how not in OFF for how in asked)
