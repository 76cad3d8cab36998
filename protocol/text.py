"""Text from strangers: cleaned of what nobody sees, and split from a model's thoughts."""

import re
import unicodedata

# What the log has where a player gave no usable words.
SILENT = "(says nothing)"
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
SPACES = "\n\t"
THOUGHTS = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def clean(text: object, limit: int | None = None) -> object:
    """Return `text` stripped, without invisible characters but newline and tab, cut to `limit`.

    Invisible are control, format and surrogate characters. What is no string is returned as it is,
    for pydantic to refuse.
    """
    if not isinstance(text, str):
        return text
    if not (text.isascii() and text.isprintable()):
        visible = [c for c in text if c in SPACES or unicodedata.category(c) not in INVISIBLE]
        text = "".join(visible)
    return text.strip()[:limit]


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the answer and the thoughts of a text that begins with <think> blocks.

    Later tags belong to the answer: they are a player's words.
    """
    thoughts: list[str] = []
    end = 0
    found = THOUGHTS.match(text)
    while found is not None:
        thoughts.append(found[1].strip())
        end = found.end()
        found = THOUGHTS.match(text, end)
    return text[end:], "\n".join(thoughts)
