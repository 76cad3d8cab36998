"""docs/reference/observations.md has one line for each field of what a script is given."""

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from engine.games.conversation.record import Item
from engine.games.conversation.state import Observation
from engine.games.dilemma.referee.live_match import BlockObservation
from engine.games.guest.rules import State
from engine.games.guest.session import Frame, Session
from engine.games.openspiel.strategies.question import MoveQuestion
from engine.games.talks.speech.asking import Seen
from engine.games.talks.state import Exchange
from engine.games.textarena.strategies import TextQuestion
from engine.round import RoundContext
from engine.round_phases import RoundView
from engine.round_phases.asking import Line
from player import Turn
from tests.support.paths import ROOT

REFERENCE = ROOT / "docs" / "reference"
# The last class that the text names before a list is the one whose fields it lists.
LISTS = re.compile(r"((?:^- `\w+`: .+\n)+)", re.MULTILINE)
FIELD = re.compile(r"^- `(\w+)`: ", re.MULTILINE)
CLASSES: list[Any] = [
    Turn, Observation, Item, RoundView, Line, BlockObservation, Session, Frame, State, Seen,
    Exchange, MoveQuestion, TextQuestion,
]  # fmt: skip


def field_names(kind: Any) -> Sequence[str]:
    """Return the fields of a dataclass or a named tuple, in order."""
    if is_dataclass(kind):
        return [field.name for field in fields(kind)]
    names: Sequence[str] = [*kind._fields]
    return names


def listed_fields(page: str) -> dict[str, Sequence[str]]:
    """Return the fields in each list of a page, by the class named last before it."""
    known = {kind.__name__ for kind in [*CLASSES, RoundContext]}
    lists: dict[str, Sequence[str]] = {}
    last = ""
    for part in LISTS.split((REFERENCE / page).read_text(encoding="utf-8")):
        names = FIELD.findall(part)
        if names:
            lists[last] = names
            continue
        for name in re.findall(r"[`.](\w+)`?", part):
            last = name if name in known else last
    return lists


@pytest.mark.parametrize("kind", CLASSES)
def test_every_field_has_one_line(kind: Any) -> None:
    assert listed_fields("observations.md")[kind.__name__] == field_names(kind)


def test_every_field_of_a_round_has_one_line() -> None:
    assert listed_fields("engine.md") == {"RoundContext": field_names(RoundContext)}
