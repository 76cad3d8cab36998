"""The pages on games are true: their Python prints what they say, and they name all there is."""

import doctest
from pathlib import Path
from unittest.mock import patch

import pytest

from engine.games.conversation.strategies import STRATEGIES
from labs import STUDIES
from tests.support.paths import ROOT

PAGES = [
    ROOT / "docs" / "conversation.md",
    ROOT / "docs" / "dilemma.md",
    ROOT / "docs" / "guest.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_prints_what_stands_there(page: Path) -> None:
    with patch.dict(STRATEGIES):  # a strategy that a page adds goes again
        done = doctest.testfile(str(page), module_relative=False)
    assert done.attempted > 8
    assert not done.failed


def test_every_strategy_and_every_study_of_the_conversation_is_told() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert [name for name in STRATEGIES if f"`{name}`" not in text] == []
    commands = [f"uv run studies.py conversation {name}" for name in STUDIES["conversation"]]
    assert [command for command in commands if command not in text] == []
