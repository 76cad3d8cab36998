"""Player names: one spelling for each, and no two that look alike."""

import re
from collections.abc import Iterable
from functools import lru_cache

from protocol.text import clean, compose

LONGEST_NAME = 40
UNNAMEABLE = {*":[](){}<>\"'`\n\t"}
NARRATOR = "narrator"
MARKS = re.compile(r"[\W_]+")
TABLE = "confusables.json"
DIRECTION = "\u200e"


def check_name(name: str) -> str:
    """Return a player's name in composed form (NFC); raise ValueError if no player can have it."""
    name = compose(name)
    fits = 1 <= len(name) <= LONGEST_NAME
    if name != clean(name) or not fits or set(name) & UNNAMEABLE:
        raise ValueError(
            f"expected player_id to be a name of 1 to {LONGEST_NAME} characters, "
            "without colons, brackets, quotes and line ends, and no space at either end: "
            f"got {name!r:.80}"
        )
    if MARKS.sub("", look_of(name)) == look_of(NARRATOR):
        raise ValueError(f"expected another name: the game itself uses the name {name!r}")
    return name


def refuse_lookalikes(names: Iterable[str]) -> None:
    """Raise ValueError if two names look alike, such as one in Latin and one in Cyrillic."""
    named: dict[str, str] = {}
    for name in names:
        twin = named.setdefault(look_of(name), name)
        if twin != name:
            raise ValueError(
                f"expected names that cannot be confused: {name!r} looks like {twin!r}; "
                "rename one of them"
            )


@lru_cache(maxsize=4096)
def look_of(name: str) -> str:
    """Return a name's lower-case skeleton (Unicode Technical Standard 39); lookalikes share it."""
    skeleton = name
    # A letter's replacement may have parts that are replaced in turn.
    for _ in range(2):
        skeleton = "".join(map(prototype_of, compose(skeleton, "NFD")))
    return skeleton.casefold()


def prototype_of(letter: str) -> str:
    """Return the letters that represent all lookalikes of `letter`.

    In the table, a representative is listed with all its lookalikes, but each lookalike only with
    its representative.
    """
    table = confusable_letters()
    alike = table.get(letter, [])
    if len(alike) != 1:
        return letter
    [twin] = alike
    if len(table[twin]) == 1:  # a pair, which does not show which letter represents both
        return max(letter, twin, key=lambda text: (len(text), text))
    return twin


@lru_cache(maxsize=1)
def confusable_letters() -> dict[str, list[str]]:
    """Return each letter with its lookalikes, as listed by the Unicode Consortium."""
    # The library's main module takes four times as long to import, and is not needed here.
    from confusable_homoglyphs.utils import load

    table = {}
    for letter, others in load(TABLE).items():
        # Letters written from right to left are enclosed in direction marks.
        table[letter.strip(DIRECTION)] = [lookalike["c"].strip(DIRECTION) for lookalike in others]
    return table
