"""The source's own names seat our agents wherever one is named, and logs keep one name."""

from pathlib import Path

import pytest
import yaml

import example
import studies
from engine.config import GameEngineConfig, Handover
from engine.games.dilemma.agents.forms import SOURCE_NAMES
from engine.games.dilemma.monitor import monitor
from engine.history import history_from_json
from labs.dilemma.studies import Ranks
from player import PlayerConfig
from tests.support.tables import config_for, run_game

HERE = ["tit_for_tat", "cooperator", "defector", "alternator"]
THERE = ["titfortat", "cooperate", "defect", "alternate"]


def seats_of(names: list[str]) -> str:
    return ",".join(f"scripted:{name}" for name in names)


def test_a_log_keeps_the_name_that_an_agent_has_here() -> None:
    history = run_game("dilemma", seats_of(THERE))
    assert [seat.model for seat in history.players] == HERE
    assert history.to_json() == run_game("dilemma", seats_of(HERE)).to_json()


def test_a_config_and_a_handover_may_name_them() -> None:
    heir = PlayerConfig(player_id="Ada", provider="scripted", model="bobs")
    config = GameEngineConfig.model_validate(
        {
            "game": "dilemma",
            "player_configs": [
                {"player_id": "Ada", "provider": "scripted", "model": "titfortat"},
                {"player_id": "Ben", "provider": "scripted", "model": "cooperate"},
            ],
            "handovers": [Handover(after=3, player=heir)],
        }
    )
    assert [player.model for player in config.all_players()] == [
        "tit_for_tat",
        "cooperator",
        "gradual",
    ]


def test_the_command_line_takes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert example.main(["dilemma", "--players", seats_of(THERE), "--logs-dir", str(tmp_path)]) == 0
    (log,) = tmp_path.glob("*.json")
    assert [seat.model for seat in history_from_json(log.read_bytes()).players] == HERE
    file = tmp_path / "table.yaml"
    seats = [{"player_id": name, "provider": "scripted", "model": name} for name in THERE]
    file.write_text(yaml.safe_dump({"game": {"name": "dilemma"}, "player_configs": seats}))
    assert example.main(["--config", str(file), "--logs-dir", str(tmp_path)]) == 0
    capsys.readouterr()
    assert example.main(["dilemma", "--players", "scripted:titfortaat,scripted:defect"]) == 2
    assert "tit_for_tat" in capsys.readouterr().err


def test_the_help_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        example.main(["dilemma", "--help"])
    shown = capsys.readouterr().out
    for source, own in SOURCE_NAMES.items():
        (line,) = [line.split() for line in shown.splitlines() if line.split()[:1] == [source]]
        assert line == [source, own]


def test_the_monitor_and_the_studies_take_them(tmp_path: Path) -> None:
    assert monitor((0, 0), (5, 5), THERE).table == monitor((0, 0), (5, 5), HERE).table
    study: Ranks = Ranks.model_validate({"agents": THERE})
    assert study.agents == tuple(HERE)
    with pytest.raises(ValueError, match="each once"):
        Ranks.model_validate({"agents": ["titfortat", "tit_for_tat"]})
    words = ["dilemma", "ranks", "--agents", ",".join(THERE), "--repetitions", "1"]
    assert studies.main([*words, "--no-pictures", "--out", str(tmp_path)]) == 0
    assert "tit_for_tat" in "".join(path.read_text() for path in tmp_path.rglob("*.csv"))


def test_other_games_have_no_such_names() -> None:
    with pytest.raises(ValueError, match="unknown strategy of guest 'titfortat'"):
        config_for("guest", seats_of(THERE))
