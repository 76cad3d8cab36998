"""The page on the conversation is true: its Python prints what it says, its links exist."""

import doctest
import re
import shlex
from unittest.mock import patch

import pytest

from engine.cli.studies import study_parser
from engine.games.conversation.strategies import STRATEGIES
from labs import STUDIES, study_class
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "conversation.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_python_prints_what_stands_there() -> None:
    with patch.dict(STRATEGIES):  # a strategy that the page adds goes again
        done = doctest.testfile(str(PAGE), module_relative=False)
    assert done.attempted > 8
    assert not done.failed


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#\s]+)\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    assert (PAGE.parent / link).exists()


@pytest.mark.parametrize(
    "words", re.findall(r"^uv run studies\.py ([^#\n]*?)(?:  .*)?$", TEXT, re.MULTILINE)
)
def test_studies_have_the_options_they_name(words: str) -> None:
    game, name, *options = shlex.split(words)
    parser = study_parser(game, study_class(game, name))
    assert parser.read([game, name, *options]) is not None


def test_every_strategy_and_every_study_is_told() -> None:
    assert [name for name in STRATEGIES if f"`{name}`" not in TEXT] == []
    assert [
        name
        for name in STUDIES["conversation"]
        if f"uv run studies.py conversation {name}" not in TEXT
    ] == []
