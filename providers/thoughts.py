"""Facts about a model's thoughts: whether it has any, and whether it shows them.

Nothing here makes a model think: that costs money, and is up to the seat's settings.
"""

import re
from collections.abc import Mapping
from typing import Any

from providers import Completion

ROOM = 8192
OPENED = re.compile(r"\s*<(?:think|thought)>", re.IGNORECASE)
OFF = ("none", "disabled")


def has_thought(completion: Completion) -> bool:
    """Return whether an answer involved thoughts, or was cut off before its first word."""
    text = completion.text
    cut = completion.finish == "length" and not text.strip()
    shown = completion.reasoning or OPENED.match(text)
    return bool(cut or shown or completion.usage.reasoning_tokens)


def is_told_to_think(settings: Mapping[str, Any]) -> bool:
    """Return whether a seat's own settings, in the terms of any API, make its model think."""
    asked = [settings.get("reasoning_effort", OFF[0])]
    for name, part in (("reasoning", "effort"), ("thinking", "type")):
        parts = settings.get(name)
        if isinstance(parts, Mapping):
            asked.append(parts.get(part, OFF[0]))
    return any(how not in OFF for how in asked)
