"""The pages of deliberations and talks are true: settings and configs play."""

import re
from typing import Any

import pytest
import yaml

from engine.config import GameEngineConfig
from engine.engine import GameEngine
from engine.games import GAMES
from engine.history import History
from engine.runs.seating import neutral
from tests.oracles.judge import broken_rules
from tests.support.paths import ROOT

PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("deliberations", "talks")
}
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# The first cell of a table's row that is a line of a config.
LINE = re.compile(r"^\| `(\w+: [^`]+)` \|", re.MULTILINE)
SCRIPTS = {
    "deliberations": ("loyal", "grudge", "bandwagon", "contrarian", "random"),
    "talks": ("in_character",) * 4,
}
# With sidebars, so that what is told of them can be seen.
WITH_ALL = {"phases": ["sidebars", "confessionals", "pitches", "votes"]}
FRAMES: dict[str, dict[str, Any]] = {"deliberations": WITH_ALL, "talks": {"depth": 1}}


def finished(config: GameEngineConfig) -> History:
    """Return the game of a config, played by itself and kept nowhere."""
    return GameEngine(neutral(config).model_copy(update={"logs_dir": None})).run()


@pytest.mark.parametrize(
    ("game", "line"), [(name, line) for name, text in PAGES.items() for line in LINE.findall(text)]
)
def test_a_setting_is_played_as_it_stands_on_its_page(game: str, line: str) -> None:
    settings = FRAMES[game] | yaml.safe_load(line)
    seats = [
        {"player_id": name, "provider": "scripted", "model": script}
        for name, script in zip(("Ada", "Ben", "Cleo", "Dan", "Eva"), SCRIPTS[game], strict=False)
    ]
    config = {"player_configs": seats, "game": {"name": game, **settings}, "seed": 1}
    history = finished(GameEngineConfig.model_validate(config))
    assert history.status == "finished"
    assert broken_rules(history) == {}


@pytest.mark.parametrize("block", [b for text in PAGES.values() for b in BLOCK.findall(text)])
def test_a_config_is_played_as_it_stands_on_its_page(block: str) -> None:
    history = finished(GameEngineConfig.model_validate(yaml.safe_load(block) | {"seed": 1}))
    assert history.status == "finished"
    assert broken_rules(history) == {}


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_logs_names_every_kind_of_event(game: str) -> None:
    named = {*re.findall(r"`(\w+)`", (ROOT / "docs" / "logs.md").read_text("utf-8"))}
    assert {*GAMES[game].payloads} <= named
