"""Text from strangers: cleaned of what nobody sees, and split from a model's thoughts."""

import re
import unicodedata

# What stands in a log where a player said nothing.
SILENT = "(says nothing)"
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


THOUGHTS = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def clean(text: object, limit: int | None = None) -> object:
    """Return `text` without control, format and surrogate characters (newline and tab stay), cut to `limit`.

    What is no string is handed back as it is, for pydantic to refuse.
    """
    if not isinstance(text, str):
        return text
    if not (text.isascii() and text.isprintable()):
        text = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in INVISIBLE)
    return text.strip()[:limit]


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the answer and the thoughts of a text that begins with <think> blocks; later tags are a player's words."""
    thoughts: list[str] = []
    end = 0
    while (found := THOUGHTS.match(text, end)) is not None:
        thoughts.append(found[1].strip())
        end = found.end()
    return text[end:], "\n".join(thoughts)
