"""Ids that are safe anywhere, made from the names that people have."""

import re
import unicodedata
from collections.abc import Sequence

LONGEST = 40
UNSAFE = re.compile(r"[^a-z0-9]+")
UNSPEAKABLE = re.compile(r"[\[\](){}<>:\"'`\s]+")


def safe_id(name: str) -> str:
    """Return `name` in small letters, digits and underscores; "participant" if none are left.

    >>> safe_id("Dr. Elena Rodríguez")
    'dr_elena_rodriguez'
    """
    decomposed = unicodedata.normalize("NFKD", name)
    plain = decomposed.encode("ascii", "ignore").decode().casefold()

    joined = UNSAFE.sub("_", plain).strip("_")
    return joined[:LONGEST].rstrip("_") or "participant"


def seat_name(name: str) -> str:
    """Return `name` as a player's id: one line, at most 40 characters, no brackets or quotes.

    >>> seat_name('Prof. "Jim" Chen')
    'Prof. Jim Chen'
    """
    speakable = UNSPEAKABLE.sub(" ", name).strip()
    return speakable[:LONGEST].strip()


def distinct(ids: Sequence[str]) -> tuple[str, ...]:
    """Return `ids` with _2, _3, ... added to those that occurred before.

    >>> distinct(["dr_chen", "dr_chen"])
    ('dr_chen', 'dr_chen_2')
    """
    found: list[str] = []
    for one in ids:
        free = one
        number = 1
        while free in found:
            number += 1
            free = f"{one}_{number}"
        found.append(free)
    return tuple(found)
