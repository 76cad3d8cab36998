"""Ids that are safe anywhere, made from names that people have."""

import re
import unicodedata
from collections.abc import Sequence

LONGEST = 40
UNSAFE = re.compile(r"[^a-z0-9]+")
UNSPEAKABLE = re.compile(r"[\[\](){}<>:\"'`\s]+")


def safe_id(name: str) -> str:
    """Return `name` in small letters, digits and underscores; "participant" where nothing is left of it.

    >>> safe_id("Dr. Elena Rodríguez")
    'dr_elena_rodriguez'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return UNSAFE.sub("_", plain).strip("_")[:LONGEST].rstrip("_") or "participant"


def seat_name(name: str) -> str:
    """Return `name` as it may stand at a table: on one line, without brackets, quotes and colons, not too long.

    >>> seat_name('Prof. "Jim" Chen')
    'Prof. Jim Chen'
    """
    return UNSPEAKABLE.sub(" ", name).strip()[:LONGEST].strip()


def distinct(ids: Sequence[str]) -> tuple[str, ...]:
    """Return `ids` with _2, _3, ... behind those that were there before.

    >>> distinct(["dr_chen", "dr_chen"])
    ('dr_chen', 'dr_chen_2')
    """
    made: list[str] = []
    for one in ids:
        same = (one if number == 1 else f"{one}_{number}" for number in range(1, len(ids) + 2))
        made.append(next(free for free in same if free not in made))
    return tuple(made)
