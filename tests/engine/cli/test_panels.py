"""The ready panels in configs/: each is held by scripts to its end, and keeps every rule."""

from pathlib import Path

import pytest

import logs
import talks
from engine.config import read_config
from engine.games.talks.game import TalksGame
from tests.support.histories import only_history
from tests.support.paths import ROOT
from tests.support.terminal import Capture

PANELS = sorted(
    path
    for path in (ROOT / "configs").glob("*.yaml")
    if read_config(path).get("game", {}).get("name") == "talks"
)
HOSTS = {"symposium": "Apollodoros", "town_hall": "Ruth Adler"}


@pytest.mark.parametrize("path", PANELS, ids=lambda path: path.stem)
def test_a_panel_is_held_to_its_end_by_the_rules(
    path: Path, tmp_path: Path, capsys: Capture
) -> None:
    told = ["--config", str(path), "--offline", "--seed", "7", "--logs-dir", str(tmp_path)]
    assert talks.main(told) == 0
    history = only_history(tmp_path)
    assert history.status == "finished"
    capsys.readouterr()
    assert logs.main(["--filename", history.game_id, "--logs-dir", str(tmp_path), "--check"]) == 0
    speakers = {event.player_id for event in history.events if event.kind == "host"}
    assert speakers == ({HOSTS[path.stem]} if path.stem in HOSTS else set())


def test_there_are_ten_and_no_two_alike() -> None:
    games = [TalksGame.model_validate(settings_in(path)) for path in PANELS]
    assert len(games) == 10
    assert len({game.topic for game in games}) == 10
    assert {game.depth for game in games} == {1, 2, 3, 4, 5}
    casts = [frozenset(one.name for one in game.participants) for game in games]
    assert len({*casts}) >= 9
    assert sum(game.host is not None for game in games) == 2


def settings_in(path: Path) -> dict[str, object]:
    settings: dict[str, object] = read_config(path)["game"]
    return {name: value for name, value in settings.items() if name != "name"}


@pytest.mark.parametrize("path", PANELS, ids=lambda path: path.stem)
def test_a_panel_says_how_it_is_held(path: Path) -> None:
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert second.startswith("# uv run talks.py ")
    assert f"configs/{path.name}" in second


def test_a_host_has_the_last_of_the_players(tmp_path: Path, capsys: Capture) -> None:
    panel = ROOT / "configs" / "town_hall.yaml"
    assert TalksGame.model_validate(settings_in(panel)).seats()[-1] == "Ruth Adler"
    words = ["What is love?", "--depth", "1", "--host", "true", "--logs-dir", str(tmp_path)]
    assert talks.main([*words, "--players", "scripted:fresh,scripted:terse"]) == 2
    assert "expected 3 players or more, the last one for the host" in capsys.readouterr().err
    assert talks.main([*words, "--players", "scripted:fresh,scripted:terse,scripted:fresh"]) == 0
    assert "Participants: 2\nHost: Hanna\n" in capsys.readouterr().out


def test_a_host_needs_no_value_behind_its_option(tmp_path: Path, capsys: Capture) -> None:
    few = ["--depth", "1", "--offline", "--logs-dir", str(tmp_path)]
    assert talks.main(["What is love?", "--host", *few]) == 0
    assert "Participants: 2\nHost: Hanna\n" in capsys.readouterr().out
    assert talks.main(["What is love?", "--host", "Ben", *few]) == 0
    assert "Host: Ben\n" in capsys.readouterr().out
    assert talks.main(["--host", "What is love?", *few]) == 2
    told = "'What is love?' behind --host is the host's name, write the topic first"
    assert told in capsys.readouterr().err
