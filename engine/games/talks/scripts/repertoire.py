"""What scripted participants have to say, as values: ideas by level, and phrases by their use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.games.talks.archetypes import Move, PersonalityArchetype

Phrases = tuple[str, ...]


class Idea(NamedTuple):
    """An aspect of a topic: its label, a sentence that claims something, one that goes on."""

    label: str
    claim: str
    more: str


@dataclass(frozen=True, slots=True)
class Repertoire:
    """All that scripts draw from, by place: the order of ideas and phrases matters.

    `ideas` are by depth level, 1 to 5; `openings` by personality; `moves` by move; `musings` lead
    nowhere new; `again` repeats a position; `host` has the parts of a host. In a phrase {s} is the
    subject of the talk, {t} the target of the move, {p} a position, {l} and {k} aspects.
    """

    ideas: Mapping[int, tuple[Idea, ...]]
    openings: Mapping[PersonalityArchetype, Phrases]
    moves: Mapping[Move, Phrases]
    musings: Phrases
    again: Phrases
    host: Mapping[str, Any]


def repertoire_from(
    ideas: Mapping[int, Sequence[Mapping[str, str]]], phrases: Mapping[str, Any]
) -> Repertoire:
    """Return the repertoire in plain data; LookupError or TypeError if something is missing."""
    by_level = {}
    for level, found in ideas.items():
        by_level[level] = tuple(Idea(**facts) for facts in found)
    return Repertoire(
        ideas=by_level,
        openings={who: tuple(phrases["openings"][who]) for who in PersonalityArchetype},
        moves={move: tuple(phrases["moves"][move]) for move in Move},
        musings=tuple(phrases["musings"]),
        again=tuple(phrases["again"]),
        host=phrases["host"],
    )
