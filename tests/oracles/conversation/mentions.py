"""Where a text names subjects in succession, whatever words or marks are in between."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

JOINT = " & "
FIGURES = re.compile(r"[\d.]+")
NUMBER = re.compile(r"(?<![\w.-])\d+(?![\w.])")

Subjects = tuple[int, ...]


class Mentions(NamedTuple):
    """The subjects that a text names, in order, and the texts between them."""

    subjects: Subjects
    gaps: tuple[str, ...]


def subjects_named_in(text: str, names: Sequence[str]) -> list[int]:
    """Return the subjects that a text names, in order."""
    return [*mentions_by_name(text, tuple(names)).subjects]


def mentions_by_name(text: str, names: tuple[str, ...]) -> Mentions:
    """Return where a text contains subjects' names as whole words."""
    if not names:
        return Mentions((), ())
    numbers = {name: number for number, name in enumerate(names)}
    found = [*pattern_of(names).finditer(text)]
    return Mentions(tuple(numbers[one.group()] for one in found), gaps_between(text, found))


def mentions_by_number(text: str) -> Mentions:
    """Return where a text contains whole numbers."""
    found = [*NUMBER.finditer(text)]
    return Mentions(tuple(int(one.group()) for one in found), gaps_between(text, found))


@lru_cache(maxsize=16)
def pattern_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for any of the names, preferring the longest."""
    either = "|".join([re.escape(name) for name in sorted(names, key=len, reverse=True)])
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)")


def gaps_between(text: str, found: Sequence[re.Match[str]]) -> tuple[str, ...]:
    """Return the texts between adjacent mentions, without digits."""
    pairs = pairwise(found)
    return tuple(FIGURES.sub("", text[one.end() : other.start()]) for one, other in pairs)


def lists_in(mentions: Mentions, length: int) -> Iterator[Subjects]:
    """Yield each run of `length` listed subjects: all gaps between them are the same.

    The two subjects of one item do not count as entries of a list.
    """
    subjects, gaps = mentions
    paired = pairs_in(gaps)
    alike = 1
    for place in range(1, len(subjects)):
        begins = alike == 1 or gaps[place - 1] != gaps[place - 2]
        alike = 2 if begins else alike + 1
        if place in paired or place - 1 in paired:
            alike = 1
        if alike >= length:
            begin = place + 1 - length
            yield subjects[begin : place + 1]


def pairs_in(gaps: Sequence[str]) -> set[int]:
    """Return the places of mentions that are part of an item with two subjects."""
    paired: set[int] = set()
    for place, gap in enumerate(gaps):
        around = [*gaps[max(0, place - 1) : place], *gaps[place + 1 : place + 2]]
        if gap == JOINT and JOINT not in around:
            paired.update((place, place + 1))
    return paired


def is_part(stretch: Subjects, whole: Sequence[int]) -> bool:
    """Return whether a stretch occurs in `whole` in order, with or without gaps."""
    rest = iter(whole)
    return all(subject in rest for subject in stretch)
