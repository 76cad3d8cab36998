"""Remove invisible characters, split off thoughts, cut text to length, and list names."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

# The text in the log if a player gave no usable words.
SILENT = "(says nothing)"
INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
SPACES = "\n\t"
# Characters after which a long name may be split.
SEPARATORS = " -_/:."
# How many characters a word takes on average, including the space after it.
LETTERS = 6.5
SENTENCE_END = re.compile(r"[.!?\u2026][\"')\u201d\u2019]*(?=\s|\Z)")
# Gemini marks its thoughts with <thought>.
THOUGHTS = re.compile(r"\s*<(think|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)


def compose(text: str, form: Literal["NFC", "NFD"] = "NFC") -> str:
    """Return `text` with one spelling of each accented letter: one character (NFC) or several."""
    return text if text.isascii() else unicodedata.normalize(form, text)


def clean(text: object, limit: int | None = None) -> object:
    """Return `text` stripped, without invisible characters except newline and tab, cut to `limit`.

    Accented letters are composed (NFC). Invisible characters are control, format and surrogate
    characters. Values of other types are returned unchanged, for pydantic to reject.
    """
    if not isinstance(text, str):
        return text
    if not (text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()):
        visible = [c for c in text if c in SPACES or unicodedata.category(c) not in INVISIBLE]
        text = compose("".join(visible))
    return text.strip()[:limit].rstrip()


def one_line(text: str) -> str:
    """Return `text` on one line, without invisible characters."""
    return " ".join(str(clean(text)).split())


def list_names(names: Sequence[str], most: int | None = None) -> str:
    """Return names as a list in a sentence; if over `most` + 1, only the first `most` are named.

    >>> list_names(["Ada", "Ben", "Cleo"])
    'Ada, Ben and Cleo'
    >>> list_names("ABCDE", 3)
    'A, B, C and 2 others'
    """
    shown = [*names]
    if most is not None and len(names) > most + 1:
        shown[most:] = [f"{len(names) - most} others"]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def split_thoughts(text: str) -> tuple[str, str]:
    """Return the answer and the thoughts of a text that begins with blocks such as <think>.

    Later tags belong to the answer: they are a player's words.
    """
    thoughts: list[str] = []
    end = 0
    match = THOUGHTS.match(text)
    while match is not None:
        thoughts.append(match[2].strip())
        end = match.end()
        match = THOUGHTS.match(text, end)
    return text[end:], "\n".join(thoughts)


def room_for(words: int) -> int:
    """Return the number of characters allowed for `words` words."""
    return int(words * LETTERS)


def cut_at_word(text: str, limit: int) -> str:
    """Return `text`; if it is longer than `limit` characters, return its first whole words and "…".

    Text of exactly `limit` characters that breaks off in mid-sentence is cut too.
    """
    if len(text) < limit or (len(text) == limit and text.endswith(tuple(".!?…\"'"))):
        return text
    begun = text[: limit - 1]
    if not text[limit - 1].isspace():
        begun = begun.rpartition(" ")[0] or begun
    return begun.rstrip(" \n\t,;:") + "…"


def lines_of_name(name: str, longest: int) -> list[str]:
    """Return a name on one line or, split after a separator, on two lines; the second may be cut.

    >>> lines_of_name("compatible:some-model-7b-instruct", 26), lines_of_name("x" * 30, 13)
    (['compatible:some-model-7b-', 'instruct'], ['xxxxxxxxxxxxx', 'xxxxxxxxxxxx…'])
    """
    line = one_line(name)
    if len(line) <= longest:
        return [line]
    end = max(line.rfind(sign, 0, longest) for sign in SEPARATORS) + 1 or longest
    rest = line[end:]
    return [line[:end].rstrip(), rest if len(rest) <= longest else f"{rest[: longest - 1]}…"]


def text_before_cut(said: str, words: int) -> str:
    """Return a text that `fit_words` would cut to `said`."""
    return f"{said} {'x ' * words}"


def fit_words(text: str, words: int) -> tuple[str, bool]:
    """Return `text` on one line, cut to `words` words, and whether it was cut.

    The text is cut after the last sentence that fits, or after a word (with "…") if none fits. To
    fit, it must also have at most `room_for(words)` characters.
    """
    line = " ".join(text.split())
    room = room_for(words)
    begun = " ".join(line.split()[:words])[:room]
    ends = [match.end() for match in SENTENCE_END.finditer(line)]
    last = max((end for end in ends if end <= len(begun)), default=0)
    if line == begun and (len(line) < room or last == room):
        return line, False
    if last:
        return line[:last], True
    return cut_at_word(line, min(len(begun) + 2, room)), True
